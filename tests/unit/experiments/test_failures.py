# SPDX-License-Identifier: MIT
"""Failed trials and remarks in a terminal: nothing is dropped, nothing is said twice."""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console, Group

from lab.errors import InputError
from lab.experiments.command import ReproduceOptions, reproduce
from lab.experiments.output.trials import failures, remarks
from lab.experiments.types import Results, TrialOutcome
from tests.refused import refused

from . import made


def sweep(
    error: Callable[[TrialOutcome], str | None] = lambda found: None,
    change: Callable[[TrialOutcome], TrialOutcome] = lambda found: found,
    points: int = 2,
) -> Results:
    """Trials of some distances, seeds 1 to 10; those that have an ``error`` failed with it."""
    axis = made.axis("distance", *(f"{2 * number} m" for number in range(1, points + 1)), unit="m")
    results = made.results([axis], [], lambda labels: 1.0)
    outcomes = [
        replace(found, error=error(found), log=f"out/failed/{found.seed}" if error(found) else None)
        for found in results.outcomes
    ]
    return replace(results, outcomes=tuple(map(change, outcomes)))


def said(results: Results, width: int = 110) -> str:
    out = io.StringIO()
    Console(file=out, width=width, color_system=None).print(Group(*failures(results)))
    return out.getvalue()


def ended(found: TrialOutcome, log: str = "one\n    two") -> str:
    return f"x.yaml:7: exec h1: ls ended with 2: \n  last lines of out/failed/{found.seed}/console.log:\n    {log}"


def test_a_failed_trial_is_shown_with_message_log_directory_and_command() -> None:
    text = said(sweep(lambda found: ended(found) if (found.point, found.seed) == (1, 3) else None))
    assert text == (
        "Failed: 1 of 20 trials\n"
        "\n"
        "distance 4 m, seed 3: x.yaml:7: exec h1: ls ended with 2\n"
        "  last lines of out/failed/3/console.log:\n"
        "    one\n"
        "    two\n"
        "  kept in out/failed/3\n"
        "\n"
        "Commands to repeat them:\n"
        "  lab run office swp/web-transfer --set 'distance=4 m' --seed 3\n"
        "\n"
    )


def test_those_that_fail_alike_are_shown_once_and_all_named() -> None:
    def error(found: TrialOutcome) -> str | None:
        if found.point == 0:
            return f"virtual time stood still at {found.seed}.25 s\n    log {found.seed}"
        return "killed" if found.seed in (2, 4, 5, 6) else None

    text = said(sweep(error))
    assert text.startswith(
        "Failed: 14 of 20 trials\n"
        "\n"
        "distance 2 m, seed 1: virtual time stood still at 1.25 s\n"
        "    log 1\n"
        "  kept in out/failed/1\n"
        "  9 more fail the same way: distance 2 m, seeds 2 to 10\n"
        "\n"
        "distance 4 m, seed 2: killed\n"
        "  kept in out/failed/2\n"
        "  3 more fail the same way: distance 4 m, seeds 4 to 6\n"
    )
    assert "for seed in $(seq 1 10); do" in text and "for seed in 2 4 5 6; do" in text


def test_of_many_kinds_and_long_logs_the_beginning_and_the_end_are_shown() -> None:
    log = "\n    ".join(f"line {number}" for number in range(40))
    text = said(sweep(lambda found: f"reason {found.seed}\n  last lines of x:\n    {log}" if found.point else None))
    assert "  last lines of x:\n    line 29\n" in text and "    line 39\n" in text and "line 28\n" not in text
    assert text.count("kept in") == 5
    two = f"  last lines of x.out:\n    a\n  last lines of x.err:\n    {log}"
    text = said(sweep(lambda found: f"reason {found.seed}\n{two}" if found.point else None))
    assert "  last lines of x.err:\n    line 29\n" in text and "x.out" not in text
    assert "and 5 trials that failed differently: see the report" in text


def test_what_left_nothing_says_so() -> None:
    text = said(sweep(lambda found: " : " if found.seed == 1 else None, lambda found: replace(found, log=None)))
    assert "distance 2 m, seed 1: failed\n  its directory was not kept\n" in text
    assert failures(sweep()) == []


def test_a_narrow_terminal_breaks_lines_and_keeps_them_indented() -> None:
    text = said(sweep(lambda found: ended(found, "word " * 30) if found.seed == 1 else None), 50)
    assert max(map(len, text.splitlines())) <= 50
    assert "    word word" in text and "\nword" not in text


def test_a_check_that_fails_again_and_again_is_reported_once() -> None:
    def change(found: TrialOutcome) -> TrialOutcome:
        unmet = ("loss.max < 5%",) if (found.point == 0 and found.seed > 2) or found.seed == 5 else ()
        return replace(found, unmet=unmet, remark="it was damaged" if found.seed == 2 else None)

    assert remarks(sweep(change=change)) == [
        "it was damaged: distance 2 m, seed 2; distance 4 m, seed 2",
        'check "loss.max < 5%" failed in 9 of 20 trials: distance 2 m, seeds 3 to 10; distance 4 m, seed 5',
    ]
    assert remarks(sweep()) == []


def test_of_many_points_some_are_named() -> None:
    (line,) = remarks(sweep(change=lambda found: replace(found, unmet=("a < b",)), points=9))
    assert line.endswith("distance 10 m, seeds 1 to 10; and at 4 more points")
    (line,) = remarks(sweep(change=lambda found: replace(found, unmet=("a < b",)), points=6))
    assert line.endswith("distance 12 m, seeds 1 to 10")


@pytest.mark.parametrize("address", ["http://10.0.0.2:8787/status", "https://10.0.0.2"])
def test_the_address_of_a_dashboard_is_refused(tmp_path: Path, address: str) -> None:
    assert refused(reproduce, ReproduceOptions(str(tmp_path), scheduler=address)).splitlines() == [
        f"--dask {address}: this is the address of a dashboard, not of a scheduler",
        "  write --dask tcp://10.0.0.2:8786, or what dask scheduler prints as its address",
    ]
    for other in ("tcp://10.0.0.2:8786", "tls://host:8786", "host:8786", None):
        with pytest.raises(InputError, match="does not exist"):
            reproduce(ReproduceOptions(str(tmp_path), scheduler=other))
