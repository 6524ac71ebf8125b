"""A server on this machine that says exactly what a test tells it to, well-formed or not."""

from __future__ import annotations

import socket
import ssl
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import NamedTuple

import pytest

from tres_live import LiveWeb

Action = bytes | Callable[[socket.socket], None] | list


class Asked(NamedTuple):
    """A request as it came in."""

    at: float
    path: str
    headers: dict[str, str]


def reply(body: bytes | str = b"", status: int = 200, **headers: str) -> bytes:
    """A whole answer; names of headers with underscores for hyphens."""
    body = body.encode() if isinstance(body, str) else body
    fields = {"Content-Type": "text/html; charset=utf-8", "Content-Length": str(len(body))}
    fields |= {name.replace("_", "-"): value for name, value in headers.items()}
    lines = "".join(f"{name}: {value}\r\n" for name, value in fields.items() if value)
    return f"HTTP/1.1 {status} Said\r\n{lines}\r\n".encode() + body


def drip(start: bytes, piece: bytes, pause: float = 0.02) -> Callable[[socket.socket], None]:
    """Send a start, then the same piece again and again, until the client hangs up."""

    def act(connection: socket.socket) -> None:
        connection.sendall(start)
        for _ in range(100_000):
            connection.sendall(piece)
            time.sleep(pause)

    return act


class Loopback:
    """Serves `routes`: a path's bytes, a function of the connection, or a list to say in turn."""

    def __init__(
        self,
        routes: dict[str, Action],
        tls: ssl.SSLContext | None = None,
        address: str = "127.0.0.1",
    ):
        self.routes, self.asked, self._tls, self.address = routes, [], tls, address
        if address != "127.0.0.1" and sys.platform != "linux":
            pytest.skip("this system's loopback has one address")
        self._listener = socket.create_server((address, 0), backlog=64)
        self.port = self._listener.getsockname()[1]
        self._connections: list[socket.socket] = []

    def url(self, path: str = "/") -> str:
        return f"{'https' if self._tls else 'http'}://{self.address}:{self.port}{path}"

    def paths(self) -> list[str]:
        return [asked.path for asked in self.asked]

    def __enter__(self) -> Loopback:
        threading.Thread(target=self._listen, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        for connection in (self._listener, *self._connections):
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
            connection.close()

    def _listen(self) -> None:
        with suppress(OSError):
            while True:
                connection, _ = self._listener.accept()
                self._connections.append(connection)
                threading.Thread(target=self._talk, args=(connection,), daemon=True).start()

    def _talk(self, connection: socket.socket) -> None:
        with suppress(OSError, ValueError, IndexError), connection:
            if self._tls:
                connection = self._tls.wrap_socket(connection, server_side=True)
            lines = connection.makefile("rb")
            while line := lines.readline():
                self.asked.append(Asked(time.monotonic(), line.split()[1].decode(), _fields(lines)))
                action = self.routes.get(self.asked[-1].path, reply(status=404))
                if isinstance(action, list):
                    action = action.pop(0) if len(action) > 1 else action[0]
                if callable(action):
                    action(connection)
                    return
                connection.sendall(action)


def _fields(lines) -> dict[str, str]:
    fields = {}
    while (line := lines.readline().decode("latin-1").strip()) != "":
        name, _, value = line.partition(":")
        fields[name.lower()] = value.strip()
    return fields


def live(**settings) -> LiveWeb:
    """A LiveWeb that may reach this machine and loses no time."""
    quick = {"delay": 0, "retries": 0, "timeout": 5, "deadline": 10, "allow_private": True}
    return LiveWeb("test-crawler/1.0", "tests@example.org", **(quick | settings))


def resolve_to(monkeypatch, names: dict[str, list[str]]) -> list[str]:
    """Answer for some names as a hostile name server would; the names asked for."""
    real, asked = socket.getaddrinfo, []

    def look_up(host, port, *args, **kwargs):
        if host not in names:
            return real(host, port, *args, **kwargs)
        asked.append(host)
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (a, port)) for a in names[host]]

    monkeypatch.setattr(socket, "getaddrinfo", look_up)
    return asked
