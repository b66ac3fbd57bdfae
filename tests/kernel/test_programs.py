# SPDX-License-Identifier: MIT
"""Programs of a guest see a correct processor, by seccomp and by ptrace, and the same one."""

from __future__ import annotations

import os
import re
import signal
import subprocess
from pathlib import Path

import pytest

from tests.kernel.first_program import initrd_of
from tests.kernel.test_kunit import TIMEOUT_S, boot, command, environment

pytestmark = pytest.mark.guest

WAYS = ("on", "off")  # seccomp=
CASES = [
    "system-calls-keep-registers",
    "page-faults-keep-registers",
    "a-run-provides-the-rest-of-its-window",
    "a-write-far-from-others-provides-one-page",
    "the-first-page-of-an-area-is-a-run",
    "it-ends-with-its-area",
    "reads-provide-nothing-ahead",
    "shared-memory-is-not-provided-ahead",
    "children-have-copies-of-what-was-provided",
    "threads",
    "fork",
    "illegal-instruction",
    "breakpoint",
    "division-by-zero",
    "store-to-read-only",
    "store-to-nothing",
    "interrupted-call",
    "traced",
    "a-new-program-starts-clean",
    "monotonic-clock",
    "real-clock",
    "raw-clock",
    "timers-fire-while-a-program-reads-the-clock",
    "time-of-day",
    "time-stamp-counter",
    "waiting-for-the-counter-ends",
    "no-other-way-to-the-counter",
    "the-vdso-counts-reads",
    "a-program-that-writes-to-the-kernels-pages-harms-itself",
]


@pytest.fixture(scope="module")
def initrd(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An archive that holds tests/kernel/programs.c as /init."""
    return initrd_of("programs.c", tmp_path_factory.mktemp("programs"), "-pthread", "-Wl,-e,entry", "-O1")


@pytest.fixture(scope="module")
def logs(initrd: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """What the program printed, for each way to run it."""
    return {
        way: boot(
            tmp_path_factory.mktemp("way"),  # equally long: the path is on the program's stack
            f"initrd={initrd}",
            "root=/dev/ram0",
            "norandmaps",
            "quiet",
            "lab.seed=1",
            f"seccomp={way}",
        )
        for way in WAYS
    }


def reported(log: str) -> dict[str, str]:
    """Verdict of each case."""
    lines = re.findall(r"^(ok|not ok) (\S+?)(?:: (.*))?$", log, re.MULTILINE)
    return {name: verdict if verdict == "ok" else reason for verdict, name, reason in lines}


@pytest.mark.parametrize("way", WAYS)
def test_programs_come_out_right(logs: dict[str, str], way: str) -> None:
    verdicts = reported(logs[way])
    assert {name: verdicts.get(name) for name in CASES} == dict.fromkeys(CASES, "ok"), logs[way]
    assert set(verdicts.values()) == {"ok"}
    assert "\ndone\n" in logs[way]


def test_both_ways_are_the_same_to_the_byte(logs: dict[str, str]) -> None:
    def plain(log: str) -> list[str]:
        # which host process failed, and how, is the one thing that each tells in its own words
        return [line for line in log.splitlines() if "stub" not in line and "userspace" not in line]

    assert plain(logs["on"]) == plain(logs["off"])


def test_a_program_whose_host_process_is_killed_is_missed(initrd: Path, tmp_path: Path) -> None:
    arguments = [f"initrd={initrd}", "root=/dev/ram0", "quiet", "seccomp=on", "--", "spin"]
    with subprocess.Popen(
        command(tmp_path, *arguments),
        env=environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
    ) as kernel:
        try:
            assert kernel.stdout is not None
            for line in kernel.stdout:
                if "spinning" in line:
                    break
            children = Path(f"/proc/{kernel.pid}/task/{kernel.pid}/children").read_text().split()
            for child in children:
                os.kill(int(child), signal.SIGKILL)
            rest, _ = kernel.communicate(timeout=TIMEOUT_S)
        finally:
            kernel.kill()
    assert re.search(r"stub \d+ ended \(signal 9\)", rest), rest
    assert "Attempted to kill init" in rest


def test_an_unknown_way_is_refused(tmp_path: Path) -> None:
    assert "seccomp=fast is none of on, off, auto" in boot(tmp_path, "seccomp=fast")
