# SPDX-License-Identifier: MIT
"""The dissector finds in captures what the radios have counted."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

from lab import runs
from lab.plan.load import load
from tests import air, stored
from tests.system.conftest import Ran, with_stack
from workloads.hack.tests.dissecting import Dissector

pytestmark = pytest.mark.guest

WORKLOAD = "hack/download"
SHORT = ("workload.duration=4 s", "processes.flow.run.duration=2 s")  # nothing is on the air when it ends
HACK = ("nodes.ap1.hack=more-data", "nodes.sta1.hack=more-data")
AGGREGATED = ("nodes.ap1.mode=n", "nodes.ap1.rate=MCS 7", "nodes.sta1.rate=MCS 7", "nodes.sta2.rate=MCS 7")
DATA_LOST = "workload.timeline=[{at: 1500 ms, fault: lose, frames: data, from: ap1, to: sta1, share: 30%, count: 3000}]"
ACKS_LOST = "workload.timeline=[{at: 1500 ms, fault: lose, frames: ack, from: sta1, to: ap1, share: 30%, count: 3000}]"


def run(machine: runs.Machine, place: Path, *settings: str) -> tuple[Ran, Path]:
    """Return the run and its capture."""
    directory = place / "run"
    directory.mkdir()
    plan = load("downloads", WORKLOAD, 1, (*SHORT, *settings), pcap="air")
    stored.boot(plan, with_stack(machine, WORKLOAD, plan), directory)
    (capture,) = (directory / "raw").glob("air-*")
    return Ran(directory), capture


def counts(ran: Ran, way: str) -> dict[str, int]:
    """What became of all TCP ACKs that radios sent, or received."""
    pairs = [pair[way] for pair in ran.looks()[-1]["hack"]]
    return {key: sum(pair[key] for pair in pairs) for key in pairs[0]}


def carried(dissector: Dissector, capture: Path, only: str = "hack") -> list[tuple[int, int]]:
    """TCP ACKs and bytes of each payload."""
    found = dissector.fields(capture, "hack.items", "hack.bytes", only=only)
    return [(int(items), int(size)) for items, size in found]


@pytest.mark.parametrize("settings", [(), (DATA_LOST,), (*AGGREGATED, DATA_LOST)], ids=["a", "a, losses", "n, losses"])
def test_every_ack_is_found(
    machine: runs.Machine, tmp_path: Path, dissector: Dissector, settings: tuple[str, ...]
) -> None:
    ran, capture = run(machine, tmp_path, *HACK, *settings)
    assert dissector.complaints(capture) == [] and dissector.fields(capture, "frame.number", only="hack.other") == []
    payloads = carried(dissector, capture)
    assert len(payloads) == counts(ran, "sent")["payloads"] > 200
    assert len(payloads) == sum("payload" in frame.comment for frame in air.frames(capture))
    received = counts(ran, "received")
    assert not any(received[key] for key in ("crc_failures", "unknown", "malformed"))
    arrived = carried(dissector, capture, "hack && !(radiotap.flags.badfcs == 1)")
    assert len(arrived) == received["payloads"]
    assert sum(items for items, _ in arrived) == received["acks"] + received["duplicates"]
    surplus = sum(size for _, size in arrived) - received["bytes"] - received["payloads"]
    assert surplus >= 3 * received["duplicates"] and (surplus == 0) == (received["duplicates"] == 0)
    forms = {
        form for (reported,) in dissector.fields(capture, "hack.item.form", only="hack") for form in reported.split(",")
    }
    # in A-MPDUs with losses, ACKs follow each other too far apart for short items but for 0 to 4 of 1,000 (six seeds)
    assert forms >= ({"medium", "long"} if AGGREGATED[0] in settings else {"short", "medium", "long"})


def test_payloads_that_are_sent_again(machine: runs.Machine, tmp_path: Path, dissector: Dissector) -> None:
    """An item that comes again has the same number and the same bytes."""
    ran, capture = run(machine, tmp_path, *HACK, ACKS_LOST)
    payloads = carried(dissector, capture)
    sent, received = counts(ran, "sent"), counts(ran, "received")
    assert len(payloads) == sent["payloads"] > received["payloads"]
    assert sum(items for items, _ in payloads) > received["acks"] + received["duplicates"]
    names = ("hack.msn", "hack.items", "hack.item.cid", "hack.item.crc")
    found = dissector.fields(capture, *names, only="hack")
    again = sum(one == other for one, other in pairwise(found))
    assert again > 10


def test_nothing_is_found_without_it(machine: runs.Machine, tmp_path: Path, dissector: Dissector) -> None:
    _, capture = run(machine, tmp_path)
    assert dissector.fields(capture, "frame.number", only="hack || hack.other") == []
    assert dissector.complaints(capture) == []
