# SPDX-License-Identifier: MIT
"""What counts as a guest's standing still, with planted clocks and processes; and how processes are read."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from lab.machine.standstill import LOOK_S, Standstill, Used, used_below


class Host:
    """A clock, and the processes of a guest: what each look sees."""

    def __init__(self) -> None:
        self.now_s = 100.0
        self.used: dict[int, Used] = {}
        self.looks = 0

    def clock(self) -> float:
        return self.now_s

    def look(self) -> Mapping[int, Used]:
        self.looks += 1
        return dict(self.used)

    def after(self, still: Standstill, seconds: float, **processes: tuple[str, float]) -> float:
        """Let time pass, in which processes (p1=, p2=, …) have come to a state and used that much in all; look."""
        self.now_s += seconds
        self.used = {int(name[1:]): Used(*used) for name, used in processes.items()}
        return still.seen_s()


@pytest.fixture
def host() -> Host:
    return Host()


@pytest.fixture
def still(host: Host) -> Standstill:
    made = Standstill(host.look, host.clock)
    host.after(made, 1.0, p1=("S", 5.0), p2=("S", 0.0))
    return made


def test_what_it_used_before_does_not_count(still: Standstill) -> None:
    assert still.seen_s() == 0.0


def test_a_loop_counts_by_its_processor_time(host: Host, still: Standstill) -> None:
    assert host.after(still, 1.0, p1=("S", 5.0), p2=("R", 1.0)) == 1.0
    assert host.after(still, 1.0, p1=("S", 5.25), p2=("R", 1.5)) == 1.75
    assert still.kind == "processor time"


def test_a_guest_that_gets_an_eighth_of_a_core_is_given_eight_times_as_long(host: Host, still: Standstill) -> None:
    for second in range(1, 81):
        seen_s = host.after(still, 1.0, p1=("R", 5.0), p2=("S", second / 8))
    assert seen_s == 10.0


def test_a_guest_that_hangs_counts_by_the_time_in_which_all_of_it_waits(host: Host, still: Standstill) -> None:
    for _ in range(10):
        seen_s = host.after(still, 1.0, p1=("S", 5.0), p2=("S", 0.0))
    assert seen_s == 10.0 and still.kind == "waiting"


@pytest.mark.parametrize("state", ["R", "D", "T"])
def test_a_guest_that_is_kept_from_working_is_not_to_blame(host: Host, still: Standstill, state: str) -> None:
    """It waits for a core or for a disk, or SIGSTOP has stopped it."""
    for _ in range(1000):
        seen_s = host.after(still, 1.0, p1=("S", 5.0), p2=(state, 0.0))
    assert seen_s == 0.0


@pytest.mark.parametrize("state", ["S", "I", "t", "Z"])
def test_other_states_are_no_excuse(host: Host, still: Standstill, state: str) -> None:
    """Even that of a process which another one traces: a guest that traces its stubs hangs in that state."""
    assert host.after(still, 1.0, p1=("S", 5.0), p2=(state, 0.0)) == 1.0


def test_hours_between_two_looks_count_as_two_seconds(host: Host, still: Standstill) -> None:
    """Whoever was to look did not run either: the host was suspended, or stopped both."""
    assert host.after(still, 7200.0, p1=("S", 5.0), p2=("S", 0.0)) == 2 * LOOK_S


def test_a_restart_forgets(host: Host, still: Standstill) -> None:
    host.after(still, 1.0, p1=("S", 9.0))
    host.after(still, 1.0, p1=("S", 9.0))
    still.restart()
    assert still.seen_s() == 0.0
    assert host.after(still, 1.0, p1=("S", 90.0)) == 0.0
    assert host.after(still, 1.0, p1=("S", 90.5)) == 0.5


def test_processes_that_begin_or_end_count_what_they_used(host: Host, still: Standstill) -> None:
    assert host.after(still, 1.0, p1=("S", 5.0), p3=("R", 0.25)) == 0.25
    assert host.after(still, 1.0, p1=("S", 5.5)) == 0.75  # its children that have ended are in its own


def test_it_looks_once_a_second(host: Host, still: Standstill) -> None:
    before = host.looks
    for _ in range(20):
        host.after(still, LOOK_S / 8, p1=("S", 5.0))
    assert host.looks == before + 2


SPINS_BELOW = """
import os, time
if os.fork() == 0:
    while True: pass
os.kill(os.getpid(), 19)
"""


@pytest.fixture
def tree() -> Iterator[subprocess.Popen[bytes]]:
    """A process that has stopped itself, above one that spins; its name is that of a hostile program."""
    process = subprocess.Popen([sys.executable, "-c", SPINS_BELOW], process_group=0)
    os.waitid(os.P_PID, process.pid, os.WSTOPPED | os.WNOWAIT)
    yield process
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def test_used_below_reads_state_and_time_of_a_process_and_those_below_it(tree: subprocess.Popen[bytes]) -> None:
    found = used_below(tree.pid)
    assert found[tree.pid].state == "T"
    (child,) = set(found) - {tree.pid}
    assert found[child].state == "R"
    while used_below(tree.pid)[child].processor_s < found[child].processor_s + 0.05:  # until it has used some
        pass
    assert used_below(tree.pid)[tree.pid].processor_s == found[tree.pid].processor_s
    assert os.getpid() not in found


def test_used_below_sees_through_names_and_counts_children_that_have_ended(tmp_path: Path) -> None:
    for pid, parent, name in ((7, 1, "a) S 9"), (8, 7, "stub"), (9, 1, "other")):
        (tmp_path / str(pid)).mkdir()
        stat = f"{pid} ({name}) D {parent} 7 7 0 -1 0 1 2 3 4 100 20 3 4 20 0 1 0 5\n"
        (tmp_path / str(pid) / "stat").write_text(stat)
    (tmp_path / "self").mkdir()
    (tmp_path / "10").mkdir()  # it ended a moment ago
    used_s = 127 / os.sysconf("SC_CLK_TCK")
    assert used_below(7, tmp_path) == {7: Used("D", used_s), 8: Used("D", used_s)}
    assert used_below(77, tmp_path) == {}
