# SPDX-License-Identifier: MIT
"""For how long a guest has stood still through its own fault.

Wall time does not tell. A guest may stand still because its host runs other programs, waits for a disk, has stopped the
guest (SIGSTOP) or was suspended. What counts is the processor time that the guest's processes take, and the time in
which they all wait although nothing keeps them from working. The first grows in a busy loop, the second in a guest that
hangs. A guest whose processes wait for a core or for a disk, or are stopped, is not to blame for that.

Not seen: a guest that waits for a file system in user space (FUSE) looks like one that hangs.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

LOOK_S = 1.0  # a look takes some milliseconds on a host with many processes
_MOST_S = 2 * LOOK_S  # of waiting between two looks: if they are further apart, this process did not run either
_EXCUSES = frozenset("RDT")  # runnable, waiting for a disk, stopped (proc_pid_stat(5))
_TICKS_PER_S = os.sysconf("SC_CLK_TCK")


class Used(NamedTuple):
    """What a process has used; ``processor_s`` includes its children that have ended."""

    state: str
    processor_s: float


Look = Callable[[], Mapping[int, Used]]


class Standstill:
    """Adds up, from each ``restart``, what counts as standing still."""

    def __init__(self, look: Look, clock: Callable[[], float] = time.monotonic) -> None:
        """``look``: returns what the guest's processes have used, by their pids."""
        self._look = look
        self._clock = clock
        self.restart()

    def restart(self) -> None:
        """Count from now."""
        self.worked_s = self.waited_s = 0.0
        self._used: Mapping[int, Used] | None = None
        self._looked_s = self._clock()

    def seen_s(self) -> float:
        """Look at the guest, unless that was done within LOOK_S; return for how long it has stood still."""
        since_s = self._clock() - self._looked_s
        if since_s >= LOOK_S:
            self._count(self._look(), since_s)
            self._looked_s = self._clock()
        return self.worked_s + self.waited_s

    @property
    def kind(self) -> str:
        """What most of the time was, for a message."""
        return "processor time" if self.worked_s >= self.waited_s else "waiting"

    def _count(self, used: Mapping[int, Used], since_s: float) -> None:
        before, self._used = self._used, used
        if before is None:
            return
        none = Used("", 0.0)
        worked_s = sum(max(0.0, now.processor_s - before.get(pid, none).processor_s) for pid, now in used.items())
        if worked_s > 0:
            self.worked_s += worked_s
        elif not any(one.state in _EXCUSES for one in used.values()):
            self.waited_s += min(since_s, _MOST_S)


def used_below(root: int, proc: Path = Path("/proc")) -> dict[int, Used]:
    """Return what a process and all below it have used; empty if it has ended."""
    parents: dict[int, int] = {}
    used: dict[int, Used] = {}
    for entry in proc.iterdir():
        if entry.name.isdigit():
            with contextlib.suppress(OSError):  # it has ended
                state, parent, *rest = (entry / "stat").read_bytes().rpartition(b")")[2].decode().split()
                parents[int(entry.name)] = int(parent)
                used[int(entry.name)] = Used(state, sum(map(int, rest[9:13])) / _TICKS_PER_S)
    below = {root} & used.keys()
    while more := {pid for pid, parent in parents.items() if parent in below} - below:
        below |= more
    return {pid: used[pid] for pid in below}
