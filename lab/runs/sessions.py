# SPDX-License-Identifier: MIT
"""The sessions at terminals of this user: each has a name, and a socket for ``lab attach`` and ``forward``."""

from __future__ import annotations

import contextlib
import os
import socket
from collections.abc import Iterator
from pathlib import Path

from lab.errors import InputError
from lab.machine.channel import Channel
from lab.machine.scratch import PARENT, PREFIX, scratch
from lab.machine.switchboard import Switchboard

_SOCKET, _NAME = "attach", "name"


@contextlib.contextmanager
def attachable(channel: Channel, name: str) -> Iterator[Path]:
    """Let programs attach to the session of a channel, under that name or a similar one; yield the socket's path."""
    taken = sessions()
    names = (f"{name}-{number}" if number > 1 else name for number in range(1, len(taken) + 2))
    with scratch({}) as home:
        (home / _NAME).write_text(next(one for one in names if one not in taken), encoding="utf-8")
        board = Switchboard(channel.line, home / _SOCKET)
        try:
            yield home / _SOCKET
        finally:
            board.stop()


def sessions() -> dict[str, Path]:
    """Return the sockets of this user's sessions, by name."""
    found = {}
    for place in sorted(PARENT.glob(f"{PREFIX}*/{_SOCKET}")):
        with contextlib.suppress(OSError):  # it has just ended
            if place.parent.stat().st_uid == os.getuid():
                found[(place.parent / _NAME).read_text(encoding="utf-8")] = place
    return found


def connected(path: Path) -> socket.socket:
    """Connect to a session.

    Raises:
        InputError: If it has ended.
    """
    connection = socket.socket(socket.AF_UNIX)
    try:
        connection.connect(str(path))
    except OSError:
        connection.close()
        raise InputError("that session has ended") from None
    return connection


def session_with(words: list[str]) -> tuple[Path, str, list[str]]:
    """Return the session, the node and the command of ``[NAME] NODE [COMMAND]…``.

    Raises:
        InputError: If it does not say which session.
    """
    running = sessions()
    named = f"running: {', '.join(running)}" if running else "lab shell one-ap starts one, in another window"
    if not running:
        raise InputError("no session runs", hint=named)
    if words and words[0] in running:
        name, *words = words
    elif len(running) == 1:
        (name,) = running
    else:
        raise InputError("several sessions run; name one: lab attach NAME NODE", hint=named)
    if not words:
        raise InputError("which node? lab attach [NAME] NODE [COMMAND]…", hint=named)
    return running[name], words[0], words[1:]
