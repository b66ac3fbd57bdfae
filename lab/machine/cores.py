# SPDX-License-Identifier: MIT
"""A core for each guest.

A guest is one thread of work. It switches between UML and the process that holds a guest program's memory, twice per
system call. On one core that is a context switch; across two it wakes the other core each time (flagship on two busy
cores: 18 s of wall time instead of 25 s to 29 s). Guests that run in parallel, of one lab or of several, use
different cores: each locks its own, in the kernel's own directory of it, so that no file is left behind. When all are
taken, guests share cores, evenly: the second guest of a core locks the first directory in the core's own, and so on.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
from collections.abc import Iterator
from itertools import zip_longest
from pathlib import Path

CORES = Path("/sys/devices/system/cpu")


def _places(core: Path) -> list[Path]:
    """Return what the guests of a core lock, in this order. Links lead to directories that cores share."""
    with contextlib.suppress(OSError):
        return [core, *sorted(each for each in core.iterdir() if each.is_dir() and not each.is_symlink())]
    return []


class Core:
    """A core until ``release``; ``number`` is None if each has as many guests as directories that can be locked."""

    def __init__(self, directory: Path = CORES) -> None:
        self.number: int | None = None
        self._lock: int | None = None
        numbers = sorted(os.sched_getaffinity(0))
        places = [_places(directory / f"cpu{number}") for number in numbers]
        for guest in zip_longest(*places):  # the first guest of each core, then the second of each
            for number, place in zip(numbers, guest, strict=True):
                if place and self._take(place):
                    self.number = number
                    return

    def _take(self, place: Path) -> bool:
        with contextlib.suppress(OSError):  # no such directory: no lock, no core, no harm
            lock = os.open(place, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                os.close(lock)
                return False
            self._lock = lock
            return True
        return False

    @contextlib.contextmanager
    def bound(self) -> Iterator[None]:
        """Run processes that this thread starts on the core; the thread itself moves to another one, if possible."""
        before = os.sched_getaffinity(0)
        if self.number is None:
            yield
            return
        os.sched_setaffinity(0, {self.number})
        try:
            yield
        finally:
            os.sched_setaffinity(0, before - {self.number} or before)  # the scheduler would leave it on this core
            os.sched_setaffinity(0, before)

    def release(self) -> None:
        """Leave the core to another guest; two threads may do so."""
        lock, self._lock = self._lock, None
        if lock is not None:
            os.close(lock)
        self.number = None
