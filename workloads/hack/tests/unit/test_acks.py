# SPDX-License-Identifier: MIT
"""TCP ACKs in link-layer ACKs, in a report."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from typing import Any

import pytest
from rich.console import Console

from lab import report
from lab.record import Record
from lab.report.tables import tables
from lab.tables import Table
from tests.unit.record.medium_sample import LOOKS, PLAN
from tests.unit.report.conftest import RECORDED, Recorder

NONE = dict.fromkeys(
    (
        "acks", "bytes", "packet_bytes", "payloads", "natives", "refused", "flushed", "duplicates", "crc_failures",
        "unknown", "malformed", "resets", "held_ns",
    ),
    0,
)  # fmt: skip
SENT = {"acks": 10, "bytes": 40, "packet_bytes": 540, "payloads": 5, "natives": 3, "refused": 2, "flushed": 1}
SENT |= {"held_ns": 25_000_000}
MACS = {
    node["name"]: node["radio"]["mac"]
    for node in json.loads((RECORDED / "handoff" / "plan.json").read_text())["nodes"]
    if node["radio"]
}
Pair = dict[str, Any]
Run = Callable[..., Record]


def pair(node: str, peer: str, sent: dict[str, int], received: dict[str, int]) -> Pair:
    return {"node": node, "peer": MACS.get(peer, peer), "sent": NONE | sent, "received": NONE | received}


@pytest.fixture
def ran(recorded: Recorder) -> Run:
    """Make the record of a run after which these were the counters; without any, of one without the key."""

    def make(*pairs: Pair) -> Record:
        first, *_, last = LOOKS
        looks = [first | {"hack": []}, last | {"hack": list(pairs)}] if pairs else [first, last]
        return recorded(raw={"medium.json": json.dumps({"looks": looks})}, medium=PLAN)

    return make


DOWNLOAD = (
    pair("ap1", "sta1", {}, {"acks": 11, "duplicates": 4}),
    pair("sta1", "ap1", SENT, {}),
)


def acks(record: Record) -> Table:
    (found,) = [table for table in tables(record) if table.name == "acks"]
    return found


def printed(record: Record, width: int = 110) -> str:
    console = Console(width=width, file=io.StringIO(), highlight=False)
    console.print(report.tables(record))
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def test_a_row_has_what_both_ends_count(ran: Run) -> None:
    (row,) = acks(ran(*DOWNLOAD)).rows
    assert row == {
        "node": "sta1", "peer": "ap1", "acks": 10, "natives": 3, "bytes_each": 4.5, "ratio": 12.0, "held_ms": 2.5,
        "duplicates": 4, "crc_failures": 0, "unknown": 0, "malformed": 0, "refused": 2, "flushed": 1, "resets": 0,
        "syncs": None,
    }  # fmt: skip


def test_where_nothing_was_compressed_there_are_no_means(ran: Run) -> None:
    (row,) = acks(ran(pair("sta1", "ap1", {"natives": 7}, {}))).rows
    assert (row["natives"], row["bytes_each"], row["ratio"], row["held_ms"]) == (7, None, None, None)


def test_a_peer_that_is_not_in_the_plan(ran: Run) -> None:
    """What it counts is not known, and not 0."""
    stranger = "02:00:00:00:ff:00"
    table = acks(ran(pair("sta1", stranger, SENT, {})))
    (row,) = table.rows
    assert (row["peer"], row["duplicates"]) == (stranger, None)
    assert not {column.key for column in table.columns} & {"duplicates", "crc_failures", "unknown", "malformed"}


def test_syncs_are_shown_if_the_kernel_counts_them(ran: Run) -> None:
    """They come with the data of the peer, to the radio whose ACKs are meant."""
    counted = pair("sta1", "ap1", SENT | {"syncs": 0}, {"syncs": 6})
    table = acks(ran(counted, pair("ap1", "sta1", {"natives": 1, "syncs": 0}, {"syncs": 0})))
    assert [(row["node"], row["syncs"]) for row in table.rows] == [("sta1", 6), ("ap1", 0)]
    assert "SYNCs" in [column.title for column in table.columns]


def test_syncs_are_left_out_if_it_does_not(ran: Run) -> None:
    assert "SYNCs" not in [column.title for column in acks(ran(*DOWNLOAD)).columns]


def test_the_terminal_names_what_is_zero(ran: Run) -> None:
    text = printed(ran(*DOWNLOAD))
    lines = text[text.index("TCP ACKs in link-layer ACKs") :].splitlines()
    heading = "from to compressed native bytes each ratio mean time held, ms duplicates refused flushed"
    assert " ".join(lines[2].split()) == heading
    assert lines[4].split() == ["sta1", "ap1", "10", "3", "4.5", "12", "2.5", "4", "2", "1"]
    assert "Left out because always 0: CRC failures, of unknown flows, malformed payloads, resets." in text


def test_the_page_and_the_spreadsheet(ran: Run) -> None:
    record = ran(*DOWNLOAD)
    page = report.write(record, record.directory).read_text()
    assert "<h3>TCP ACKs in link-layer ACKs</h3>" in page
    assert "Left out because always 0: CRC failures, of unknown flows, malformed payloads, resets." in page
    heading, row = (record.directory / "csv" / "acks.csv").read_text().splitlines()
    assert heading.startswith("from,to,compressed,native,bytes each,ratio,") and row.startswith("sta1,ap1,10,3,4.5,12")


@pytest.mark.parametrize("pairs", [(), (pair("sta1", "ap1", {}, {}),)])
def test_without_tcp_acks_there_is_no_table(ran: Run, pairs: tuple[Pair, ...]) -> None:
    record = ran(*pairs)
    assert "acks" not in {table.name for table in tables(record)}
    assert "TCP ACKs" not in printed(record)
