# SPDX-License-Identifier: MIT
"""Watches a running guest: its progress, and failures with an error that names their cause.

It detects four failures: virtual time stands still, virtual time runs away from the plan, the kernel reports an error,
the guest ends without reporting the outcome of the run. The guest itself reports failed processes.
"""

from __future__ import annotations

import json
import os
import re
import signal
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from lab import left
from lab.builders.step import NO_SPACE_TEXT
from lab.cache.store import free_bytes
from lab.errors import RunError
from lab.machine.process import GuestProcess
from lab.machine.standstill import Standstill, used_below
from lab.printable import printable
from lab.shared.frozen import built
from lab.shared.outcome import Failure
from lab.text import last_lines

STALL_S = 60.0  # of processor time, or of waiting (lab.machine.standstill)
# setup (association of many stations) and shutdown take virtual time in addition to the plan's duration
SPARE_VIRTUAL_NS = 300_000_000_000
POLL_S = 0.05  # how often progress is read; the end of the guest is noticed at once
_LATE_S = 0.25  # a guest that ended longer ago was not followed at its end
TAIL_LINES = 12
_SPINS = (
    "a process in an endless computation or a busy loop stops virtual time (docs/limits.md), and so does one that has "
    "too little memory to continue: write a larger memory: for its node"
)
_HANGS = (
    "its kernel does not answer either: it hangs, or a program in a node has overwritten the guest's memory, which the "
    "lab cannot prevent (docs/security.md)"
)
_OUT_OF_NODES_MEMORY = re.compile(r"\] (?P<program>.+) invoked oom-killer: ")
_COMPLAINT = re.compile(
    r"WARNING: |BUG: |BUG at |Oops|soft lockup|hard LOCKUP|hung_task|Kernel panic|general protection|"
    r"Out of memory|INFO: (task|rcu)|UBSAN: |kmemleak: \d+ new|lab-init: "
)
_OUT_OF_MEMORY = "Out of memory"
# its program ends as by a fault, which fails no run if that program is a probe or was to end anyway
_STUB_IS_GONE = re.compile(r"stub \d+ ended \(.*\)")
_IN_MEMORY = "the guest is full: the files of its nodes are in its memory, and may take half of it"
_REBOOTS = re.compile(r"\] (sysrq: Resetting|reboot: Restarting system)")
_DAMAGE = re.compile(r"SQUASHFS error|SQUASHFS superblock|lab-init: (exec|mount) |corrupted shared library")
_DOCTOR = "an image or the kernel in the cache may be damaged: run lab doctor"
_ENOUGH_FILES = 16  # that the host can still make
_ENOUGH_BYTES = 64 << 20  # a host that has this much did not refuse to write a log


@dataclass(frozen=True)
class RunProgress:
    """The progress of a run. ``virtual_ns`` counts from the start of the timeline; None before it."""

    virtual_ns: int | None
    wall_s: float


@dataclass(frozen=True)
class WallTimes:
    """Wall-clock times of a finished run, s."""

    wall_s: float
    boot_wall_s: float  # from the guest's start to the start of the timeline
    timeline_wall_s: float


def tail(path: Path, lines: int = TAIL_LINES) -> str:
    """Return the last lines of a log, indented, or a note that it is empty."""
    return _indented(last_lines(path, lines) or ["(it wrote nothing)"])


def tails(logs: Sequence[Path]) -> str:
    """Return the last lines of each log below its path; if all are empty, a note about the last one."""
    shown = [log for log in logs if os.path.lexists(log) and log.lstat().st_size] or logs[-1:]
    return "".join(f"\n  last lines of {log}:\n{tail(log)}" for log in shown)


def _indented(lines: Iterable[str]) -> str:
    return "\n".join(f"    {printable(line)}" for line in lines)


def kernel_complaint(console: str) -> list[str]:
    """Return the first line of the kernel log that reports an error, and those after it; empty without errors."""
    lines = [line.strip() for line in console.splitlines()]
    return next((lines[number:] for number, line in enumerate(lines) if _COMPLAINT.search(line)), [])


