# SPDX-License-Identifier: MIT
"""Figures 5 to 8 of the paper: just the frames that are lost there are lost, and the air shows the recovery.

Each place runs twice. The first run shows which frame is the one of the figure; in the second, that one is lost.
A-MPDUs have three MPDUs at most, as those of the paper's figures.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

import pytest

from tests.air import ACK, BA, DATA
from tests.system.conftest import Ran
from tests.system.test_medium_faults import BAR, kind_of
from workloads.hack.tests.system.hacking import (
    AP,
    Exchange,
    counts,
    exchanges,
    nothing_is_wrong,
    place,
    segments,
    transmissions,
    work,
)

pytestmark = pytest.mark.guest

Boot = Callable[..., Ran]
Fault = tuple[str, int, int]  # frames, how many to pass, how many to lose

AT_MS = 900  # nothing is on the air just then; the flow begins at 1 s
NEVER = 1_000_000_000
PASSED = 200  # exchanges before the one of the figure: the flow continues
RETRIES, MPDUS = 3, 3
SHORT = f"{{longest_ppdu: 620 us, retries: {RETRIES}}}"
MOST_TELLINGS = 7  # BlockAckReqs about what was given up
TCP = 6
DOWN, UP = "from: ap1, to: sta1", "from: sta1, to: ap1"
STEADY = work(size_bytes=2_500_000, timeline=("FAULTS",))
BURSTS = work(size_bytes=50_000, bursts=20, every_s=0.05, timeline=("FAULTS",))


@dataclass(frozen=True)
class Air:
    """A run, and what was on the air after the faults had been set."""

    ran: Ran
    exchanges: list[Exchange]

    def passed(self, number: int, kind: str) -> int:
        """How many frames of a kind came before an exchange."""
        before = self.exchanges[:number]
        if kind in (ACK, BA):
            return sum(one.answer is not None and one.answer.kind == kind for one in before)
        begin_ns = self.ran.guest()["epoch_ns"] + AT_MS * 1_000_000
        until_ns = self.exchanges[number].sent[0].stamp_ns
        return sum(  # what goes to a group counts, too
            kind_of(frame) == kind and frame.transmitter.hex(":") == AP
            for sent in transmissions(self.ran)
            if begin_ns <= sent[0].stamp_ns < until_ns
            for frame in sent
        )

    def first(self, fits: Callable[[list[Exchange]], bool], after: int = PASSED) -> int:
        """Return the place of the first exchange that fits, given with those after it."""
        found = self.exchanges
        return next(number for number in range(after, len(found) - 50) if fits(found[number:]))


def run(boot: Boot, topology: str, workload: str, *faults: Fault) -> Air:
    lines = "\n  - ".join(
        f"{{at: {AT_MS} ms, fault: lose, frames: {kind}, {UP if kind in (ACK, BA) else DOWN}, "
        f"skip: {skip}, count: {count}}}"
        for kind, skip, count in faults
    )
    ran = boot(topology, workload.replace("FAULTS", lines), pcap="air")
    return Air(ran, exchanges(ran, AT_MS * 1_000_000))


def is_carrying(one: Exchange) -> bool:
    """Whether it is data that more will follow, and the answer carries TCP ACKs."""
    return one.kind == DATA and one.more_data and bool(one.items)


def is_steady(found: list[Exchange]) -> bool:
    """Whether these are new data without a gap; in mode a, a beacon takes a number of the same sequence."""
    return all(one.kind == after.kind == DATA and follows(one, after) for one, after in pairwise(found))


def follows(one: Exchange, after: Exchange) -> bool:
    return after.sequences[0] == (one.sequences[-1] + 1) % 4096


def msns(*found: Exchange) -> list[int]:
    return [item.msn for one in found for item in one.items]


def assert_same_until(one: Air, other: Air, number: int) -> None:
    """The second run is the first one up to the loss, so the frames of the figure are those that are lost."""
    shapes = [[(what.kind, what.sequences, what.items) for what in air.exchanges[:number]] for air in (one, other)]
    assert shapes[0] == shapes[1]


def assert_all_came_once(found: Air, *, again: int = 0) -> None:
    """Everything could be restored, and the access point reset nothing."""
    sent, received = counts(found.ran, "sta1"), counts(found.ran, "ap1", "received")
    assert nothing_is_wrong(received) and sent["resets"] == 0
    assert received["duplicates"] == again


def tcp_ack(packet: bytes) -> int:
    return int.from_bytes(packet[28:32], "big")


def resent(ran: Ran) -> int:
    """How many TCP segments with data the server sent a second time, retries of the link layer aside."""
    places: dict[bytes, set[bytes]] = {}
    for _, packet in segments(ran, AP):
        if packet[9] == TCP and len(packet) > 100:
            places.setdefault(packet[24:28], set()).add(packet[4:6])  # by sequence number: IPv4 identifications
    assert places
    return sum(len(ids) - 1 for ids in places.values())


@pytest.mark.parametrize(
    ("mode", "kind", "asks_by"), [("n", BA, BAR), ("a", ACK, DATA)], ids=["5a: a BlockAck", "5b: an ACK"]
)
def test_figure_5_what_a_lost_answer_carried_comes_with_the_next(
    boot: Boot, mode: str, kind: str, asks_by: str
) -> None:
    """The access point asks for it by a BlockAckReq (5a), or by the same frame again (5b)."""
    topology = place(mode, medium=SHORT)
    before = run(boot, topology, STEADY, (kind, NEVER, 1))
    number = before.first(lambda found: is_carrying(found[0]) and is_steady(found[:5]))
    found = run(boot, topology, STEADY, (kind, before.passed(number, kind), 1))
    assert_same_until(before, found, number + 1)
    lost, asked, after = found.exchanges[number : number + 3]
    assert lost.answer is not None and lost.answer.kind == kind
    assert asked.kind == asks_by and asked.items[: len(lost.items)] == lost.items
    if kind == ACK:
        assert asked.retry and asked.sequences == lost.sequences
    assert after.kind == DATA and not after.retry and follows(lost, after)
    assert not {*msns(asked)} & {*msns(after)}
    assert_all_came_once(found)
    assert counts(found.ran, "sta1")["payloads"] == counts(found.ran, "ap1", "received")["payloads"] + 1


def test_figure_6_acks_that_had_arrived_are_recognised(boot: Boot) -> None:
    """The first MPDU of an A-MPDU is lost, and then its retransmission with all that goes with it."""
    topology = place("n", medium=SHORT)
    before = run(boot, topology, STEADY, (DATA, NEVER, 1), (DATA, NEVER, MPDUS))
    number = before.first(lambda found: all(is_carrying(one) and len(one.sent) == MPDUS for one in found[:2]))
    passed = before.passed(number, DATA)
    found = run(boot, topology, STEADY, (DATA, passed, 1), (DATA, passed + MPDUS - 1, MPDUS))
    assert_same_until(before, found, number)
    heard, unheard, asked, again = found.exchanges[number : number + 4]
    assert heard.answer is not None
    assert heard.answer.blocks_acknowledged() & {*heard.sequences} == {*heard.sequences[1:]} and heard.items
    assert unheard.kind == DATA and unheard.answer is None and unheard.retry
    assert unheard.sequences[0] == heard.sequences[0] and len(unheard.sent) == MPDUS
    # it cannot tell from this whether its BlockAck was heard
    assert asked.kind == BAR and asked.items[: len(heard.items)] == heard.items
    assert again.sequences == unheard.sequences and not {*msns(asked)} & {*msns(again)}
    assert_all_came_once(found, again=len(heard.items))


def test_figure_7_ordinary_acks_make_up_for_lost_ones(boot: Boot) -> None:
    """The last BlockAck of a burst is lost, and no more data follow."""
    topology = place("n", medium=SHORT)
    before = run(boot, topology, BURSTS, (BA, NEVER, 1))
    number = before.first(
        lambda found: found[0].kind == DATA and not found[0].more_data and bool(found[0].items), after=50
    )
    found = run(boot, topology, BURSTS, (BA, before.passed(number, BA), 1))
    assert_same_until(before, found, number + 1)
    lost, asked, *after = found.exchanges[number:]
    assert asked.kind == BAR and asked.items == []
    assert not {*msns(lost)} & {*msns(*after[:50])}
    natives = [
        tcp_ack(packet)
        for at_ns, packet in segments(found.ran)
        if lost.end_ns < at_ns < after[0].sent[0].stamp_ns and packet[9] == TCP
    ]
    ends = [  # of what the station has been sent
        (int.from_bytes(packet[24:28], "big") + len(packet) - 20 - 4 * (packet[32] >> 4)) % 2**32
        for at_ns, packet in segments(found.ran, AP)
        if at_ns <= lost.sent[0].stamp_ns and packet[9] == TCP
    ]
    assert natives and natives[-1] == ends[-1]
    assert any(one.items for one in after)
    assert_all_came_once(found)
    assert resent(found.ran) == 0


@pytest.mark.parametrize("gives_up", [False, True], ids=["until a BlockAckReq is heard", "until it continues"])
def test_figure_8_acks_are_kept_when_the_access_point_gives_up(boot: Boot, gives_up: bool) -> None:
    """It continues with new data although it heard no BlockAck, and says so by SYNC."""
    count = RETRIES + MOST_TELLINGS if gives_up else RETRIES
    topology = place("n", medium=SHORT)
    before = run(boot, topology, STEADY, (BA, NEVER, 1))
    number = before.first(lambda found: is_carrying(found[0]) and len(found[0].sent) == MPDUS)
    found = run(boot, topology, STEADY, (BA, before.passed(number, BA), count))
    assert_same_until(before, found, number + 1)
    lost, heard = found.exchanges[number : number + count], found.exchanges[number + count]
    assert [one.kind for one in lost] == [DATA] + (count - 1) * [BAR]
    assert all(one.items[: len(lost[0].items)] == lost[0].items for one in lost)
    assert heard.kind == (DATA if gives_up else BAR)
    if gives_up:
        assert not heard.retry and follows(lost[0], heard)
    assert heard.items[: len(lost[-1].items)] == lost[-1].items
    assert counts(found.ran, "sta1")["syncs"] == gives_up
    after = found.exchanges[number + count + 1 :]
    assert not {*msns(heard)} & {*msns(*after[:5])} and any(one.items for one in after)
    assert_all_came_once(found)
