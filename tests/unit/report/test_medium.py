# SPDX-License-Identifier: MIT
"""The medium in a report."""

from __future__ import annotations

import io
import json
import re
import xml.etree.ElementTree as ET
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from lab import report
from lab.drawing import lay_out, svg
from lab.record import Record, rebuild
from lab.report import medium
from lab.report.tables import tables
from lab.tables import Table

from ..record.medium_sample import PLAN, SECOND, TEXT
from .conftest import RECORDED, Recorder


def nodes() -> list[dict[str, Any]]:
    """Those of the recorded plan, and a second station."""
    found: list[dict[str, Any]] = json.loads((RECORDED / "handoff" / "plan.json").read_text())["nodes"]
    (station,) = [node for node in found if node["kind"] == "sta"]
    return [*found, {**station, "name": "sta2", "index": len(found) + 1}]


@pytest.fixture
def on_air(recorded: Recorder) -> Record:
    return recorded(raw={"medium.json": TEXT}, medium=PLAN, nodes=nodes())


def table(record: Record, name: str) -> Table:
    (found,) = [item for item in tables(record) if item.name == name]
    return found


def printed(record: Record) -> str:
    console = Console(width=110, file=io.StringIO(), highlight=False)
    console.print(report.tables(record))
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def test_air_time_is_shared(on_air: Record) -> None:
    first, second = table(on_air, "airtime").rows
    # of 2 s: 400 ms idle, 1200 ms of data
    assert (first["channel"], first["idle"], first["data"]) == ("1 (2412 MHz)", 20, 60)
    # a record of a version that did not count the energy of other channels
    assert sum(first.get(use, 0) for use in medium.USES) == pytest.approx(100) and "energy" not in first
    # a channel that nobody used (it was scanned) is not listed
    looks = json.loads(TEXT)["looks"]
    looks[-1]["channels"].append(
        {"frequency_mhz": 2462, "t_ns": 0, "air_ns": {**dict.fromkeys(medium.USES, 0), "idle": 9}}
    )
    unused = build_again(on_air, looks)
    assert [row["channel"] for row in table(unused, "airtime").rows] == ["1 (2412 MHz)", "6 (2437 MHz)"]
    assert second["channel"] == "6 (2437 MHz)" and second["mgmt"] == pytest.approx(100 * 10 / 1100)


def test_one_channel_has_no_energy_of_others_to_leave_out(on_air: Record) -> None:
    said = "Left out because always 0: energy of other channels."
    assert table(on_air, "airtime").left_out == said
    looks = json.loads(TEXT)["looks"]
    for look in looks:
        del look["channels"][1:]
    one = table(build_again(on_air, looks), "airtime")
    assert len(one.rows) == 1 and one.left_out == "" and "energy" in [column.key for column in one.zero]


def build_again(record: Record, looks: list[Any]) -> Record:
    """The record of the same run, had the guest seen this."""
    (record.directory / "raw" / "medium.json").write_text(json.dumps({"looks": looks}))
    return rebuild(record.directory)


def test_frames_between_radios(on_air: Record) -> None:
    to_sta1, to_sta2 = table(on_air, "frames").rows
    keys = ("from", "to", "category", "sent", "retries", "delivered", "dropped", "bytes")
    assert [to_sta1[key] for key in keys] == ["ap1", "sta1", "best effort", 20, 2, 17, 1, 20_000]
    assert to_sta2["sent"] == 10


def test_the_page_leaves_out_counts_that_are_zero_everywhere(on_air: Record) -> None:
    page = report.write(on_air, on_air.directory).read_text()
    headings = re.search(r"<h3>Frames between radios.*?<thead>(.*?)</thead>", page, re.DOTALL)
    assert headings is not None
    assert re.findall(r">([^<]+)</th>", headings[1]) == [
        "from", "to", "access category", "sent", "retries", "delivered", "damaged", "collided", "lost", "acked",
        "dropped", "bytes delivered",
    ]  # fmt: skip
    assert "Left out because always 0: sent more than once, header wrong, receiver away, accepted damaged." in page
    assert "receiver away" in (on_air.directory / "csv" / "frames.csv").read_text()


def test_categories_that_were_used(on_air: Record) -> None:
    (row,) = table(on_air, "access-categories").rows
    assert (row["node"], row["category"], row["attempts"], row["air_s"]) == ("ap1", "best effort", 20, 2)


def test_a_report_says_how_many_requests_had_no_answer(on_air: Record) -> None:
    heading = "Left out because always 0: RTS unanswered, BlockAckReq unanswered."
    assert table(on_air, "access-categories").left_out == heading
    looks = json.loads(TEXT)["looks"]
    looks[1]["radios"][0]["be"] |= {"rts_unanswered": 1, "bar_unanswered": 1}
    looks[2]["radios"][0]["be"] |= {"rts_unanswered": 5, "bar_unanswered": 3}
    asked = build_again(on_air, looks)
    (row,) = table(asked, "access-categories").rows
    assert (row["rts_unanswered"], row["bar_unanswered"]) == (5, 3)
    page = report.write(asked, asked.directory).read_text()
    assert ">RTS unanswered</th>" in page and ">BlockAckReq unanswered</th>" in page
    csv = (asked.directory / "csv" / "access-categories.csv").read_text()
    assert "RTS unanswered" in csv.splitlines()[0]


