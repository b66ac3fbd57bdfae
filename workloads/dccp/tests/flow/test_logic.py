# SPDX-License-Identifier: MIT
"""What flow counts, and its packets: by the tests in checks.c, under sanitizers."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

from workloads.dccp.tests.building import FLOW, changed, compiled

CHECKS = Path(__file__).parent / "checks.c"
START_S = 1767225600
NAMES = re.findall(r"TEST\((\w+)\)[,;]", CHECKS.read_text())


@pytest.fixture(scope="session")
def checks(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(tmp_path_factory.mktemp("checks"))


def build(to: Path, tally: Path = FLOW / "tally.c") -> Path:
    return compiled(to / "checks", [CHECKS, tally, FLOW / "packet.c", FLOW / "report.c"])


def run(checks: Path, name: str) -> list[dict[str, Any]]:
    """Return the lines of a test that prints some."""
    done = subprocess.run([checks, name], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.mark.parametrize("name", NAMES)
def test_check(checks: Path, name: str) -> None:
    run(checks, name)


def test_all_checks_have_their_test(checks: Path) -> None:
    assert subprocess.run([checks], capture_output=True, text=True).stdout.split() == NAMES


def test_lines_of_intervals(checks: Path) -> None:
    lines = run(checks, "intervals")
    assert [line["t_s"] for line in lines] == [f"{START_S + second}.000000000" for second in range(1, 6)]
    assert [line["packets"] for line in lines] == [2, 0, 0, 1, 1]
    assert [line["lost"] for line in lines] == [1, 0, 0, -1, 2]
    assert [line["out_of_order"] for line in lines] == [0, 0, 0, 1, 0]
    assert [line["delay_mean_ns"] for line in lines] == [150e6, None, None, 3.4e9, 100e6]
    assert [line["delay_min_ns"] for line in lines] == [100e6, None, None, 3.4e9, 100e6]
    assert [line["delay_change_ns"] for line in lines] == [100e6, None, None, 3.2e9, 3.3e9]


def test_lines_before_the_first_packet(checks: Path) -> None:
    lines = run(checks, "late_first_packet")
    assert [line["packets"] for line in lines] == [0, 0, 1]
    assert lines[-1]["delay_change_ns"] is None and lines[-1]["lost"] == 7


def test_no_interval_if_nothing_arrived(checks: Path) -> None:
    assert run(checks, "nothing_arrived") == []


@pytest.mark.parametrize(
    ("old", "new", "caught_by"),
    [
        ("- tally->jitter_ns) / 16", "- tally->jitter_ns) / 8", "jitter_of_rfc_3550"),
        ("tally->now.lost--;", "", "orders"),
        ("<= TALLY_WINDOW_PACKETS && test_and_set", "< TALLY_WINDOW_PACKETS && test_and_set", "orders"),
        ("forget(tally, tally->next);", "forget(tally, tally->next + 1);", "orders"),
    ],
)
def test_the_checks_see(tmp_path: Path, old: str, new: str, caught_by: str) -> None:
    """Each fires for a tally that counts wrongly."""
    wrong = build(tmp_path, changed(tmp_path, "tally.c", old, new))
    with pytest.raises(AssertionError, match=rf"{caught_by}:\d+: "):
        run(wrong, caught_by)
