"""A server for the drill: serves a course from a database, until it is killed. PyTorch is a stand-in.

python school_server.py DATABASE_URL PORT
"""

from __future__ import annotations

import logging
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from classroom_kit import Echo
from waitress.server import create_server

from maskwise.store import Store
from maskwise.web import Parts, create_app

if __name__ == "__main__":
    logging.getLogger("waitress.queue").setLevel(logging.ERROR)
    url, port = sys.argv[1:]
    app = create_app(
        Parts(store=Store(url), observer=Echo(), secret=b"k" * 32, tries_a_minute=10**6, sends_a_minute=10**6)
    )
    create_server(app, host="127.0.0.1", port=int(port), threads=8, ident=None).run()
