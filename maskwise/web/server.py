"""What `maskwise serve` runs: tables made, PyTorch started in a process of its own, pages served by waitress."""

from __future__ import annotations

import errno
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from waitress.server import create_server

from generator.codes import derive
from grader.runner.service import RunnerUnavailable
from maskwise.config import ready_data_folder
from maskwise.errors import EnvironmentFault, UsageFault, os_fault
from maskwise.services.demo import Account
from maskwise.services.demo import demo as make_demo
from maskwise.services.prover import Prover
from maskwise.services.secret import course_secret
from maskwise.store import Store, StoreUnavailable, schema
from maskwise.store.database import database_url
from maskwise.web.app import create_app
from maskwise.web.context import Parts
from maskwise.web.logs import log_to_stderr

if TYPE_CHECKING:
    from collections.abc import Callable

    from maskwise.settings import Settings

THREADS = 8
_LARGEST_BODY = 256 * 1024  # above every limit of a route, so that a page with words says it is too much


@dataclass(frozen=True)
class Served:
    """What is being served: the address, and for the demo course who can sign in."""

    url: str
    accounts: tuple[Account, ...]


def serve(
    settings: Settings,
    *,
    demo: bool = False,
    announce: Callable[[Served], None],
    progress: Callable[[int, int], None] | None = None,
) -> None:
    """Serve until interrupted; `announce` is called once requests are taken.

    Raises EnvironmentFault when the port is taken or the database cannot be used, and for the demo RunnerUnavailable or
    Unproven when the course cannot be made.
    """
    log_to_stderr()
    folder = ready_data_folder(settings.data_dir)
    store = _opened(settings)
    try:
        with Prover(folder, wait=True) as prover, Prover(folder, wait=False) as observer:
            with suppress(RunnerUnavailable):  # started in the background, so that the first answer finds it running
                _ = observer.runner
            given = settings.secret_key.get_secret_value().encode() if settings.secret_key else course_secret(folder)
            parts = Parts(store=store, observer=observer, secret=derive(given, "web"), https=settings.https)
            app = create_app(parts, behind_proxy=settings.behind_proxy)
            server = _listening(app, settings)
            # Only once the port is ours: making the demo gives its people new passwords, which must not end the
            # sessions of a server that runs already.
            accounts = _demo(store, prover, progress) if demo else ()
            prover.close()
            host = f"[{settings.host}]" if ":" in settings.host else settings.host
            announce(Served(f"http://{host}:{server.effective_port}/", accounts))
            server.run()
    finally:
        store.close()


def _demo(store: Store, prover: Prover, progress: Callable[[int, int], None] | None) -> tuple[Account, ...]:
    try:
        return make_demo(store, prover, now=datetime.now(UTC), progress=progress)
    except StoreUnavailable as error:
        raise _unusable(error) from None


def _opened(settings: Settings) -> Store:
    try:
        store = Store(database_url(settings.data_dir, settings.database_url.get_secret_value()))
    except ValueError as error:
        raise UsageFault(f"MASKWISE_DATABASE_URL: {error}") from None
    try:
        schema.upgrade(store)
    except StoreUnavailable as error:
        store.close()
        raise _unusable(error) from None
    return store


def _unusable(error: StoreUnavailable) -> EnvironmentFault:
    return EnvironmentFault(
        f"the database cannot be used: {' '.join(str(error).split())}",
        help="is it running, and is MASKWISE_DATABASE_URL right? `maskwise config show` tells what is used",
    )


def _listening(app: object, settings: Settings) -> Any:
    host, port = settings.host, settings.port
    try:
        return create_server(  # type: ignore[no-untyped-call]  # waitress has no types
            app,
            host=host,
            port=port,
            threads=THREADS,
            ident=None,
            max_request_body_size=_LARGEST_BODY,
            clear_untrusted_proxy_headers=not settings.behind_proxy,
        )
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            raise EnvironmentFault(
                f"port {port} on {host} is taken",
                help=f"take another one: --port {port + 1}, or `make run PORT={port + 1}`",
            ) from None
        raise os_fault(error, f"listen on {host}:{port}") from None
