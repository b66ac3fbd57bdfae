# SPDX-License-Identifier: MIT
"""A run that takes too much of its host fails: one message that names the limit, and the key that raises it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from lab.errors import RunError
from lab.machine.watch import RunProgress
from lab.plan.load import load
from lab.runs.limits import Limits
from lab.shared.types import Plan

MIB = 1 << 20
WORKLOAD = """\
name: much
roles: {client: 1}
duration: 30 s
max_output: 3 MiB
processes:
  - {on: client, run: ["yes"], max_output: 1 MiB}
  - {on: client, run: [echo, a], as: small}
"""


@pytest.fixture
def plan(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Plan:
    monkeypatch.chdir(tmp_path)
    Path("w.yaml").write_text(WORKLOAD)
    Path("run/raw/daemon").mkdir(parents=True)
    return load("wired-pair", "w.yaml")


def write(name: str, size: int) -> None:
    """Make a file of that size, without its content, but with a last line."""
    path = Path("run", name)
    path.touch()
    os.truncate(path, size - 3)
    with path.open("a") as file:
        file.write("\ny\n")


def refusal(plan: Plan, progress: RunProgress | None = None, timeout_s: float | None = None) -> str:
    limits = Limits(plan, Path("run"), timeout_s)
    with pytest.raises(RunError) as failure:
        if progress:
            limits.look(progress)
        else:
            limits.judge()
    return str(failure.value)


def test_a_process_may_print_as_much_as_its_limit_on_both_streams_together(plan: Plan) -> None:
    write("raw/yes.out", MIB // 2)
    write("raw/yes.err", MIB // 2)
    Limits(plan, Path("run")).judge()
    write("raw/yes.err", MIB // 2 + 1)
    assert refusal(plan).startswith(
        "w.yaml:6: yes printed more than 1 MiB, the limit of its output\n  last lines of run/raw/yes.out:\n"
    )
    assert refusal(plan).endswith("\n    y\n  to allow more, write max_output: 3 MiB into that entry")


def test_a_running_process_is_reported_how_far_it_came(plan: Plan) -> None:
    write("raw/yes.out", 2 * MIB)
    said = refusal(plan, RunProgress(1_500_000_000, 2.0))
    assert "the limit of its output; it was ended at 1.5 s of 30 s of virtual time\n" in said
    assert "it was ended before its timeline began\n" in refusal(plan, RunProgress(None, 2.0))


def test_all_files_of_a_run_count_captures_included(plan: Plan) -> None:
    write("raw/capture.pcap", 2 * MIB)
    write("raw/daemon/ap1-hostapd.log", MIB)
    Limits(plan, Path("run")).judge()
    write("console.log", 3)
    assert refusal(plan) == (
        "the files of the run are larger than 3 MiB, the limit of its output; the largest is run/raw/capture.pcap, "
        "2 MiB\n  to allow more, write max_output: 7 MiB into the workload, or add --set 'max_output=7 MiB'"
    )


def test_there_are_limits_that_nobody_wrote() -> None:
    plan = load("one-ap", "ping/ping")
    assert (plan.max_output_bytes, {one.max_output_bytes for one in plan.processes}) == (1024 * MIB, {100 * MIB})
    assert "max_output" not in plan.to_json()


def test_wall_time_has_a_limit_only_if_the_user_gives_one(plan: Plan) -> None:
    late = RunProgress(2_000_000_000, 100.0)
    Limits(plan, Path("run")).look(late)
    Limits(plan, Path("run"), 100.0).look(late)
    assert refusal(plan, late, 99.5) == (
        "--timeout: the run with seed 1 took more than 99.5 s of wall time; it was ended at 2 s of 30 s of virtual time"
    )
