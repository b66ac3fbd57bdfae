# SPDX-License-Identifier: MIT
"""However a lab ends, it leaves nothing behind: no process, no scratch directory, no memory file."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from lab import runs
from lab.machine import scratch
from tests.system.waiting import DEADLINE_S, until

pytestmark = pytest.mark.guest

LAB = Path(sys.executable).parent / "lab"


def _start(out: Path) -> subprocess.Popen[str]:
    """A run of ours, in a session of its own, as from a terminal; returns once its guest has a pulse."""
    command = [str(LAB), "run", "two-aps-handoff", "http/download", "--out", str(out)]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True
    )
    until(lambda: (out / "pulse").exists() or process.poll() is not None)
    assert process.poll() is None, process.communicate()[0]
    return process


def _directory_of(out: Path) -> Path:
    """The scratch directory of the guest that works in ``out``."""
    for candidate in scratch.PARENT.glob(f"{scratch.PREFIX}*"):
        link = candidate / "run"
        if link.is_symlink() and link.readlink() == out.resolve():
            return candidate
    raise AssertionError("no scratch directory")


def _processes(directory: Path) -> list[int]:
    return scratch._pids_of(directory)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_an_interrupted_run_leaves_nothing(tmp_path: Path, machine: runs.Machine, number: signal.Signals) -> None:
    out = tmp_path / "run"
    process = _start(out)
    home = _directory_of(out)
    assert _processes(home)
    process.send_signal(number)
    output, _ = process.communicate(timeout=DEADLINE_S)
    assert process.returncode == 128 + number
    assert "Traceback" not in output
    assert not home.exists()
    assert _processes(home) == []
    assert not out.exists()


def test_after_kill_9_the_guest_dies_and_the_next_start_cleans_up(tmp_path: Path, machine: runs.Machine) -> None:
    out = tmp_path / "run"
    process = _start(out)
    home = _directory_of(out)
    process.kill()
    process.communicate()
    until(lambda: not _processes(home))
    # the next start may be that of another lab on this machine, such as another test's
    scratch.clean_stale()
    assert not home.exists()


def test_a_running_guest_is_not_taken_for_stale(tmp_path: Path, machine: runs.Machine) -> None:
    out = tmp_path / "run"
    process = _start(out)
    home = _directory_of(out)
    scratch.clean_stale()
    assert home.exists()
    assert _processes(home)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=DEADLINE_S)
