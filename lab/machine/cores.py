# SPDX-License-Identifier: MIT
"""One core for each guest.

A guest is one thread of work. It switches between UML and the process that holds a guest program's memory, twice per
system call. On one core that is a context switch; across two it wakes the other core each time (flagship on two busy
cores: 18 s of wall time instead of 25 s to 29 s). Guests that run in parallel, of one lab or of several, use
different cores: each locks its own. When all are taken, the next guest runs wherever the scheduler puts it.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO


class Core:
    """A core that is ours until ``release``; ``number`` is None when none was free."""

    def __init__(self, directory: Path | None = None) -> None:
        self.number: int | None = None
        self._lock: IO[str] | None = None
        place = directory or Path(tempfile.gettempdir())
        for number in sorted(os.sched_getaffinity(0)):
            if self._take(place / f"hwsim-lab-core-{os.getuid()}-{number}"):
                self.number = number
                return

    def _take(self, path: Path) -> bool:
        with contextlib.suppress(OSError):  # an unwritable directory: no lock, no core, no harm
            lock = path.open("w")
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                lock.close()
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
        """Release the core to another guest."""
        if self._lock:
            self._lock.close()
        self._lock = None
        self.number = None
