# SPDX-License-Identifier: MIT
"""report.html of an experiment and its tables in a terminal."""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.console import Console

from lab.drawing import lay_out
from lab.experiments.output import figures, files, tables
from lab.experiments.output.files import junit
from lab.experiments.output.page import page, repetitions
from lab.experiments.types import Claim, Contents, FigureSpec, Repetitions, Results, TrialMetric, Verdict
from tests.unit.report.test_pages import Page as Reader

from . import made


class Page(Reader):
    """Void elements of this page too."""

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Closes itself."""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        super().handle_starttag(tag, attrs)
        if tag == "br":
            self.text += "\n"


def read(results: Results) -> Page:
    found = Page(page(results, [lay_out(chart) for chart in figures.charts(results)]))
    assert found.open == [] and found.fetched == []
    assert found.contents == found.sections
    return found


def test_the_page_names_the_files_of_the_stack() -> None:
    text = read(made.table1(contents=Contents(texts={"workloads/swp/server.sh": "d" * 64}))).text
    assert "workloads/swp/server.sh" in text and "d" * 64 in text


def test_the_page_says_it_all() -> None:
    found = read(made.table1())
    assert found.contents == ["claims", "figures", "means", "setup", "reproduce"]
    text = found.text
    for wanted in (
        "swp/table1",
        "Transfer time of a page over TCP and over SWP.",
        "table 1 of 000_7063b03116d96143.txt",
        "1 of 2 claims does not hold",
        "✓ holds",
        "✗ fails",
        "geomean(tcp / swp-approximate) = 1.428",
        "between 1.2 and 1.4",
        "1.43",
        made.TITLE,
        "ours / paper",
        "mean ± 95 % CI",
        "published (table 1",
        "lab reproduce swp/table1",
        "a" * 64,
        "6.12.48",
        "hostapd",
        "10 trials of each point",
        "1 to 10 at each point",
        "for seed in $(seq 1 10); do lab run office swp/web-transfer --set 'distance=2 m'",
    ):
        assert wanted in text, wanted


def test_computed_numbers_are_called_so() -> None:
    results = made.table1()
    entries = tuple(replace(entry, computed_by="model.py") for entry in results.experiment.published)
    text = read(replace(results, experiment=replace(results.experiment, published=entries))).text
    assert "ours / computed" in text and "computed (model.py)" in text
    assert "ours / paper" not in text and "published (table 1" not in text


def test_nothing_else_is_needed() -> None:
    results = made.table1()
    text = page(results, [lay_out(chart) for chart in figures.charts(results)])
    assert not re.search(r"url\(|@import|<script", text)


def test_failed_trials_are_shown_with_log_and_command() -> None:
    text = read(made.broken()).text
    assert "Failed: 12 of 150 trials" in text
    assert "distance 6 m, transport tcp, seed 1: sta1 is not associated after 5 s" in text
    assert "wpa_supplicant: CTRL-EVENT-DISCONNECTED\nap1: <deauth>" in text
    assert "runs/failed/6-1" in text
    assert "lab run office swp/web-transfer --set 'distance=6 m' --set 'transport=tcp' --seed 1\n" in text + "\n"
    assert "on the axis: 1 of 15 points: 6 m, tcp (10 trials without a value)." in text
    assert "Failed:" not in read(made.table1()).text


def test_many_failures_stay_readable() -> None:
    text = read(made.table1(fails=lambda labels, seed: seed > 5)).text
    assert "Failed: 75 of 150 trials" in text and "55 more, without their logs" in text
    assert text.count("To repeat it:") == 20


def test_what_comes_from_files_is_text_not_markup() -> None:
    evil = "<script>alert(1)</script>&amp;\x1b[31m\x00"
    shown = "<script>alert(1)</script>&amp;\\x1b[31m\\x00"
    verdict = Verdict(Claim(evil, evil, evil, evil), False, evil, evil)
    axis = made.axis(evil, evil, "b")
    results = made.results(
        [axis, made.TRANSPORT],
        [FigureSpec("line", evil, evil, "m", "transport")],
        lambda labels: 1.0,
        metric=TrialMetric("m", evil, evil),
        verdicts=[verdict],
        fails=lambda labels, seed: seed == 1,
        name=evil,
        about=evil,
        cites={"paper": evil, "figure": evil},
        path=evil,
    )
    outcomes = [
        replace(found, remark=evil, error=evil if found.error else None, log=evil) for found in results.outcomes
    ]
    results = replace(
        results, outcomes=tuple(outcomes), command=evil, hashes={evil: evil}, versions={evil: {evil: evil}}
    )
    found = read(results)
    assert found.text.count(shown) > 20 and "\x1b" not in found.text


@settings(deadline=None, max_examples=25)
@given(st.text(max_size=40), st.lists(st.text(min_size=1, max_size=40), min_size=1, max_size=3, unique=True))
def test_any_text_makes_a_page(name: str, labels: list[str]) -> None:
    axis = made.axis(name, *labels)
    figure = FigureSpec("bar", name, name, "transfer_time")
    results = made.results([axis], [figure], lambda labels: 1.0, fails=lambda labels, seed: seed == 1, about=name)
    read(results)
    said(results)


def test_an_experiment_with_nothing_to_show() -> None:
    results = made.results([], [], lambda labels: 1.0, repetitions=1, cites={}, about="")
    text = read(results).text
    assert "1 trial completed" in text and "the only point" in text
    empty = replace(results, rows=(), outcomes=(), experiment=replace(results.experiment, points=()))
    assert "Means" not in read(empty).text


def said(results: Results, width: int = 100) -> str:
    console = Console(width=width, color_system=None, record=True, file=Path("/dev/null").open("w"))  # noqa: SIM115
    console.print(tables.tables(results))
    return console.export_text()


def test_a_terminal_shows_rows_claims_and_verdict() -> None:
    text = said(made.table1())
    assert re.search(r"2 m +tcp +1\.\d\d\d ± 0\.0\d\d +0\.0\d+ +10 +1\.163 +0\.9", text)
    assert re.search(r"FAILED +mean speed-up", text) and re.search(r"passed +approximate", text)
    assert text.rstrip().endswith("1 of 2 claims does not hold")
    assert "Failed:" not in text


def test_a_terminal_shows_commands_that_can_be_copied() -> None:
    text = said(made.broken(), width=80)
    assert "12 of 150 trials failed; 1 of 2 claims does not hold" in text
    assert max(map(len, text.splitlines())) <= 80
    joined = re.sub(r" \\\n +", " ", text)
    assert (
        "  for seed in $(seq 1 10); do lab run office swp/web-transfer --set 'distance=6 m' --set 'transport=tcp' "
        "--seed $seed; done\n" in joined
    )


def test_what_comes_from_files_does_not_steer_the_terminal() -> None:
    evil = "[/red] [link=x] \x1b[31m \x9b31m"
    metric = TrialMetric("m", evil, evil)
    text = said(made.results([made.axis(evil, evil)], [], lambda labels: 1.0, metric=metric, repetitions=1))
    assert text.count("[/red]") >= 3 and "\x1b" not in text and "\x9b" not in text


def test_long_tables_are_cut_in_a_terminal() -> None:
    distance = made.axis("distance", *(f"{number} m" for number in range(100)), unit="m")
    text = said(made.results([distance], [], lambda labels: 1.0, repetitions=2))
    assert "and 60 more rows" in text


def without(**changes: Any) -> Callable[[Results], Results]:
    return lambda results: replace(results, **changes)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (without(verdicts=()), "150 trials completed; the experiment has no claims"),
        (without(verdicts=(made.FASTEST,)), "The claim holds, after 150 trials"),
        (without(verdicts=(made.FASTEST,) * 2), "All 2 claims hold, after 150 trials"),
        (without(verdicts=(made.SPEED,) * 2), "2 of 2 claims do not hold"),
    ],
)
def test_verdicts(change: Callable[[Results], Results], words: str) -> None:
    assert tables.verdict(change(made.table1())) == words


@pytest.mark.parametrize(
    ("values", "text"),
    [
        ([1.0], "1"),
        ([], None),
        ([2.0, 2.0], "2 ± 0"),
        ([1.45, 1.46, 1.44], "1.450 ± 0.025"),
        ([12000, 15000, 9000], "12000 ± 7448"),
        ([-60.5, -61.5], "\N{MINUS SIGN}61.0 ± 6.4"),
    ],
)
def test_means_have_as_many_digits_as_their_confidence(values: list[float], text: str | None) -> None:
    found = made.summary(values)
    assert tables.plus_minus(found.mean, found.ci95) == text


def test_repetitions_in_words() -> None:
    assert repetitions(Repetitions(1, 1)) == "1 trial of each point"
    rule = repetitions(Repetitions(3, 100, 0.05))
    assert rule == "3 to 100 trials of each point, until the 95 % confidence interval is within ±5 % of the mean"


def test_claims_that_were_not_judged_are_reported() -> None:
    results = made.table1(verdicts=[made.FASTEST], unjudged=(made.SPEED.claim,))
    left = "1 claim not evaluated: points that it needs were not run"
    assert tables.verdict(results) == f"1 of 2 claims evaluated: it holds, after 150 trials; {left}"
    assert (
        "\N{EN DASH} open" in read(results).text
        and "not evaluated: points that it needs were not run" in read(results).text
    )
    assert "not evaluated" in said(results)
    assert files.as_json(results)["unjudged"][0]["name"] == "mean speed-up"
    failed = made.table1(verdicts=[made.SPEED], unjudged=(made.FASTEST.claim,))
    assert tables.verdict(failed) == f"The claim does not hold, after 150 trials; {left}"


@pytest.mark.parametrize(
    ("unjudged", "why"),
    [
        (1, "the claim could not be evaluated: points that it needs were not run"),
        (2, "none of the 2 claims could be evaluated: points that they need were not run"),
    ],
)
def test_no_claim_holds_if_none_was_judged(unjudged: int, why: str) -> None:
    results = made.table1(verdicts=[], unjudged=(made.SPEED.claim, made.FASTEST.claim)[:unjudged])
    assert tables.verdict(results) == f"150 trials completed; {why}"
    assert "hold" not in read(results).text.partition("Claims")[0]
    assert "✓" not in read(results).text


def test_remarks_are_reported() -> None:
    results = made.table1()
    damaged = replace(results.outcomes[3], remark="what was stored was damaged, so it was run again")
    found = read(replace(results, outcomes=(damaged, *results.outcomes[1:])))
    assert "1 remark on trials" in found.text and "was damaged, so it was run again" in found.text


def test_the_written_page_is_this_page(tmp_path: Path) -> None:
    results = made.table1()
    path = files.write(results, tmp_path, formats=[])
    assert path.read_text(encoding="utf-8") == page(results, [lay_out(chart) for chart in figures.charts(results)])


@pytest.mark.parametrize(("key", "words"), [("cause", "Cause: "), ("guess", "A guess, not tested: ")])
def test_why_a_claim_does_not_hold_is_reported_where_it_fails(key: str, words: str) -> None:
    reason = "the office of the paper had a bad place at 8 m"
    for verdict, reported in ((replace(made.FASTEST, passed=False), True), (replace(made.FASTEST, passed=True), False)):
        given: dict[str, Any] = {key: (("", reason),)}
        claim_with_reason = replace(verdict.claim, **given)
        results = made.table1(verdicts=[replace(verdict, claim=claim_with_reason)])
        console = Console(width=200, file=io.StringIO())
        console.print(tables.tables(results))
        assert isinstance(console.file, io.StringIO)
        for text in (read(results).text, console.file.getvalue(), junit(results)):
            assert (words + reason in text) is reported
        (claim,) = files.as_json(results)["claims"]
        assert claim[key] == reason


@pytest.mark.parametrize("paper", [None, "the shortest transfer time"])
def test_what_we_say_is_not_shown_as_the_papers(paper: str | None) -> None:
    claim = replace(made.FASTEST.claim, paper=paper, because="damaged frames are delivered")
    results = made.table1(verdicts=[replace(made.FASTEST, claim=claim)])
    table = tables.claims(results)
    titles = {column.title: column.key for column in table.columns}
    assert titles["claimed because"] == "because" and ("the paper says" in titles) == (paper is not None)
    assert table.rows[0]["because"] == claim.because
    assert "Claimed because: damaged frames are delivered" in read(results).text
    assert "claimed because: damaged frames are delivered" in junit(results)
    assert files.as_json(results)["claims"][0]["because"] == claim.because