class Watch:
    """Watches one guest until it is off."""

    def __init__(
        self,
        process: GuestProcess,
        scratch: Path,
        duration_ns: int,
        stall_s: float = STALL_S,
        standstill: Standstill | None = None,
    ) -> None:
        self.run = process.run
        self.console = self.run / "console.log"
        self._process = process
        self._scratch = scratch
        self._duration_ns = duration_ns
        self._stall_s = stall_s
        self._standstill = standstill or Standstill(lambda: used_below(process.process.pid))
        self._started_s = process.started_s
        self._timeline_s: float | None = None
        self._timeline_ns = 0
        self._last_uptime_ns = -1

    def step(self) -> RunProgress | None:
        """Wait for POLL_S; return the guest's progress, or None if it is off.

        Raises:
            RunError: If it stalled or ran away.
        """
        return None if self._process.ended(within_s=POLL_S) else self.look()

    def look(self) -> RunProgress:
        """Look at the guest now and return its progress.

        Raises:
            RunError: If it stalled or ran away.
        """
        self._check_start()
        uptime_ns, stood_s = self._uptime_ns_and_stall_s()
        if stood_s > self._stall_s:
            raise self._stalled(uptime_ns)
        if uptime_ns > self._timeline_ns + self._duration_ns + SPARE_VIRTUAL_NS:
            passed = f"{uptime_ns / 1e9:.1f} s of virtual time passed"
            raise self._failure(f"the guest waits for something that does not happen: {passed}")
        virtual_ns = None if self._timeline_s is None else max(0, uptime_ns - self._timeline_ns)
        return RunProgress(virtual_ns, time.monotonic() - self._started_s)

    def _uptime_ns_and_stall_s(self) -> tuple[int, float]:
        """Return the guest's uptime, and for how long it has stood still without a change of that."""
        pulse = self._process.pulse()
        uptime_ns = pulse[0] if pulse else 0
        if uptime_ns != self._last_uptime_ns:
            self._last_uptime_ns = uptime_ns
            self._standstill.restart()
        return uptime_ns, self._standstill.seen_s()

    def resume(self) -> None:
        """Count a stall from now: until now the guest has waited for the host."""
        self._standstill.restart()

    def check_command(self, line: str) -> None:
        """Check that a command of a shell, which has run since ``resume``, makes progress.

        Raises:
            RunError: If virtual time stands still, or is beyond the plan's end.
        """
        uptime_ns, stood_s = self._uptime_ns_and_stall_s()
        if stood_s > self._stall_s:
            stood = f"virtual time stood still for {self._stall_s:g} s of {self._standstill.kind}"
            raise RunError(f"{line.strip()}: {stood}", hint=_SPINS)
        if uptime_ns > self._duration_ns + SPARE_VIRTUAL_NS:
            hint = "give it an end: sta1 ping -c 3 h1, or h1 timeout 10 COMMAND"
            raise RunError(
                f"{line.strip()}: did not end within {self._duration_ns / 3.6e12:g} h of virtual time", hint=hint
            )

    def judge(self) -> WallTimes:
        """Check the outcome of a guest that is off and return its wall-clock times.

        Raises:
            RunError: If it failed, or its kernel reported an error.
        """
        self._process.process.wait()
        self._check_start()
        lag_s = self._lag_s(self.console)
        ended_s = time.monotonic() - (lag_s if lag_s > _LATE_S else 0.0)
        self._judge()
        timeline_s = self._timeline_s if self._timeline_s is not None else ended_s
        return WallTimes(ended_s - self._started_s, timeline_s - self._started_s, ended_s - timeline_s)

    def _check_start(self) -> None:
        started = self.run / "started"
        if self._timeline_s is None and started.exists() and (text := left.text(started).strip()):
            self._timeline_s = time.monotonic() - self._lag_s(started)
            self._timeline_ns = int(text)

    @staticmethod
    def _lag_s(file: Path) -> float:
        """Return how long ago the guest last wrote a file: whoever follows it may be late."""
        return max(0.0, time.time() - file.stat().st_mtime) if file.exists() else 0.0

    def _stalled(self, uptime_ns: int) -> RunError:
        from lab.machine import mconsole  # it imports sockets, which other runs do not need

        log = tail(self.console)  # before the guest prints its registers
        culprit = mconsole.running(self._scratch)
        who = f"; running: {culprit}" if culprit else ""
        lacks = _OUT_OF_NODES_MEMORY.search(left.text(self.console))
        if lacks:
            who += f"; the node in which {lacks['program']} runs is out of memory"
        return RunError(
            f"virtual time stood still at {uptime_ns / 1e9:.1f} s for {self._stall_s:g} s of {self._standstill.kind}"
            f"{who}\n  last lines of {self.console}:\n{log}",
            hint=_SPINS if culprit or lacks else _HANGS,
        )

    def _failure(self, message: str) -> RunError:
        return RunError(message + tails([self.console]))

    def _judge(self) -> None:
        """Check the kernel's log and the guest's report after the end."""
        console = left.text(self.console)
        complaint, *after = kernel_complaint(console) or [""]
        outcome_file = self.run / "guest.json"
        if _REBOOTS.search(console):
            raise self._failure("a program in a node restarted the guest, which ends a run")
        if NO_SPACE_TEXT in console:
            raise self._no_space()
        if "lab-init: " in complaint:
            hint = _DOCTOR if _DAMAGE.search(console) else None
            raise RunError(f"the guest failed: {complaint}{tails([self.console])}", hint=hint)
        if complaint:
            raise self._crashed(complaint, after)
        if not outcome_file.exists():
            raise self._ended_early()
        error: Failure | None = built(Failure, json.loads(left.text(outcome_file))["error"])
        if error:
            printed = tails([self.run / log for log in error.logs])
            full = NO_SPACE_TEXT in printed and not self._host_is_full()
            message = error.message.rstrip(" :") + printed  # a colon if a program printed nothing
            raise RunError(message, hint=_IN_MEMORY if full else None)
        if gone := _STUB_IS_GONE.search(console):
            hint = "something on the host has killed it, perhaps for lack of memory; run it again"
            raise RunError(f"the guest has lost a process of the host that it needs: {gone[0]}", hint=hint)

    def _no_space(self) -> RunError:
        """Return whose disk is full: the host's, or those of the guest, which are in its memory."""
        if self._host_is_full():
            free_mb = free_bytes(self.run) // 1_000_000
            free = "no more files can be made (df -i)" if self._lacks_files() else f"{free_mb} MB free"
            hint = "free some, or use --out DIR for another place"
            return RunError(f"no space left in {self.run}: {free}", hint=hint)
        return RunError(f"no space left in the guest; {self.console} shows what failed", hint=_IN_MEMORY)

    def _host_is_full(self) -> bool:
        return free_bytes(self.run) < _ENOUGH_BYTES or self._lacks_files()

    def _lacks_files(self) -> bool:
        """Return whether the host's file system is out of inodes; some, such as btrfs, count none."""
        found = os.statvfs(self.run)
        return found.f_files > 0 and found.f_ffree < _ENOUGH_FILES

    def _crashed(self, complaint: str, after: Sequence[str]) -> RunError:
        """Return what the kernel reported, and what it said next: the log before that is about other things."""
        text = f"the guest's kernel reported an error: {complaint}"
        if _OUT_OF_MEMORY in complaint:
            return RunError(
                f"the guest ran out of memory: {complaint}",
                hint="all nodes share it, with the files that they write (docs/limits.md)",
            )
        rest = after[: TAIL_LINES - 1]
        more = f"\n  the next lines of {self.console}:\n{_indented(rest)}" if rest else ""
        return RunError(text + more)

    def _ended_early(self) -> RunError:
        """Return the error of a guest that is off and has reported nothing of the run."""
        status = self._process.process.wait()
        if status >= 0:
            return self._failure("the guest ended before the run was over")
        hint = None
        if status == -signal.SIGKILL:
            hint = "its host does that when it runs out of memory; each guest takes up to 1 GiB, or more if it says so"
        return RunError(f"the guest's process was killed by {signal.Signals(-status).name}", hint=hint)
