"""A school served over real sockets, and a Chromium to visit it with."""

from __future__ import annotations

import logging
import os
import shutil
import threading
from contextlib import contextmanager

import pytest
from waitress import wasyncore
from waitress.server import create_server

CHROMIUM = shutil.which("chromium") or "/usr/bin/chromium"
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


def need_chromium():
    """Skip with the reason where there is no Chromium; in CI that is a failure instead."""
    if os.access(CHROMIUM, os.X_OK):
        return
    reason = "no Chromium: install the package `chromium`"
    if os.environ.get("CI") == "true":
        pytest.fail(reason)
    pytest.skip(reason)


@contextmanager
def serving(app):
    """Serve an application on a free port; gives its address."""
    logging.getLogger("waitress.queue").setLevel(logging.ERROR)
    server = create_server(app, host="127.0.0.1", port=0, threads=8, ident=None)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.effective_port}"
    finally:
        # In its own thread, with the connections that browsers keep open: then its loop ends at once.
        server.trigger.pull_trigger(lambda: wasyncore.close_all(server._map, ignore_all=True))
        thread.join(5)
        server.task_dispatcher.shutdown()


@contextmanager
def chromium():
    """Start a Chromium; gives Playwright's browser."""
    need_chromium()
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        try:
            yield browser
        finally:
            browser.close()
