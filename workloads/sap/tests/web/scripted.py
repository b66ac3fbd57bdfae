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
            if self._script.headers is not None:
                connection.sendall(self._script.headers.replace("\n", "\r\n").encode() + b"\r\n" + self._script.body)
            sending = self._send(asked)
            if self._script.closes:
                connection.shutdown(socket.SHUT_WR)
            while connection.recv(9999):
                pass
            if sending:  # to a client that may be gone
                sending.kill()
                sending.wait()

    def _send(self, asked: bytes) -> subprocess.Popen[bytes] | None:
        found = re.search(rb"\r\nX-SAP-Port: (\d+)\r\n", asked)
        if self._script.datagrams is None or not found:
            return None
        argv = [str(self._peer), found[1].decode(), *self._script.datagrams.split()]
        return subprocess.Popen(argv, stderr=subprocess.DEVNULL)
