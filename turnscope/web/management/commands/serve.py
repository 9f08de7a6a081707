"""`turnscope serve`: everything in one process, on this machine alone."""

from __future__ import annotations

import asyncio
import gc
import ipaddress
import json
import os
import socket
import webbrowser
from argparse import ArgumentParser
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management import BaseCommand, CommandError, call_command

from turnscope import __version__

FILE_LIMIT = 4 * 1024**3
"""Bytes of a file that is uploaded for import; it goes to disk as it comes."""


class Command(BaseCommand):
    requires_system_checks = ()
    help = (
        "Serve the pages and take streams in, at http://127.0.0.1:8000/.\n\n"
        "Makes or updates its tables first; data is kept in TURNSCOPE_HOME. Ctrl-C stops it, after what was\n"
        "received is stored. Example: turnscope serve --demo --open"
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--demo", action="store_true", help="load the demo channel and play live in it")
        parser.add_argument("--host", default=settings.HOST, help="the address to bind (%(default)s)")
        parser.add_argument("--port", type=int, default=settings.PORT, help="the port to bind (%(default)s)")
        parser.add_argument("--open", action="store_true", help="open a browser when it is ready")

    def handle(self, *args: Any, host: str, port: int, demo: bool, **options: Any) -> None:
        refuse_strangers(host)
        refuse_taken(host, port)
        settings.HOME.mkdir(parents=True, exist_ok=True)
        call_command("migrate", verbosity=0, interactive=False)
        # Imported here: it installs Twisted's reactor, which nothing but a server needs.
        from turnscope.asgi import application
        from turnscope.web.server import Server
        from turnscope.web.sockets import converse_here
        from turnscope.web.writer import get_writer

        writer = get_writer()
        if demo:
            load_demo()

        def ready(bound: int) -> None:
            url = f"http://{f'[{host}]' if ':' in host else host}:{bound}/"
            note.write_text(json.dumps({"url": url, "pid": os.getpid()}))
            self.stdout.write(f"Turnscope {__version__} is at {url} and keeps its data in {settings.HOME}")
            self.stdout.write("Ctrl-C stops it.")
            self.stdout.flush()
            if options["open"]:
                webbrowser.open(url)
            if demo:
                from turnscope.demo import CHANNEL, player

                server.keep(asyncio.ensure_future(converse_here(CHANNEL, player.play)))

        async def before_stop() -> None:
            writer.leaving = True
            await writer.drain()

        server = Server(
            application, host=host, port=port, message_limit=settings.FRAME_LIMIT,
            body_limit=settings.BODY_LIMIT, file_limit=FILE_LIMIT, ready=ready, before_stop=before_stop,
        )  # fmt: skip
        # Thousands of long-lived objects make the collector's defaults a tenth of the time spent.
        gc.freeze()
        gc.set_threshold(20_000, 20, 50)
        writer.start()
        with server_file(settings.HOME) as note:
            server.run()
            writer.stop()
        if server.failure:
            raise CommandError(server.failure)


def refuse_strangers(host: str) -> None:
    """Raises CommandError for an address that other machines can reach."""
    try:
        near = host == "localhost" or ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        near = False
    if not near:
        raise CommandError(
            f"{host} can be reached from other machines, and Turnscope has no accounts yet: whoever reaches"
            " it reads everything. Serve 127.0.0.1, behind an SSH tunnel or a proxy that asks for a login."
        )


def refuse_taken(host: str, port: int) -> None:
    """Raises CommandError when something listens there already."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host.strip("[]"), port))
        except OSError as error:
            raise CommandError(
                f"port {port} on {host} cannot be bound: {error.strerror}. Another server may run there;"
                " --port chooses another."
            ) from error


def load_demo() -> None:
    """The recordings of the demo, if they are not there yet."""
    from turnscope import demo
    from turnscope.store.journal import get_journal

    demo.load(get_journal())


@contextmanager
def server_file(home: Path) -> Iterator[Path]:
    """Where commands find the running server; gone with it, unless another has taken the place."""
    path = home / "server.json"
    try:
        yield path
    finally:
        try:
            if json.loads(path.read_text())["pid"] == os.getpid():
                path.unlink()
        except (OSError, ValueError, KeyError):
            pass
