# SPDX-License-Identifier: MIT
"""Connections of the host to programs in nodes: TCP sockets in a node, whose bytes travel with requests.

They are on the node's own lo (or that of its address), so neither links nor the medium see them. Time passes for them
only in ``exchange``.
"""

from __future__ import annotations

import binascii
import os
import socket
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import Any

from lab.guest.errors import GuestError
from lab.guest.loop import POLL_NS, Loop, now_ns
from lab.guest.network.container import Container

_MOST_BYTES = 1 << 18  # of a connection in an answer


class Connections:
    """All of them, by number."""

    def __init__(self, loop: Loop) -> None:
        self._loop = loop
        self._sockets: dict[int, socket.socket] = {}
        self._next = 0

    def connect(self, container: Container, addresses: Sequence[str], port: int) -> int:
        """Connect to a port of a node, at the first of its addresses where that is possible; return the number.

        Raises:
            GuestError: If it is not.
        """
        why = ""
        for address in addresses:
            with container.network():
                made = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
            try:
                made.settimeout(1)  # the node answers itself
                made.connect((address, port))
            except OSError as error:
                made.close()
                why = error.strerror or "no answer"
                continue
            made.setblocking(False)
            self._next += 1
            self._sockets[self._next] = made
            return self._next
        raise GuestError(f"{container.name} does not accept a connection to port {port}: {why}", container.name)

    def exchange(
        self,
        sent: Sequence[tuple[int, str]],
        ended: Sequence[int],
        closed: Sequence[int],
        reading: Sequence[int],
        until_ns: int,
        stops: Callable[[], bool],
    ) -> dict[str, Any]:
        """Pass on what the host sends, and let time pass until something comes back.

        Args:
            sent: number and bytes, in base64.
            ended: where the host sends nothing more.
            closed: what the host has no more use for.
            reading: what to wait for.
            until_ns: how long, as uptime; not as long if a node has not taken all.
            stops: return before that if it becomes true.

        Returns:
            ``took``: how many bytes of ``sent`` were taken; ``received``: number and bytes, none at the end, or None
            if the connection was reset.
        """
        for number in closed:
            self._sockets.pop(number).close()
        given = [(number, binascii.a2b_base64(text)) for number, text in sent]
        took = [self._send(number, data) for number, data in given]
        if any(length < len(data) for length, (_, data) in zip(took, given, strict=True)):
            until_ns = min(until_ns, now_ns() + POLL_NS)  # then there is room for the rest
        for number in ended:
            self._end(number)
        ready: set[int] = set()
        for number in reading:
            self._loop.add_reader(self._sockets[number].fileno(), partial(ready.add, number))
        try:
            self._loop.run_until(until_ns, lambda: bool(ready) or stops())
        finally:
            for number in reading:
                self._loop.remove_reader(self._sockets[number].fileno())
        return {"took": took, "received": [(number, self._receive(number)) for number in sorted(ready)]}

    def _send(self, number: int, data: bytes) -> int:
        try:
            return self._sockets[number].send(data)
        except BlockingIOError:
            return 0
        except OSError:  # it has been reset, as reading reports
            return len(data)

    def _end(self, number: int) -> None:
        with suppress(OSError):  # it has been reset
            self._sockets[number].shutdown(socket.SHUT_WR)

    def _receive(self, number: int) -> str | None:
        found: list[bytes] = []
        length = 0
        try:
            while length < _MOST_BYTES and (data := os.read(self._sockets[number].fileno(), _MOST_BYTES)):
                found.append(data)
                length += len(data)
        except BlockingIOError:
            pass
        except OSError:
            return None
        return binascii.b2a_base64(b"".join(found), newline=False).decode()
