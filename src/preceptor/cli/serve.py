"""`preceptor serve`: the tutor in the browser."""

from __future__ import annotations

import contextlib
import errno
import gc
import signal
import socket
import webbrowser
from typing import TYPE_CHECKING

import click

from preceptor.errors import InputError, SettingsError
from preceptor.settings import Settings, load_settings

if TYPE_CHECKING:
    import uvicorn

STOP_AFTER_S = 5
"""Seconds that open replies get to finish when the server is asked to stop. (chosen: a builtin turn takes under one)"""

WILDCARDS = {"0.0.0.0": "127.0.0.1", "::": "::1", "": "127.0.0.1"}
"""Host that means every address → the one to open on this machine."""


@click.command()
@click.option("--host", default=None, help="Address to listen on; another than loopback needs server.access_token.")
@click.option("--port", default=None, type=click.IntRange(0, 65535), help="Port to listen on; 0: any free one.")
@click.option("--open", "open_browser", is_flag=True, help="Open the page in the browser.")
def serve(host: str | None, port: int | None, open_browser: bool) -> None:
    """Start the tutor in the browser and print its address."""
    settings = _with_options(load_settings(), host, port)
    from preceptor.server.access_token import token_of
    from preceptor.server.destination import destination
    from preceptor.server.loopback import is_loopback

    token_of(settings.server, loopback=is_loopback(settings.server.host))
    listener = bound(settings)
    with contextlib.closing(listener):
        import uvicorn

        from preceptor.server.app import create_app
        from preceptor.tutoring.session_opening import open_session

        session = open_session(settings)
        try:
            session.start_nights()
            address = opened_at(settings, listener)
            app = create_app(session, settings)
            config = uvicorn.Config(
                app,
                log_level="warning",
                proxy_headers=False,
                server_header=False,
                timeout_graceful_shutdown=STOP_AFTER_S,
            )
            click.echo(f"Preceptor is at {address}  (stop it with Ctrl+C)")
            if settings.server.host in WILDCARDS:
                click.echo(f"Other machines reach it at http://{socket.gethostname()}:{listener.getsockname()[1]}")
            click.echo(destination(settings).words)
            if open_browser:
                webbrowser.open(address)
            gc.collect()
            gc.freeze()  # modules and rules stay; looking through them again costs a first recall 55 ms
            _run(uvicorn.Server(config), listener)
        finally:
            session.close()


def _with_options(settings: Settings, host: str | None, port: int | None) -> Settings:
    given = {name: value for name, value in (("host", host), ("port", port)) if value is not None}
    return settings.model_copy(update={"server": settings.server.model_copy(update=given)})


def bound(settings: Settings) -> socket.socket:
    """Return a socket that listens where the settings say.

    Raises:
        InputError: The port is taken or may not be used; the message names it.
        SettingsError: The host is no address of this machine.
    """
    host, port = settings.server.host, settings.server.port
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    except socket.gaierror as error:
        raise SettingsError(f"server.host: {host!r} is not an address ({error.strerror})") from error
    listener = socket.socket(family, kind, protocol)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind(address)
        listener.listen(128)
    except OSError as error:
        listener.close()
        if error.errno == errno.EADDRINUSE:
            raise InputError(
                f"port {port} on {host} is already in use: stop what uses it, or choose another with --port"
            ) from error
        if error.errno == errno.EACCES:
            raise InputError(f"port {port} may not be used without more rights: choose one above 1023") from error
        raise SettingsError(f"server.host: {host!r} is no address of this machine ({error.strerror})") from error
    return listener


def opened_at(settings: Settings, listener: socket.socket) -> str:
    """Return the address at which this machine's own browser opens the page."""
    port = listener.getsockname()[1]
    host = WILDCARDS.get(settings.server.host, settings.server.host)
    return f"http://{f'[{host}]' if ':' in host else host}:{port}"


def _run(server: uvicorn.Server, listener: socket.socket) -> None:
    """Serve until asked to stop.

    The web server raises the signal that stopped it once more when it is done. SIGTERM would then end the process
    before the record is closed, so it is turned into the exception that SIGINT raises.
    """
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with contextlib.suppress(KeyboardInterrupt):
        server.run(sockets=[listener])
