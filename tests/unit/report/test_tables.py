# SPDX-License-Identifier: MIT
"""Tables: the same figures for a terminal, a program and a spreadsheet."""

from __future__ import annotations

import csv
import dataclasses
import io
import json

import pytest
from rich.console import Console

from lab import report
from lab.record import Record
from lab.report.html import page
from lab.report.remarks import remarks
from lab.report.tables import tables
from lab.report.terminal import as_csv, as_json, rich_table, series_csv, verdict
from lab.tables import Column, Table, csv_text
from lab.views.goodput import mean_between

from .conftest import RECORDED, Recorder

SECOND = 1_000_000_000


def table(record: Record, name: str) -> Table:
    (found,) = [item for item in tables(record) if item.name == name]
    return found


def printed(*records: Record, width: int = 100) -> str:
    console = Console(width=width, file=io.StringIO(), highlight=False)
    console.print(report.tables(*records) if len(records) == 1 else report.repetitions(records))
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def test_repetitions_are_a_table_like_the_others(record: Record) -> None:
    lines = [" ".join(line.split()) for line in printed(record, record).splitlines()]
    assert lines[:3] == ["2 runs", "", "metric unit mean deviation min max"]
    assert "outage ms 17.65 0 17.65 17.65" in lines
    assert lines[-1] == "all checks passed in 2 of 2 runs"


def test_repetitions_without_checks_say_so(record: Record) -> None:
    bare = dataclasses.replace(
        record, data={**record.data, "checks": [], "plan": {**record.data["plan"], "metrics": []}}
    )
    assert printed(bare, bare) == "2 of 2 runs finished; the workload has no checks\n"


def test_the_terminal_shows_all_that_a_run_is_for(record: Record) -> None:
    text = printed(record)
    for wanted in ("ap1 → ap2", "scan", "auth", "assoc", "first data", "outage", "retries", "goodput"):
        assert wanted in text
    assert "1\N{NARROW NO-BREAK SPACE}048\N{NARROW NO-BREAK SPACE}576 (1 MiB)" in text
    assert "All 2 checks passed" in text and "FAILED" not in text
    assert "\x1b" not in text, "no colours where there is no terminal"


def test_it_fits_a_narrow_terminal(record: Record) -> None:
    assert max(len(line) for line in printed(record, width=80).splitlines()) <= 80


def test_words_are_not_broken_on_40_columns(record: Record) -> None:
    text = printed(record, width=40)
    assert max(len(line) for line in text.splitlines()) <= 40
    whole = set(printed(record, width=400).split())
    assert {word for word in text.split() if word not in whole and not word.startswith("─")} == set()


def test_a_handoff_has_its_steps(record: Record) -> None:
    (row,) = table(record, "outage").rows
    assert row["handoff"] == "ap1 → ap2" and row["at_s"] == 3
    shown = {column.key: column.text(row) for column in table(record, "outage").columns}
    assert shown["scan"] == "79" and shown["outage"] == "17.6" and "keys" not in shown


def test_goodput_in_each_second_around_a_handoff(record: Record) -> None:
    (row,) = table(record, "goodput-around").rows
    assert row["second_-2"] == pytest.approx(1.85, abs=0.1) and row["second_2"] is not None
    assert row["second_3"] is None, "the transfer had ended by then"


