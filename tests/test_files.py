"""Results are whole or not there: existing files, full disks, missing rights, interrupts, races."""

import errno
import os
import signal
import stat
import subprocess
import sys
import time

import pytest

from maskwise import files
from maskwise.errors import EnvironmentFault, Refused
from maskwise.files import write_all, write_file
from maskwise.services.secret import course_secret


def names(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))


def test_several_files_are_written_and_nothing_else(tmp_path):
    write_all({tmp_path / "out/a.txt": b"a", tmp_path / "out/b.txt": b"bb"})
    assert names(tmp_path) == ["out", "out/a.txt", "out/b.txt"]
    assert (tmp_path / "out/b.txt").read_bytes() == b"bb"


def test_the_users_umask_decides_who_may_read(tmp_path):
    before = os.umask(0o027)
    try:
        write_file(tmp_path / "a", b"x")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "a").stat().st_mode) == 0o640


def test_what_is_private_is_its_owners_alone(tmp_path):
    paper, key = tmp_path / "paper", tmp_path / "key"
    write_all({paper: b"1", key: b"2"}, private=[key])
    assert stat.S_IMODE(key.stat().st_mode) == 0o600
    assert stat.S_IMODE(paper.stat().st_mode) & 0o600 == 0o600


def test_an_existing_file_is_refused_and_nothing_is_touched(tmp_path):
    (tmp_path / "b").write_text("old")
    with pytest.raises(Refused, match="b exists already") as caught:
        write_all({tmp_path / "a": b"new", tmp_path / "b": b"new"})
    assert "--force" in caught.value.help
    assert names(tmp_path) == ["b"]
    assert (tmp_path / "b").read_text() == "old"


def test_force_replaces_all_of_them(tmp_path):
    (tmp_path / "b").write_text("old")
    write_all({tmp_path / "a": b"new", tmp_path / "b": b"new"}, force=True)
    assert (tmp_path / "b").read_text() == "new"
    assert names(tmp_path) == ["a", "b"]


def test_a_file_that_appears_meanwhile_is_not_overwritten(tmp_path, monkeypatch):
    def appear(*_arguments, **_more):
        (tmp_path / "b").write_text("somebody else's")

    monkeypatch.setattr(files, "refuse_existing", appear)
    with pytest.raises(Refused):
        write_all({tmp_path / "a": b"mine", tmp_path / "b": b"mine"})
    assert names(tmp_path) == ["b"]
    assert (tmp_path / "b").read_text() == "somebody else's"


def test_a_folder_in_the_way_is_refused_also_with_force(tmp_path):
    (tmp_path / "b").mkdir()
    (tmp_path / "a").write_text("old")
    with pytest.raises(Refused, match="is a folder"):
        write_all({tmp_path / "a": b"new", tmp_path / "b": b"new"}, force=True)
    assert (tmp_path / "a").read_text() == "old"
    assert names(tmp_path) == ["a", "b"]


@pytest.mark.parametrize("force", [False, True])
def test_a_full_disk_leaves_nothing_and_says_so(tmp_path, monkeypatch, force):
    (tmp_path / "kept").write_text("old")
    written = []

    def full(descriptor):
        written.append(descriptor)
        if len(written) == 2:
            raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(files.os, "fsync", full)
    wanted = {tmp_path / "new/a": b"a", tmp_path / "new/b": b"b"}
    with pytest.raises(EnvironmentFault, match=r"the disk is full: cannot write .*b") as caught:
        write_all(wanted, force=force)
    assert caught.value.exit_code == 6
    assert names(tmp_path) == ["kept"]


def test_a_rename_that_fails_brings_the_old_files_back(tmp_path, monkeypatch):
    for name in "ab":
        (tmp_path / name).write_text(f"old {name}")
    real = files._rename_new

    def fail_on_b(hidden, path):
        if path.name == "b":
            raise OSError(errno.EIO, "Input/output error")
        real(hidden, path)

    monkeypatch.setattr(files, "_rename_new", fail_on_b)
    with pytest.raises(EnvironmentFault, match="input/output error"):
        write_all({tmp_path / "a": b"new", tmp_path / "b": b"new"}, force=True)
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {"a": "old a", "b": "old b"}


def test_a_folder_without_permission_is_named(tmp_path, monkeypatch):
    def no(*_arguments):
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(files.os, "open", no)
    with pytest.raises(EnvironmentFault, match="no permission to write"):
        write_file(tmp_path / "a", b"x")


def test_a_file_as_folder_is_named(tmp_path):
    (tmp_path / "file").write_text("x")
    with pytest.raises(EnvironmentFault, match="not a directory"):
        write_file(tmp_path / "file" / "a", b"x")


WRITER = """
import sys, time
from pathlib import Path
from maskwise import files
real = files._write_new
def slow(hidden, content, path, **more):
    real(hidden, content, path, **more)
    print(path.name, flush=True)
    time.sleep(5 if path.name == sys.argv[2] else 0)
files._write_new = slow
try:
    files.write_all({Path(sys.argv[1]) / "out" / name: b"x" * 1000 for name in "abc"})
except KeyboardInterrupt:
    sys.exit(130)
"""


def test_ctrl_c_leaves_no_file_and_no_folder(tmp_path):
    process = subprocess.Popen([sys.executable, "-c", WRITER, str(tmp_path), "b"], stdout=subprocess.PIPE, text=True)
    assert [process.stdout.readline().strip() for _ in "ab"] == ["a", "b"]
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=10) == 130
    process.stdout.close()
    assert names(tmp_path) == []


def test_kill_leaves_nothing_under_a_final_name(tmp_path):
    process = subprocess.Popen([sys.executable, "-c", WRITER, str(tmp_path), "b"], stdout=subprocess.PIPE, text=True)
    assert [process.stdout.readline().strip() for _ in "ab"] == ["a", "b"]
    process.kill()
    process.wait(timeout=10)
    process.stdout.close()
    assert all(path.name.startswith(".") for path in (tmp_path / "out").iterdir())


def test_an_interrupt_during_the_renames_comes_after_them(tmp_path, monkeypatch):
    real = files._rename_new

    def interrupted(hidden, path):
        real(hidden, path)
        if path.name == "a":
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(0.01)

    monkeypatch.setattr(files, "_rename_new", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write_all({tmp_path / "a": b"a", tmp_path / "b": b"b"})
    assert names(tmp_path) == ["a", "b"]


def test_a_new_secret_and_its_name_are_on_the_disk_before_anything_is_made_with_it(tmp_path, monkeypatch):
    flushed = []
    real = os.fsync

    def fsync(descriptor):
        flushed.append((stat.S_ISDIR(os.fstat(descriptor).st_mode), (tmp_path / "secret").exists()))
        real(descriptor)

    monkeypatch.setattr(os, "fsync", fsync)
    made = course_secret(tmp_path)
    assert flushed == [(False, False), (True, True)]  # the file under its hidden name, then the folder with its name
    assert course_secret(tmp_path) == made
    assert len(flushed) == 2
