# SPDX-License-Identifier: MIT
"""Captures what is on the medium: the kernel shows it on an interface of its own, tcpdump writes it to a file.

Not complete after the end of the timeline: frames come from the kernel in blocks, and the last block stays there. The
host leaves out what is later (lab.captures).
"""

from __future__ import annotations

import re
import signal
from collections.abc import Sequence
from pathlib import Path

from lab.guest import commands, ready
from lab.guest.errors import GuestError
from lab.guest.loop import Loop, now_ns
from lab.guest.tasks import Task
from lab.shared.paths import DAEMON_LOGS

START_TIMEOUT_NS = 5_000_000_000
# a block that is not full is handed over when the kernel finds it unchanged, twice, after tcpdump's timeout of 1 s
SETTLE_NS = 2_500_000_000
_DROPPED = re.compile(r"^(\d+) packets? dropped by (kernel|interface)", re.MULTILINE)
_STATISTICS = Path("/sys/class/net") / commands.AIR_INTERFACE / "statistics"


class AirCapture:
    """A capture that runs. ``task`` is its tcpdump."""

    def __init__(self, loop: Loop, argv: Sequence[str]) -> None:
        """Begin, and wait until nothing is missed any more.

        Raises:
            GuestError: tcpdump does not come up.
        """
        self._loop = loop
        self.task = Task(loop, "tcpdump of the air", argv, DAEMON_LOGS / "air-tcpdump.log")
        listening = ready.logged(self.task, "listening on")
        loop.wait_for(
            lambda: listening() or not self.task.alive,
            START_TIMEOUT_NS,
            "tcpdump to capture the air",
            culprit=self.task.name,
            log=self.task.log,
        )
        self._look_alive()
        self._dropped_before = _rx_dropped()

    def finish(self) -> None:
        """Let it write what the kernel holds, and end it.

        Raises:
            GuestError: frames were lost, or tcpdump has ended before.
        """
        self._loop.run_until(now_ns() + SETTLE_NS, lambda: not self.task.alive)
        self._look_alive()
        dropped = _rx_dropped() - self._dropped_before
        self.task.send(signal.SIGINT)
        self._loop.wait_for(
            lambda: not self.task.alive, START_TIMEOUT_NS, "tcpdump of the air to end", log=self.task.log
        )
        lost = lost_frames(self.task.out.read_text(errors="replace")) + dropped
        if lost:
            raise GuestError(f"--pcap air: {lost} frames of the air were lost by the capture", log=self.task.log)

    def _look_alive(self) -> None:
        if not self.task.alive:
            raise GuestError(f"{self.task.name} {self.task.describe_end()}", self.task.name, self.task.log)


def lost_frames(log: str) -> int:
    """How many frames tcpdump's summary says were lost.

    Raises:
        GuestError: there is no summary.
    """
    found = _DROPPED.findall(log)
    if not any(by == "kernel" for _, by in found):
        raise GuestError("--pcap air: tcpdump does not tell how many frames were lost")
    return sum(int(number) for number, _ in found)


def _rx_dropped() -> int:
    """Frames that were lost between the medium and tcpdump's buffer."""
    return int((_STATISTICS / "rx_dropped").read_text())
