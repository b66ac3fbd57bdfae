# SPDX-License-Identifier: MIT
"""Captures the medium: the kernel shows its frames on an interface of their own, tcpdump writes them to a file.

The kernel hands over frames in blocks, and the last block stays there. So the capture continues after the end of the
timeline; the host drops the later frames (lab.captures).
"""

from __future__ import annotations

import re
import signal
from collections.abc import Callable, Sequence
from pathlib import Path

from lab.guest import commands, ready
from lab.guest.errors import GuestError
from lab.guest.loop import Loop, now_ns
from lab.guest.tasks import Task
from lab.shared.paths import DAEMON_LOGS

START_TIMEOUT_NS = 5_000_000_000
# the kernel hands over a partial block once it is unchanged for two of tcpdump's timeouts of 1 s
SETTLE_NS = 2_500_000_000
_DROPPED = re.compile(r"^(\d+) packets? dropped by (kernel|interface)", re.MULTILINE)
_STATISTICS = Path("/sys/class/net") / commands.AIR_INTERFACE / "statistics"


class AirCapture:
    """A running capture. ``task`` is its tcpdump."""

    def __init__(self, loop: Loop, argv: Sequence[str], on_exit: Callable[[Task], None]) -> None:
        """Start, and wait until it captures every frame. ``on_exit`` is called when it ends.

        Raises:
            GuestError: If tcpdump does not start.
        """
        self._loop = loop
        self.task = Task(loop, "tcpdump of the air", argv, DAEMON_LOGS / "air-tcpdump.log", on_exit=on_exit)
        listening = ready.logged(self.task, "listening on")
        loop.wait_for(
            lambda: listening() or not self.task.alive,
            START_TIMEOUT_NS,
            "tcpdump to capture the air",
            culprit=self.task.name,
            logs=self.task.logs,
        )
        self._check_alive()
        self._dropped_before = _rx_dropped()

    def finish(self) -> None:
        """Let it write the frames that the kernel holds, and end it.

        Raises:
            GuestError: If frames were lost, or tcpdump has already ended.
        """
        self._loop.run_until(now_ns() + SETTLE_NS, lambda: not self.task.alive)
        self._check_alive()
        dropped = _rx_dropped() - self._dropped_before
        self.task.send(signal.SIGINT)
        self._loop.wait_for(
            lambda: not self.task.alive, START_TIMEOUT_NS, "tcpdump of the air to end", logs=self.task.logs
        )
        lost = lost_frames(self.task.out.read_text(errors="replace")) + dropped
        if lost:
            raise GuestError(f"--pcap air: the capture lost {lost} frames", logs=self.task.logs)

    def _check_alive(self) -> None:
        if not self.task.alive:
            raise GuestError(f"{self.task.name} {self.task.describe_end()}", self.task.name, self.task.logs)


def lost_frames(log: str) -> int:
    """Return the number of lost frames in tcpdump's summary.

    Raises:
        GuestError: If the log has no summary.
    """
    found = _DROPPED.findall(log)
    if not any(by == "kernel" for _, by in found):
        raise GuestError("--pcap air: tcpdump does not report how many frames were lost")
    return sum(int(number) for number, _ in found)


def _rx_dropped() -> int:
    """Return the number of frames that were lost between the medium and tcpdump's buffer."""
    return int((_STATISTICS / "rx_dropped").read_text())
