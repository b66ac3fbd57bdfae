# SPDX-License-Identifier: MIT
"""When programs print: notes the size of their outputs whenever these grow, as lines ``<uptime in ns> <bytes>`` in
``<id>.when``.

A program writes straight to its file, as without this: a pipe through the agent would stop it while the agent waits for
a command (``exec``). inotify wakes the agent at the virtual time of the write, since no time passes while anything
runs. Only while the agent waits for a command are notes late.
"""

from __future__ import annotations

import ctypes
import os
import struct
from pathlib import Path
from typing import TextIO

from lab.guest.errors import GuestError
from lab.guest.loop import Loop, now_ns

_libc = ctypes.CDLL(None, use_errno=True)
_IN_MODIFY = 0x2  # inotify.h
_EVENT = struct.Struct("iIII")  # watch, mask, cookie, length of a name: files have none
_READ_BYTES = 1 << 16


class OutputTimes:
    """Watches outputs from before their programs start until ``finish``."""

    def __init__(self, loop: Loop) -> None:
        self._outputs: dict[int, tuple[Path, TextIO]] = {}
        self._inotify = _libc.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
        if self._inotify < 0:
            raise GuestError(f"inotify: {os.strerror(ctypes.get_errno())}")
        loop.add_reader(self._inotify, self._read)

    def watch(self, out: Path) -> None:
        """Watch the output of a program that has not started yet."""
        out.touch()
        watch = _libc.inotify_add_watch(self._inotify, os.fsencode(out), _IN_MODIFY)
        if watch < 0:
            raise GuestError(f"inotify: {os.strerror(ctypes.get_errno())}")
        self._outputs[watch] = out, out.with_suffix(".when").open("a")

    def finish(self) -> None:
        """Note what has not been noticed yet."""
        self._read()
        for _, file in self._outputs.values():
            file.close()
        self._outputs.clear()

    def _read(self) -> None:
        """Note the sizes of those that have grown."""
        try:
            events = os.read(self._inotify, _READ_BYTES)
        except BlockingIOError:
            return
        grown = {_EVENT.unpack_from(events, at)[0] for at in range(0, len(events), _EVENT.size)}
        at_ns = now_ns()
        for watch in sorted(grown & self._outputs.keys()):
            out, file = self._outputs[watch]
            file.write(f"{at_ns} {out.stat().st_size}\n")
            file.flush()
