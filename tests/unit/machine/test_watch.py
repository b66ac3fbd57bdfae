# SPDX-License-Identifier: MIT
"""What the watch makes of the log of a guest that has ended."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import cast

import pytest

from lab.errors import RunError
from lab.machine.process import GuestProcess
from lab.machine.standstill import Standstill, Used
from lab.machine.watch import Watch, kernel_complaint


class Ended:
    """A guest that is off."""

    ended = GuestProcess.ended

    def __init__(self, run: Path, code: str) -> None:
        self.run = run
        self.started_s = time.monotonic()
        self.process = subprocess.Popen([sys.executable, "-c", code])

    def pulse(self) -> None:
        """It never had one."""


def follow(run: Path, console: str, guest_json: str | None = '{"error": null}', code: str = "") -> None:
    (run / "console.log").write_text(console)
    if guest_json is not None:
        (run / "guest.json").write_text(guest_json)
    watch = Watch(cast(GuestProcess, Ended(run, code)), run, 1)
    while watch.step():
        pass
    watch.judge()


def test_a_quiet_log_is_no_failure(tmp_path: Path) -> None:
    follow(tmp_path, "[    0.000000] random: crng init done\n[   30.000000] reboot: Power down\n")


def test_a_stub_that_the_host_has_killed_is_a_failure_unless_the_guest_names_its_program(tmp_path: Path) -> None:
    """A probe, or a program that is being stopped, may end as it likes: its output lacks something then."""
    log = "[   31.000000] stub 96 ended (signal 9)\n[   31.000000] reboot: Power down\n"
    with pytest.raises(RunError, match=r"^the guest has lost a process of the host .*: stub 96 ended \(signal 9\)\n"):
        follow(tmp_path, log)
    with pytest.raises(RunError, match=r"^sink was killed by SIGSEGV"):
        follow(tmp_path, log, json.dumps({"error": {"message": "sink was killed by SIGSEGV", "logs": []}}))


def test_a_full_disk_is_reported_with_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lab.machine.watch.free_bytes", lambda place: 1 << 20)
    log = "Traceback (most recent call last):\nOSError: [Errno 28] No space left on device\nlab-init: the agent ended\n"
    with pytest.raises(RunError, match=r"no space left in .*: \d+ MB free(.|\n)*--out DIR"):
        follow(tmp_path, log, None)


def test_a_full_guest_is_not_a_full_host(tmp_path: Path) -> None:
    log = "OSError: [Errno 28] No space left on device\nlab-init: the agent ended with status 1\n"
    with pytest.raises(RunError, match=r"^no space left in the guest; .*/console.log shows what failed\n"):
        follow(tmp_path, log, None)
    (tmp_path / "dd.err").write_text("dd: error writing '/big': No space left on device\n")
    reported = json.dumps({"error": {"message": "dd ended with status 1", "logs": ["dd.err"]}})
    with pytest.raises(RunError, match=r"^dd ended with status 1\n(.|\n)*\n  the guest is full: the files of its "):
        follow(tmp_path, "", reported)


def test_a_host_without_inodes_is_not_a_full_guest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    none_left = os.statvfs_result((4096, 4096, 1 << 30, 1 << 29, 1 << 29, 1000, 0, 0, 0, 255))
    monkeypatch.setattr("os.statvfs", lambda place: none_left)
    log = "OSError: [Errno 28] No space left on device\nlab-init: the agent ended with status 1\n"
    with pytest.raises(RunError, match=r"no space left in .*: no more files can be made \(df -i\)\n  free some"):
        follow(tmp_path, log, None)


@pytest.mark.parametrize("line", ["sysrq: Resetting", "reboot: Restarting system"])
def test_a_guest_that_restarts_is_reported_as_that(tmp_path: Path, line: str) -> None:
    log = f"[    2.000000] {line}\nFileExistsError: '/lab/run/raw/daemon'\nlab-init: the agent ended with status 1\n"
    with pytest.raises(RunError, match=r"^a program in a node restarted the guest, which ends a run\n"):
        follow(tmp_path, log, None)


@pytest.mark.parametrize(
    "log",
    [
        "lab-init: exec /usr/bin/python3: Accessing a corrupted shared library\n",
        "[    0.1] Can't find a SQUASHFS superblock on hostrom0\nlab-init: mount /base: Invalid argument\n",
        "[    0.1] SQUASHFS error: Unable to read page\nOSError: Input/output error\nlab-init: the agent ended\n",
    ],
)
def test_a_damaged_image_leads_to_lab_doctor(tmp_path: Path, log: str) -> None:
    with pytest.raises(RunError, match=r"the guest failed: lab-init(.|\n)*may be damaged: run lab doctor$"):
        follow(tmp_path, log, None)


@pytest.mark.parametrize("level", ["", "[    1.000000] python3[306]: segfault at 0 ip 0 sp 0 error 4 in libc.so.6\n"])
def test_a_crashed_program_is_judged_alike_at_every_level(tmp_path: Path, level: str) -> None:
    follow(tmp_path, f"{level}[   30.000000] reboot: Power down\n")


NOISE = "".join(f"[    0.000000] booting {number}\n" for number in range(20))


def test_a_panic_is_reported_with_what_follows_it_and_not_with_the_boot(tmp_path: Path) -> None:
    with pytest.raises(RunError) as failure:
        follow(tmp_path, f"{NOISE}[    3.000000] Kernel panic - not syncing: x\n[    3.000000] Call Trace:\n", None)
    assert str(failure.value) == (
        "the guest's kernel reported an error: [    3.000000] Kernel panic - not syncing: x\n"
        f"  the next lines of {tmp_path}/console.log:\n    [    3.000000] Call Trace:"
    )


def test_a_guest_without_memory_says_so(tmp_path: Path) -> None:
    log = f"{NOISE}[    3.000000] Out of memory: Killed process 77 (python3) total-vm:900kB\n[    4.000000] later\n"
    with pytest.raises(RunError) as failure:
        follow(tmp_path, log, None)
    said = str(failure.value)
    assert said.startswith("the guest ran out of memory: [    3.000000] Out of memory: Killed process 77 (python3)")
    assert "later" not in said and "booting" not in said


def test_a_guest_that_was_killed_says_by_what(tmp_path: Path) -> None:
    with pytest.raises(RunError) as failure:
        follow(tmp_path, NOISE, None, code="import os; os.kill(os.getpid(), 9)")
    assert str(failure.value).startswith("the guest's process was killed by SIGKILL\n  its host does that")
    assert "booting" not in str(failure.value)


def test_both_streams_of_a_process_are_shown_and_an_empty_one_is_not(tmp_path: Path) -> None:
    (tmp_path / "x.out").write_text("begun\n")
    (tmp_path / "x.err").write_text("no such file\n")
    reported = json.dumps({"error": {"message": "x ended with status 1", "logs": ["x.out", "x.err"]}})
    with pytest.raises(RunError) as failure:
        follow(tmp_path, NOISE, reported)
    assert str(failure.value) == (
        f"x ended with status 1\n  last lines of {tmp_path}/x.out:\n    begun\n"
        f"  last lines of {tmp_path}/x.err:\n    no such file"
    )
    (tmp_path / "x.out").write_text("")
    with pytest.raises(RunError, match=r"^x ended with status 1\n  last lines of .*/x.err:\n    no such file$"):
        follow(tmp_path, NOISE, reported)
    (tmp_path / "x.err").write_text("")
    with pytest.raises(RunError, match=r"^x ended with status 1\n  last lines of .*/x.err:\n    \(it wrote nothing\)$"):
        follow(tmp_path, NOISE, reported)


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
        "UBSAN: array-index-out-of-bounds in net/core/dev.c:1:2",
        "kmemleak: 3 new suspected memory leaks (see /sys/kernel/debug/kmemleak)",
    ],
)
def test_each_kind_of_complaint_is_seen(line: str) -> None:
    log = f"[    1.000000] harmless\n[    2.000000] {line}\n[    2.000000] more\n"
    assert kernel_complaint(log) == [f"[    2.000000] {line}", "[    2.000000] more"]


class Beating(Ended):
    """A guest at an uptime."""

    uptime_ns = 0

    def pulse(self) -> tuple[int, int]:  # type: ignore[override]
        return self.uptime_ns, 0


class Clock:
    """A clock, and a guest that waits for ever by it."""

    now_s = 0.0

    def __call__(self) -> float:
        return self.now_s

    def standstill(self) -> Standstill:
        return Standstill(lambda: {1: Used("S", 7.0)}, self)

    def pass_by(self, seconds: float, look: Callable[[], object]) -> None:
        """Let that time pass, with a look at the end of each second, and one now."""
        look()
        for _ in range(int(seconds)):
            self.now_s += 1.0
            look()


def test_a_command_that_does_not_end_is_reported(tmp_path: Path) -> None:
    guest, clock = Beating(tmp_path, ""), Clock()
    watch = Watch(cast(GuestProcess, guest), tmp_path, 2 * 3600 * 10**9, 60.0, clock.standstill())
    clock.pass_by(61, lambda: watch.check_command("h1 loop\n"))  # the first second only says what it had used before
    clock.now_s += 1000  # while a user thought about the next command, which counts from its start
    watch.resume()
    clock.pass_by(61, lambda: watch.check_command("h1 loop\n"))
    with pytest.raises(RunError, match="^h1 loop: virtual time stood still for 60 s of waiting") as stood:
        clock.pass_by(1, lambda: watch.check_command("h1 loop\n"))
    assert "busy loop" in str(stood.value)
    guest.uptime_ns = 3 * 3600 * 10**9
    with pytest.raises(RunError, match="^sta1 ping h1: did not end within 2 h of virtual time"):
        watch.check_command("sta1 ping h1\n")


def test_a_stall_of_a_node_without_memory_is_reported_as_that(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lab.machine.mconsole.running", lambda _scratch: None)
    (tmp_path / "console.log").write_text("[    2.006000] Thread Pool invoked oom-killer: gfp_mask=0x100cca, order=0\n")
    clock = Clock()
    watch = Watch(cast(GuestProcess, Beating(tmp_path, "")), tmp_path, 1, 60.0, clock.standstill())
    clock.pass_by(61, watch.look)
    with pytest.raises(RunError, match="s of waiting; the node in which Thread Pool runs is out of memory\n") as stood:
        clock.pass_by(1, watch.look)
    assert "write a larger memory: for its node" in str(stood.value)


@pytest.mark.parametrize(
    ("running", "said"),
    [("spinner (pid 7 in the guest)", "a busy loop stops virtual time"), (None, "its kernel does not answer either")],
)
def test_a_kernel_that_hangs_is_no_busy_loop(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, running: str | None, said: str
) -> None:
    monkeypatch.setattr("lab.machine.mconsole.running", lambda _scratch: running)
    (tmp_path / "console.log").touch()
    clock = Clock()
    watch = Watch(cast(GuestProcess, Beating(tmp_path, "")), tmp_path, 1, 60.0, clock.standstill())
    clock.pass_by(61, watch.look)
    with pytest.raises(RunError) as stood:
        clock.pass_by(1, watch.look)
    assert said in str(stood.value)