@pytest.mark.parametrize(
    ("amounts", "index"), [([5, 5, 5], 1), ([5, 0, 0], 1 / 3), ([1, 2], 0.9), ([0, 0], None), ([], None)]
)
def test_jains_index(amounts: list[float], index: float | None) -> None:
    assert medium.jain(amounts) == (index if index is None else pytest.approx(index))


def test_fairness(on_air: Record) -> None:
    (row,) = table(on_air, "fairness").rows
    assert row["direction"] == "to stations" and row["jain"] == pytest.approx(0.9)
    assert (row["least"], row["most"], row["bytes"]) == (10_000, 20_000, {"sta1": 20_000, "sta2": 10_000})


@pytest.mark.parametrize(
    ("answered", "sent", "directions"),
    [
        (200, 100, ["to stations"]),
        (400, 100, ["to stations", "from stations"]),
        (400, 1, ["to stations"]),
    ],
)
def test_fairness_is_that_of_flows(on_air: Record, answered: int, sent: int, directions: list[str]) -> None:
    """A direction that has only ARP and the like is left out: of 30 000 bytes, 200 are less than one in a hundred.

    So is one in which only sta1 sends: it has nobody to share with. sta2 is starved in the second case.
    """
    assert on_air.medium is not None
    first = on_air.medium.links[0]
    for name, counts in (("sta1", {"bytes": answered, "sent": 100}), ("sta2", {"bytes": 0, "sent": sent})):
        link = replace(first, sender=name, receiver="ap1", total=replace(first.total, **counts))
        on_air.medium.links.append(link)
    assert [row["direction"] for row in table(on_air, "fairness").rows] == directions


def test_the_terminal_shows_air_time_and_fairness(on_air: Record) -> None:
    text = printed(on_air)
    assert "Air time of each channel, %" in text and "interframe space" in text
    assert "Fairness (Jain's index of bytes delivered): 0.9 to stations\n" in text
    assert "Frames between radios" not in text and "Access to the medium" not in text


def test_without_a_medium_nothing_is_said(record: Record) -> None:
    assert list(medium.tables(record)) == []
    assert list(medium.figures(record)) == []
    assert "Air time" not in printed(record) and "Fairness" not in printed(record)


def test_one_station_is_not_compared(recorded: Recorder) -> None:
    record = recorded(raw={"medium.json": TEXT}, medium=PLAN)
    assert medium.fairness_line(record) is None
    assert "Air time" in printed(record)


def test_air_time_over_the_run(on_air: Record) -> None:
    (figure,) = medium.figures(on_air)
    assert figure.title == "Channel 1 (2412 MHz) is idle 20 % of the time"
    first, second = figure.panels
    assert first.title == "channel 1 (2412 MHz)" and first.x_range == (0.0, 6.0) and first.y_range == (0.0, 100.0)
    # the highest pile first; each span's value holds back to the look before it
    assert [line.label for line in first.lines] == [
        "overlap", "backoff", "interframe space", "control", "management", "data",
    ]  # fmt: skip
    assert first.lines[-1].x == [0.0, 1.0, 2.0] and first.lines[-1].y == pytest.approx([40, 40, 80])
    assert first.lines[0].y == pytest.approx([60, 60, 100])
    assert second.title == "channel 6 (2437 MHz)"
    assert [label for label, _ in figure.legend][:2] == ["data", "management"]
    ET.fromstring(svg(lay_out(figure)))


def test_the_whole_report(on_air: Record) -> None:
    text = report.write(on_air, on_air.directory, formats=("svg", "png")).read_text()
    assert "Frames between radios" in text and "Access to the medium by category" in text
    names = {path.name for path in (on_air.directory / "plots").iterdir()}
    assert {"airtime.svg", "airtime.png"} <= names
    assert (on_air.directory / "csv" / "airtime.csv").read_text().startswith('channel,"data, %"')


def test_a_run_that_ended_at_once(recorded: Recorder) -> None:
    one = json.dumps({"looks": json.loads(TEXT)["looks"][:1]})
    record = recorded(raw={"medium.json": one}, medium=PLAN)
    assert list(medium.figures(record)) == []
    assert table_names(record).isdisjoint({"airtime", "frames", "fairness"})


def table_names(record: Record) -> set[str]:
    return {found.name for found in tables(record)}


def test_looks_are_in_seconds(on_air: Record) -> None:
    assert on_air.medium is not None and on_air.medium.t_ns[-1] == 2 * SECOND


def test_plots_are_for_the_busiest(recorded: Recorder, tmp_path: Path) -> None:
    looks = json.loads(TEXT)["looks"]
    for at, look in enumerate(looks):
        look["channels"] += [
            {**look["channels"][0], "frequency_mhz": mhz, "air_ns": {"idle": 1 + 99 * at, "data": at * used}}
            for mhz, used in ((5180, 1), (5200, 90), (5220, 0))
        ]
    record = recorded(raw={"medium.json": json.dumps({"looks": looks})}, medium=PLAN)
    (figure,) = medium.figures(record)
    assert figure.stacked and {panel.x_range for panel in figure.panels} == {(0.0, 6.0)}, "the axis of all figures"
    assert [panel.title for panel in figure.panels] == [
        "channel 1 (2412 MHz)", "channel 36 (5180 MHz)", "channel 40 (5200 MHz)",
    ]  # fmt: skip
