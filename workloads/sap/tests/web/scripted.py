# SPDX-License-Identifier: MIT
"""A server that answers what a script says, on this machine's loopback interface."""

from __future__ import annotations

import re
import socket
import subprocess
import threading
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Self


@dataclass(frozen=True)
class Script:
    """What is answered to a request."""

    headers: str | None = None  # lines; None: nothing at all is answered
    body: bytes = b""
    datagrams: str | None = None  # words for peer.c, to the port that the request names; None: nobody connects
    closes: bool = False  # the connection, after that
    knows_tokens: bool = True  # and sends the one of the request
    stranger: str | None = None  # pings before the server does: with this token, or if "near" one that is off by one
    address: str = "127.0.0.1"  # of the server; peer.c always sends from 127.0.0.1


class Server:
    """A context that answers one connection by a script, and then waits until the client closes it."""

    def __init__(self, script: Script, peer: Path) -> None:
        self._script = script
        self._peer = peer
        self._listening = socket.create_server((script.address, 0))
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self.url = f"http://{script.address}:{self._listening.getsockname()[1]}/file"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        with suppress(OSError):
            self._listening.shutdown(socket.SHUT_RDWR)  # where nobody came, it ends accept()
        self._thread.join(timeout=60)
        self._listening.close()

    def _serve(self) -> None:
        try:
            connection, _ = self._listening.accept()
        except OSError:
            return
        with connection:
            asked = b""
            while b"\r\n\r\n" not in asked:
                got = connection.recv(9999)
                if not got:
                    return
                asked += got
            self._let_a_stranger_ping(asked)
            if self._script.headers is not None:
                connection.sendall(self._script.headers.replace("\n", "\r\n").encode() + b"\r\n" + self._script.body)
            sending = self._send(asked)
            if self._script.closes:
                connection.shutdown(socket.SHUT_WR)
            with suppress(ConnectionResetError):  # a client that ends without reading all
                while connection.recv(9999):
                    pass
            if sending:  # to a client that may be gone
                sending.kill()
                sending.wait()

    def _argv(self, asked: bytes) -> list[str]:
        """The beginning of the command of a peer that does what the request says; empty if that wants no SAP."""
        port = re.search(rb"\r\nX-SAP-Port: (\d+)\r\n", asked)
        token = re.search(rb"\r\nX-SAP-Token: ([0-9a-f]{16})\r\n", asked)
        return [str(self._peer), port[1].decode(), token[1].decode() if token else "0"] if port else []

    def _let_a_stranger_ping(self, asked: bytes) -> None:
        argv = self._argv(asked)
        if self._script.stranger is None or not argv:
            return
        token = f"{int(argv[2], 16) ^ 1:x}" if self._script.stranger == "near" else self._script.stranger
        subprocess.run([*argv[:2], token, "stranger"], check=True, stderr=subprocess.PIPE)

    def _send(self, asked: bytes) -> subprocess.Popen[bytes] | None:
        argv = self._argv(asked)
        if self._script.datagrams is None or not argv:
            return None
        if not self._script.knows_tokens:
            argv[2] = "0"
        return subprocess.Popen([*argv, *self._script.datagrams.split()], stderr=subprocess.DEVNULL)