def test_mean_between_weighs_by_time() -> None:
    series = {"t_ns": [SECOND, 2 * SECOND, 4 * SECOND], "values": [10.0, 20.0, 40.0]}
    assert mean_between(series, 0, SECOND) == 10
    assert mean_between(series, SECOND, 3 * SECOND) == 30
    assert mean_between(series, SECOND // 2, SECOND + SECOND // 2) == 15
    assert mean_between(series, 4 * SECOND, 5 * SECOND) is None
    assert mean_between({"t_ns": [5], "values": [1.0]}, 0, 5) == 1


def test_json_holds_raw_values(record: Record) -> None:
    data = json.loads(json.dumps(report.as_json(record)))
    assert data["passed"] is True and data["seed"] == 1
    transfer = data["tables"]["goodput-transfers"]["rows"][0]
    assert transfer["bytes"] == 1 << 20 and len(transfer["sha256"]) == 64
    assert {"key": "goodput", "title": "goodput", "unit": "Mbit/s"} in data["tables"]["goodput-transfers"]["columns"]


def test_csv_has_units_in_its_headings(record: Record) -> None:
    rows = list(csv.reader(io.StringIO(as_csv(table(record, "goodput-transfers")))))
    assert rows[0] == ["process", "bytes", "time, s", "goodput, Mbit/s", "SHA-256"]
    assert rows[1][:2] == ["fetch", "1048576"]
    handoffs = list(csv.reader(io.StringIO(as_csv(table(record, "outage")))))
    assert "scan, ms" in handoffs[0]
    over_time = list(csv.reader(io.StringIO(series_csv(record.metrics["goodput"].series))))
    assert over_time[0] == ["series", "time, s", "value", "unit"] and over_time[1][0] == "fetch"


def test_the_verdict_reports_what_went_wrong(recorded: Recorder) -> None:
    record = recorded(checks=[{"that": "outage.max < 1 ms", "source": "x.yaml:1"}])
    assert verdict(record) == "The check failed"
    assert "FAILED" in printed(record) and "17.6" in printed(record)


@pytest.mark.parametrize(
    ("least_ms", "reported"),
    [
        ([500], "The check passed"),
        ([500, 600, 700], "All 3 checks passed"),
        ([1, 500, 600], "1 of 3 checks failed"),
        ([1, 1], "2 of 2 checks failed"),
    ],
)
def test_the_verdict_counts_checks(recorded: Recorder, least_ms: list[int], reported: str) -> None:
    checks = [{"that": f"outage.max < {limit} ms", "source": "x.yaml:1"} for limit in least_ms]
    assert verdict(recorded(checks=checks)) == reported


def test_the_verdict_of_a_run_that_failed(recorded: Recorder) -> None:
    error = {"message": "lighttpd ended with status 1", "culprit": "lighttpd", "logs": ["boom"]}
    assert verdict(recorded({"error": error})) == "The run failed: lighttpd ended with status 1"


def test_the_verdict_of_a_run_without_checks(recorded: Recorder) -> None:
    assert verdict(recorded(checks=[])) == "The run finished; it has no checks"


def test_flows_of_a_udp_sink_have_their_delays(recorded: Recorder) -> None:
    process = {"id": "sink", "name": "sink", "node": "h1", "at_ns": -1, "argv": [], "probe": "udp-sink", "params": {}}
    process |= {"ready": None, "stop_ns": None, "required": True}
    kinds = {"goodput": "Mbit/s", "loss": "%", "delay": "ms"}
    metrics = [{"name": kind, "kind": kind, "of": ["sink"], "unit": unit, "per": None} for kind, unit in kinds.items()]
    reported = (RECORDED.parent / "udp-sink" / "two-flows.out").read_text()
    record = recorded(raw={"sink.out": reported}, processes=[process], metrics=metrics, checks=[])
    one, other = table(record, "delay-flows").rows
    assert (one["process"], one["packets"], one["lost"], one["max"]) == ("load@sta1", 104, 77, 70.026752)
    assert (other["process"], other["packets"], other["lost"]) == ("load@sta2", 97, 83)
    # their senders are no processes of this plan
    assert [row["process"] for row in table(record, "goodput-transfers").rows] == ["load@sta1", "load@sta2"]
    assert "Flows: packets that arrived, and their one-way delay in ms" in " ".join(printed(record).split())


def test_a_word_that_is_too_long_for_its_column_is_broken_not_cut() -> None:
    columns = [Column("claim", "claim", number=False), Column("value", "came to", number=False)]
    word = "throughput[stations=20]"
    console = Console(width=20, file=io.StringIO())
    console.print(rich_table(Table("claims", "Claims", columns, [{"claim": "short", "value": word}])))
    out = console.file
    assert isinstance(out, io.StringIO)
    _, claim, *value = [line.split() for line in out.getvalue().splitlines() if line.strip()]
    assert claim == ["claim", "short"]
    assert value[0][:2] == ["came", "to"] and "".join(words[-1] for words in value) == word


@pytest.mark.parametrize("width", range(40, 120))
def test_no_word_is_broken_if_the_columns_can_be_wide_enough(width: int) -> None:
    """In rich, a width of columns does not contain what is around the table."""
    row = {
        "claim": "all of it can be played", "value": "three-quarters = 100", "expected": "all(three-quarters < 37.5)",
        "paper": "a significant percentage of the file still remains unplayable",
    }  # fmt: skip
    columns = [Column(key, key, number=False) for key in row]
    console = Console(width=width, file=io.StringIO())
    console.print(rich_table(Table("claims", "Claims", columns, [row])))
    assert isinstance(console.file, io.StringIO)
    assert {word for text in row.values() for word in text.split()} <= set(console.file.getvalue().split())


def test_empty_series_of_a_radio_are_left_out(record: Record) -> None:
    data = json.loads(json.dumps(record.data))
    for source in data["sources"].values():
        for series in source["series"]:
            if series["name"].startswith("signal/"):
                series |= {"t_ns": [], "values": []}
    without = Record(record.directory, data)
    radios = report.as_json(without)["tables"]["radios"]["rows"]
    assert radios and {row["signal_dbm"] for row in radios} == {None}
    assert report.write(without, record.directory).exists()


def test_a_table_that_fits_is_a_table_and_another_one_is_lists() -> None:
    columns = [Column("claim", "claim", number=False), Column("value", "came to", "Mbit/s")]
    shown = rich_table(Table("claims", "Claims", columns, [{"claim": "goodput", "value": 2.5}]))
    lines = {}
    for width in (40, 15):
        console = Console(width=width, file=io.StringIO())
        console.print(shown)
        assert isinstance(console.file, io.StringIO)
        lines[width] = [" ".join(line.split()) for line in console.file.getvalue().splitlines()]
    assert "claim came to, Mbit/s" in lines[40]
    assert lines[15] == ["Claims", "", "claim goodput", "came 2.5", "to,", "Mbit/s"]


def test_a_privileged_node_is_reported(recorded: Recorder) -> None:
    node, *others = json.loads((RECORDED / "handoff" / "plan.json").read_text())["nodes"]
    record = recorded(nodes=[{**node, "privileged": True}, *others])
    said = f"{node['source']}: {node['name']} is privileged: its programs could change other nodes and this result"
    assert as_json(record)["remarks"] == [said]


def test_a_node_that_ran_out_of_memory_is_reported_though_nothing_failed(recorded: Recorder) -> None:
    record = recorded({"memory_kills": {"sta1": 3}})
    node = record.plan.node("sta1")
    reported = (
        f"{node.source}: sta1 ran out of memory (256 MiB), and the kernel killed 3 programs there; "
        "write a larger memory: for it"
    )
    assert record.passed and as_json(record)["remarks"] == [reported]
    assert reported in " ".join(printed(record).split())
    assert reported in page(record, [], [])


def test_an_access_point_whose_channels_were_swapped_is_reported(recorded: Recorder) -> None:
    record = recorded()
    said = (
        f"{record.plan.node('ap1').source}: hostapd on ap1 swapped the two channels of its 40 MHz, since another "
        "network has beacons in the secondary one; that is now its primary channel"
    )
    assert remarks({**record.data, "swapped_channels": ["ap1"]}) == [said]


def test_a_roam_without_an_outcome_is_reported(recorded: Recorder) -> None:
    record = recorded({"unfinished": [{"t_ns": 5_250_000_000, "station": "sta1", "ap": "ap2", "last": "<3>SME: no"}]})
    said = (
        "roam at 5.25 s: sta1 had not joined ap2 when the run ended; the last message of its wpa_supplicant: <3>SME: no"
    )
    assert as_json(record)["remarks"] == [said]
    assert said in " ".join(printed(record).split())


@pytest.mark.parametrize(("width", "first"), [(40, "Keys that differ"), (10, "Keys")])
def test_a_title_is_on_one_line_if_the_terminal_has_room(width: int, first: str) -> None:
    shown = rich_table(Table("keys", "Keys that differ", [Column("key", "key", number=False)], [{"key": "seed"}]))
    console = Console(file=io.StringIO(), width=width)
    console.print(shown)
    assert isinstance(console.file, io.StringIO)
    assert console.file.getvalue().splitlines()[0].rstrip() == first


@pytest.mark.parametrize(
    ("cell", "written"),
    [
        ("=1+1", "'=1+1"),
        ("-2+cmd|x", "'-2+cmd|x"),
        ("@SUM(1)", "'@SUM(1)"),
        ("a\x1b[31m\u202e", r"a\x1b[31m\u202e"),
        ("-5.5e-07", "-5.5e-07"),
        ("-5 dB", "-5 dB"),
        (-5, "-5"),
        ("a=b", "a=b"),
    ],
)
def test_what_programs_print_commands_neither_spreadsheets_nor_terminals(cell: object, written: str) -> None:
    assert csv_text([[cell]], "\n") == f"{written}\n"
