"""A websocket client that costs next to nothing, so that the server is measured and not its client.

Frames are prepared with a mask of zeros (legal, and the payload stays as it is).
"""

from __future__ import annotations

import base64
import json
import os
import socket
import struct
from collections.abc import Iterator


class Wire:
    """One connection to a websocket on this machine."""

    def __init__(self, port: int, path: str, *, timeout: float = 30.0, room: int = 0) -> None:
        """`room`: bytes that the system keeps of what is not read; 0: as many as it likes."""
        self.taken = 0
        """Bytes that came."""
        self._socket = socket.socket()
        self._socket.settimeout(timeout)
        if room:
            self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, room)
        self._socket.connect(("127.0.0.1", port))
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._unread = b""
        key = base64.b64encode(os.urandom(16)).decode()
        self._socket.sendall(
            f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            f"Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n\r\n".encode()
        )
        while b"\r\n\r\n" not in self._unread:
            self._unread += self._receive()
        head, self._unread = self._unread.split(b"\r\n\r\n", 1)
        if b" 101 " not in head.split(b"\r\n", 1)[0]:
            raise ConnectionError(head.split(b"\r\n", 1)[0].decode(errors="replace"))

    def send(self, prepared: bytes) -> None:
        """Send what `frame` made."""
        self._socket.sendall(prepared)

    def fileno(self) -> int:
        """For a selector."""
        return self._socket.fileno()

    def arrived(self) -> Iterator[dict[str, object]]:
        """One read of what is there, and the messages that are complete with it."""
        self._unread += self._receive()
        while self._whole():
            opcode, payload = self._frame()
            if opcode == 8:
                raise ConnectionError("closed")
            if opcode in (1, 2):
                yield json.loads(payload)

    def _whole(self) -> bool:
        """Whether a complete frame has been read."""
        if len(self._unread) < 2:
            return False
        size, more = self._unread[1] & 0x7F, {126: 2, 127: 8}
        head = 2 + more.get(size, 0)
        if len(self._unread) < head:
            return False
        if size in more:
            size = int.from_bytes(self._unread[2:head], "big")
        return len(self._unread) >= head + size

    def receive(self) -> dict[str, object]:
        """The next message, read as JSON. ConnectionError once the server has closed."""
        while True:
            opcode, payload = self._frame()
            if opcode == 8:
                code = struct.unpack(">H", payload[:2])[0] if payload else 1005
                raise ConnectionError(f"closed with {code}")
            if opcode in (1, 2):
                message: dict[str, object] = json.loads(payload)
                return message

    def close(self) -> None:
        self._socket.close()

    def _frame(self) -> tuple[int, bytes]:
        head = self._take(2)
        length = head[1] & 0x7F
        if length == 126:
            length = struct.unpack(">H", self._take(2))[0]
        elif length == 127:
            length = struct.unpack(">Q", self._take(8))[0]
        return head[0] & 0x0F, self._take(length)

    def _take(self, size: int) -> bytes:
        while len(self._unread) < size:
            self._unread += self._receive()
        taken, self._unread = self._unread[:size], self._unread[size:]
        return taken

    def _receive(self) -> bytes:
        data = self._socket.recv(65536)
        if not data:
            raise ConnectionError("the server is gone")
        self.taken += len(data)
        return data


def frame(payload: bytes) -> bytes:
    """One whole text message as it goes over the wire."""
    size = len(payload)
    if size < 126:
        head = struct.pack(">BB", 0x81, 0x80 | size)
    elif size < 65536:
        head = struct.pack(">BBH", 0x81, 0x80 | 126, size)
    else:
        head = struct.pack(">BBQ", 0x81, 0x80 | 127, size)
    return head + b"\0\0\0\0" + payload


def batches(lines: list[bytes], size: int) -> Iterator[bytes]:
    """The lines as messages of `size` lines each."""
    for at in range(0, len(lines), size):
        yield frame(b"".join(lines[at : at + size]))
