# SPDX-License-Identifier: MIT
"""How far a sweep is, in words."""

from __future__ import annotations

import pytest

from lab import terminal
from lab.experiments import command
from lab.experiments.run.engine import SweepProgress
from lab.report.terminal import rich_table
from lab.tables import Column, Table, words


def test_a_sweep_reports_what_is_done_failed_and_left() -> None:
    sweep = SweepProgress(done=12, failed=0, cached=0, total=30, virtual_s=240, wall_s=31.4, eta_s=39.6)
    assert command.describe_sweep(sweep) == "12 of 30 trials, 40 s left; 240 s virtual, 31 s wall"
    ended = SweepProgress(done=30, failed=2, cached=30, total=30, virtual_s=0, wall_s=0.4, eta_s=None)
    assert command.describe_sweep(ended) == "30 of 30 trials, 2 failed; 0 s virtual, 0 s wall"


def test_an_interrupt_of_a_sweep_reports_what_is_stored() -> None:
    sweep = SweepProgress(done=12, failed=2, cached=3, total=30, virtual_s=240, wall_s=31.4, eta_s=39.6)
    stored = "10 of 30 trials are stored; "
    assert command.describe_interrupted(sweep, fresh=False) == f"{stored}repeat the command to continue"
    assert command.describe_interrupted(sweep, fresh=True) == f"{stored}repeat the command without --fresh to continue"
    begun = SweepProgress(done=1, failed=1, cached=0, total=30, virtual_s=0, wall_s=0.4, eta_s=None)
    for nothing in (begun, None):
        for fresh in (False, True):
            said = command.describe_interrupted(nothing, fresh=fresh)
            assert said == "no trial has finished; repeat the command to start again"


def test_a_pipe_gets_no_blanks_at_the_ends_of_lines(capsys: pytest.CaptureFixture[str]) -> None:
    columns = [words("name", "name"), Column("x", "x")]
    terminal.console().print(
        rich_table(Table("t", "title", columns, [{"name": "a", "x": 1}, {"name": "bcd", "x": 20}]))
    )
    assert capsys.readouterr().out.splitlines() == ["title", "", " name   x", " ────────", " a      1", " bcd   20", ""]


def test_without_a_terminal_a_line_now_and_then(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(terminal, "LINE_EVERY_S", 0.0)
    monkeypatch.setattr(terminal, "_errors", lambda: None)
    with command._TrialBar() as bar:
        bar.update(SweepProgress(done=1, failed=0, cached=0, total=2, virtual_s=10, wall_s=2, eta_s=2))
    assert capsys.readouterr().err == "1 of 2 trials, 2 s left; 10 s virtual, 2 s wall\n"
