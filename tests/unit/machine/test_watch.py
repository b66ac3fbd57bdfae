# SPDX-License-Identifier: MIT
"""What the watch makes of the log of a guest that has ended."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path
from typing import cast

import pytest

from lab.errors import RunError
from lab.machine.process import GuestProcess
from lab.machine.watch import Watch, kernel_complaint


class Ended:
    """A guest that is off."""

    ended = GuestProcess.ended

    def __init__(self, run: Path) -> None:
        self.run = run
        self.started_s = time.monotonic()
        self.process = subprocess.Popen([sys.executable, "-c", ""])

    def pulse(self) -> None:
        """It never had one."""


def follow(run: Path, console: str, guest_json: str | None = '{"error": null}') -> None:
    (run / "console.log").write_text(console)
    if guest_json is not None:
        (run / "guest.json").write_text(guest_json)
    watch = Watch(cast(GuestProcess, Ended(run)), run, 1)
    while watch.step():
        pass
    watch.judge()


def test_a_quiet_log_is_no_failure(tmp_path: Path) -> None:
    follow(tmp_path, "[    0.000000] DCCP is deprecated\n[   30.000000] reboot: Power down\n")


def test_a_full_disk_is_told_with_what_to_do(tmp_path: Path) -> None:
    log = "Traceback (most recent call last):\nOSError: [Errno 28] No space left on device\nlab-init: the agent ended\n"
    with pytest.raises(RunError, match=r"no space left in .*: \d+ MB free(.|\n)*--out DIR"):
        follow(tmp_path, log, None)


def test_an_agent_that_fails_is_not_the_kernel(tmp_path: Path) -> None:
    with pytest.raises(RunError, match="the guest failed: lab-init: the agent died of signal 9"):
        follow(tmp_path, "lab-init: the agent died of signal 9\n", None)


def test_a_guest_that_ends_early_says_so(tmp_path: Path) -> None:
    with pytest.raises(RunError, match="ended before the run was over"):
        follow(tmp_path, "reboot: Power down\n", None)


@pytest.mark.parametrize(
    "line",
    [
        "WARNING: CPU: 0 PID: 1 at net/core/dev.c:1",
        "BUG: unable to handle page fault",
        "Kernel panic - not syncing: x",
        "watchdog: BUG: soft lockup - CPU#0 stuck",
        "Oops: general protection fault",
    ],
)
def test_each_kind_of_complaint_is_seen(line: str) -> None:
    assert kernel_complaint(f"[    1.000000] harmless\n[    2.000000] {line}\n") == f"[    2.000000] {line}"


class Beating(Ended):
    """A guest at an uptime."""

    uptime_ns = 0

    def pulse(self) -> tuple[int, int]:  # type: ignore[override]
        return self.uptime_ns, 0


def test_a_command_that_does_not_end_is_told(tmp_path: Path) -> None:
    guest = Beating(tmp_path)
    watch = Watch(cast(GuestProcess, guest), tmp_path, 2 * 3600 * 10**9, stall_wall_s=60.0)
    now_s = time.monotonic()
    watch.look_at_command("h1 true", now_s)
    watch.look_at_command("h1 true", now_s)
    with pytest.raises(RunError, match="^h1 loop: virtual time stood still for 60 s of wall time") as stood:
        stopped = Watch(cast(GuestProcess, guest), tmp_path, 1, stall_wall_s=60.0)
        stopped.look_at_command("h1 loop\n", now_s)
        stopped._moved_s -= 100  # while a user thought about the next command, which counts from its start
        stopped.look_at_command("h1 loop\n", now_s)
        stopped.look_at_command("h1 loop\n", now_s - 61)
    assert "busy loop" in str(stood.value)
    guest.uptime_ns = 3 * 3600 * 10**9
    with pytest.raises(RunError, match="^sta1 ping h1: did not end within 2 h of virtual time"):
        watch.look_at_command("sta1 ping h1\n", now_s)
