# SPDX-License-Identifier: MIT
"""The report asks the view of each metric, and knows none itself."""

from __future__ import annotations

import dataclasses
import json
import re
from pathlib import Path

import pytest
from rich.console import Console

from lab.checkout import PACKAGE
from lab.cli.lists import print_list
from lab.metrics import base as metrics
from lab.record import Record
from lab.report import html
from lab.report.tables import tables
from lab.report.terminal import rich_table
from lab.views import base as views
from lab.views import outage
from lab.views.parts.lines import moments, rules

OWN = """
from lab.metrics.transfer_time import TransferTime


class Own(TransferTime):
    pass
"""
VIEW = """
from lab.tables import Column, Table
from lab.views.base import Moment, View


class Own(View):
    card = "max"
    card_word = "worst"
    first = True

    def tables(self, result, record):
        yield Table("own", f"Own: {result.unit}", [Column("total", "total", result.unit)], result.rows)

    def moments(self, result):
        yield Moment(1_000_000_000, "mine", 1_000_000_000)
"""


def test_views_are_of_metrics() -> None:
    assert set(views.VIEWS.known()) <= set(metrics.known())


def test_a_metric_without_a_view_has_a_plain_table(record: Record) -> None:
    (table,) = [table for table in tables(record) if table.name == "transfer"]
    assert table.title.startswith("transfer: time from the start of a transfer") and not table.in_terminal
    assert [column.heading for column in table.columns] == ["process", "bytes", "first byte, s", "total, s"]
    assert [column.number for column in table.columns] == [False, True, True, True]
    assert table.columns[0].text(table.rows[0]) == "fetch"


def test_a_view_of_a_stack_shows_its_metric(record: Record, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for room, text in (("views", VIEW), ("metrics", OWN)):
        file = tmp_path / "workloads" / "mine" / room / "own_time.py"
        file.parent.mkdir(parents=True)
        file.write_text(text)
    record.metrics["transfer"] = dataclasses.replace(record.metrics["transfer"], kind="own-time")
    shown = [table.name for table in tables(record)]
    assert shown.index("own") < shown.index("goodput-transfers") and "transfer" not in shown
    assert views.load("own-time").card == "max"
    assert "mine" in {moment.label for moment in moments(record)} and "mine" in {rule.label for rule in rules(record)}
    several = dataclasses.replace(record.metrics["transfer"], values=record.metrics["transfer"].values | {"count": 2})
    record.metrics["transfer"] = several
    assert "worst transfer" in html.page(record, [], [])


@pytest.mark.parametrize("name", ["rtt", "goodput", "nothing"])
def test_a_view_of_a_stack_shows_no_metric_of_the_lab(
    name: str, record: Record, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    before = [table.name for table in tables(record)]
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "workloads" / "mine" / "views" / f"{name}.py"
    file.parent.mkdir(parents=True)
    file.write_text("1 / 0\n")
    assert [table.name for table in tables(record)] == before
    assert views.load(name).card == views.View.card
    print_list(True, "metrics")
    printed = capsys.readouterr()
    assert printed.err == ""
    assert json.loads(printed.out)["metrics"][f"workloads/mine/views/{name}.py"] == (
        f"cannot be used: workloads/mine/views/{name}.py  "
        f'the stack mine has no file "{name}" in metrics, so this one is not used\n'
        "  a stack's views go with its own metrics: name the file like one of them, or remove it"
    )


def test_reports_ask_no_metric_of_what_kind_it_is() -> None:
    asking = re.compile(r"metrics_of|(?:result|metric)\.kind (?:==|!=|in)")
    assert not [path.name for path in (PACKAGE / "report").glob("*.py") if asking.search(path.read_text())]


@pytest.mark.parametrize(
    ("cause", "ends", "label"),
    [
        ("roam", ("ap1", "ap2"), "ap1 → ap2"),
        ("station", ("ap1", None), "ap1 → nowhere"),
        ("loss", ("ap1", "ap2"), "ap1 → ap2"),
        ("loss", ("ap1", "ap1"), "ap1 lost, back"),
        ("disconnect", ("ap2", "ap1"), "ap2 left, ap1"),
        ("disconnect", ("ap1", "ap1"), "ap1 left, back"),
        ("disconnect", ("ap2", None), "ap2 left"),
    ],
)
def test_only_a_handoff_is_called_so(cause: str, ends: tuple[str | None, str | None], label: str) -> None:
    assert outage.arrow({"cause": cause, "from": ends[0], "to": ends[1]}) == label


@pytest.mark.parametrize("causes", [["roam"], ["loss", "disconnect"]])
@pytest.mark.parametrize("stations", [["sta1"], ["sta1", "sta12"]])
def test_the_steps_of_handoffs_fit_80_columns(record: Record, causes: list[str], stations: list[str]) -> None:
    (found,) = record.metrics_of("outage")
    steps = {"scan": 61.9, "authentication": 5629.1, "association": 0.993, "keys": 12.3, "first_data": 1249.3}
    ends = {"from": "ap1", "to": "ap1", "at_ns": 15_021_000_000, "outage": 6631.2, "longest_gap": 6631.2}
    rows = [{**found.rows[0], **steps, **ends, "cause": cause, "station": one} for one in stations for cause in causes]
    (table,) = outage.Outage().tables(dataclasses.replace(found, rows=rows), record)
    console = Console(width=80)
    with console.capture() as shown:
        console.print(rich_table(table))
    lines = shown.get().splitlines()
    assert max(map(len, lines)) <= 80
    (headings,) = [line for line in lines if " auth  assoc  keys " in line]  # a table, not a list for each row
    assert headings.endswith("outage   gap ") and len(rows) == sum("6631  6631" in line for line in lines)


def test_of_many_handoffs_the_longest_are_shown_in_order_of_time(record: Record) -> None:
    """The title names the longest one; panels and sentences are of the same handoffs."""
    (found,) = record.metrics_of("outage")
    (series,) = found.series
    (row,) = found.rows
    begins = {"sta1": 9, "sta2": 3, "sta3": 5, "sta4": 13}  # seconds; the record has series by station, rows by time
    outages = {"sta1": 20.0, "sta2": 10.0, "sta3": 40.0, "sta4": 300.0}
    rows = [
        {**row, "station": station, "at_ns": at_s * 10**9, "begin_ns": at_s * 10**9, "outage": outages[station]}
        | {"measured": "data frames", "why": [], "connected_ns": at_s * 10**9, "last_data_ns": at_s * 10**9}
        | {"first_data_ns": at_s * 10**9 + 100_000_000}
        for station, at_s in sorted(begins.items(), key=lambda pair: pair[1])
    ]
    drawn = [{**series, "name": f"{station} {at_s * 10**9}"} for station, at_s in begins.items()]
    figure = next(iter(outage.Outage().figures(dataclasses.replace(found, rows=rows, series=drawn), record)))
    assert "; the 3 longest" in figure.about and "at 13 s" in figure.title
    assert [panel.title.split(":")[0] for panel in figure.panels] == ["sta3, 5 s", "sta1, 9 s", "sta4, 13 s"]
    assert [sentence.split(" received")[0] for sentence in figure.below] == [
        "At 5 s, sta3", "At 9 s, sta1", "At 13 s, sta4",
    ]  # fmt: skip
