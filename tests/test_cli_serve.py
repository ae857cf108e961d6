"""Commands as processes of their own: a taken port, Ctrl-C, a TERM signal."""

import os
import re
import signal
import socket
import subprocess
import sys
import urllib.error
import urllib.parse
import urllib.request

import pytest

pytestmark = pytest.mark.torch


def start(*words, **more):
    command = [sys.executable, "-m", "maskwise", *words]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    return subprocess.Popen(command, **pipes, start_new_session=True, **more)


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 0)])
def test_serve_says_where_and_ends_as_documented(tmp_path, number, code):
    process = start("--data-dir", str(tmp_path), "serve", "--port", "0")
    try:
        url = process.stdout.readline().strip()
        assert re.fullmatch(r"http://127\.0\.0\.1:\d+/", url), process.communicate(timeout=20)
        with urllib.request.urlopen(f"{url}healthz", timeout=20) as answer:
            assert answer.status == 200
        os.killpg(process.pid, number)  # as a terminal does: all processes of the command get it
        out, err = process.communicate(timeout=20)
    finally:
        process.kill()
        process.wait()
    assert process.returncode == code
    assert out == ""
    assert "Traceback" not in err


def test_behind_a_proxy_addresses_and_cookies_are_those_of_the_visitor(tmp_path):
    folder = tmp_path / "open"
    folder.mkdir(mode=0o755)
    set_so = {**os.environ, "MASKWISE_BEHIND_PROXY": "1", "MASKWISE_HTTPS": "1"}
    process = start("--data-dir", str(folder), "serve", "--port", "0", env=set_so)
    try:
        url = process.stdout.readline().strip()
        codes = [wrong_sign_in(url, address) for address in ["192.0.2.1"] * 12 + ["192.0.2.2"]]
        with urllib.request.urlopen(f"{url}sign-in", timeout=20) as page:
            cookies = page.headers.get_all("Set-Cookie")
            assert page.headers["Strict-Transport-Security"]
    finally:
        process.terminate()
        process.communicate(timeout=20)
    assert cookies
    assert all("Secure" in cookie and "HttpOnly" in cookie for cookie in cookies)
    assert codes[10:] == [429, 429, 403]  # one address is stopped, another is not
    for name in ("maskwise.db", "secret"):
        assert (folder / name).stat().st_mode & 0o077 == 0, name


def wrong_sign_in(url, address):
    """Send a sign-in with a form of its own, as a proxy hands it on for a visitor at `address`."""
    forwarded = {"X-Forwarded-For": address, "X-Forwarded-Proto": "https", "Host": "localhost"}
    with urllib.request.urlopen(urllib.request.Request(f"{url}sign-in", headers=forwarded), timeout=20) as page:
        cookie = page.headers["Set-Cookie"].split(";")[0]
        token = re.search(r'name="csrf" value="([^"]+)"', page.read().decode())[1]
    body = urllib.parse.urlencode({"csrf": token, "email": f"{address}@example.org", "password": "no"}).encode()
    headers = {**forwarded, "Cookie": cookie, "Origin": "https://localhost"}
    try:
        with urllib.request.urlopen(urllib.request.Request(f"{url}sign-in", body, headers), timeout=20) as reply:
            return reply.status
    except urllib.error.HTTPError as error:
        with error:
            return error.code


def test_a_taken_port_is_an_environment_fault(tmp_path):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        process = start("--data-dir", str(tmp_path), "serve", "--port", port)
        out, err = process.communicate(timeout=30)
    assert (process.returncode, out) == (6, "")
    assert f"port {port} on 127.0.0.1 is taken" in err
    assert "help: " in err


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_an_interrupted_generate_leaves_nothing(tmp_path, number, code):
    words = ("generate", "lesson-12", "-n", "400", "-f", "json,pdf", "-o", str(tmp_path / "out"))
    process = start("--data-dir", str(tmp_path / "data"), *words)
    try:
        process.wait(timeout=2)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, number)
    out, err = process.communicate(timeout=20)
    assert (process.returncode, out) == (code, ""), err
    assert "Traceback" not in err
    assert not (tmp_path / "out").exists()
