# SPDX-License-Identifier: MIT
"""Listens on ports of the host's loopback, for ``forward`` at a prompt."""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Callable

from lab.errors import InputError


def listen(port: int, serve: Callable[[socket.socket], None]) -> None:
    """Serve each connection to a port of 127.0.0.1, in threads, until this process ends.

    Raises:
        InputError: If the port cannot be had.
    """
    listener = socket.socket()
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind(("127.0.0.1", port))
        listener.listen()
    except OSError as error:
        listener.close()
        raise InputError(f"port {port} of this host: {error.strerror}; choose another one") from None
    threading.Thread(target=_accept, args=(listener, serve), daemon=True).start()


def _accept(listener: socket.socket, serve: Callable[[socket.socket], None]) -> None:
    with contextlib.suppress(OSError):
        while True:
            connection, _ = listener.accept()
            threading.Thread(target=serve, args=(connection,), daemon=True).start()
