# SPDX-License-Identifier: MIT
"""Why data paused for longer than a station was without access point: each cause, and none that is not shown."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import pytest

from lab.captures import pcap as reader
from lab.metrics._handoffs import Downlink, Handoff
from lab.metrics._packets import Segment, is_dhcp, is_neighbour_discovery, segment
from lab.metrics._pauses import Pause, Resumed, Sender, causes, resumed
from lab.probes.base import Raw, TimeSeries, load
from lab.views.outage import explained

from .samples import MS, SECOND, STA1, pcap

FROM, TO = "10.0.0.1:80", "10.0.0.2:53042"
CONNECTION = f"{FROM}-{TO}"
BYTES = 1000
PAUSE = Pause(10 * SECOND, 10 * SECOND + 300 * MS)
HANDOFF = Handoff(10 * SECOND + 20 * MS, "station", connected_ns=10 * SECOND + 30 * MS)


def ipv4(protocol: int, payload: bytes, source: str = "10.0.0.1", target: str = "10.0.0.2") -> bytes:
    """A frame for the station."""
    addresses = bytes(int(part) for address in (source, target) for part in address.split("."))
    header = struct.pack(">BBHHHBBH", 0x45, 0, 20 + len(payload), 0, 0, 64, protocol, 0) + addresses
    return bytes.fromhex(STA1.replace(":", "")) + bytes(6) + b"\x08\x00" + header + payload


def tcp(number: int, size: int = BYTES, first: int = 0) -> bytes:
    """The segment of that number, of BYTES each; ``first`` is the sequence number of segment 0."""
    header = struct.pack(">HHIIBBHHH", 80, 53042, (first + number * BYTES) % 2**32, 0, 0x50, 0x18, 100, 0, 0)
    return ipv4(6, header + bytes(size))


def dhcp() -> bytes:
    return ipv4(17, struct.pack(">HHHH", 67, 68, 308, 0) + bytes(300))


def captured(tmp_path: Path, frames: Iterable[tuple[int, bytes]]) -> reader.PcapFile:
    file = tmp_path / "capture.pcap"
    file.write_bytes(pcap(frames))
    return reader.load(file)


def after(tmp_path: Path, number: int, alone_ns: int = 20 * MS, first: int = 0) -> reader.PcapFile:
    """Segments 0 to 4 in a stream up to the pause, then that one, and later the next."""
    before = [(PAUSE.begin_ns - (4 - index) * MS, tcp(index, first=first)) for index in range(5)]
    later = [(PAUSE.end_ns, tcp(number, first=first)), (PAUSE.end_ns + alone_ns, tcp(number + 1, first=first))]
    return captured(tmp_path, [*before, *later])


def sender(
    rto_ms: float = 220.0,
    rtt_ms: float = 15.0,
    retransmits: Sequence[int] = (2, 2, 2, 3, 3),
    backoff: Sequence[tuple[int, int]] = (),
    unsent: int = 0,
    capture: reader.PcapFile | None = None,
) -> list[Sender]:
    """What ss on h1 sampled each 100 ms from the beginning of the pause on, and what was captured there."""
    stamps = [PAUSE.begin_ns + index * 100 * MS for index in range(len(retransmits))]
    steady = {"rto": rto_ms, "rtt": rtt_ms, "min_rtt": 10.0, "unsent": unsent}
    series = [
        TimeSeries(f"retransmits/{CONNECTION}", "segments", stamps, list(retransmits)),
        *(TimeSeries(f"{name}/{CONNECTION}", "", stamps, [value] * len(stamps)) for name, value in steady.items()),
    ]
    if backoff:
        times, values = zip(*backoff, strict=True)
        series.append(TimeSeries(f"backoff/{CONNECTION}", "times", list(times), list(values)))
    return [Sender("h1", series, capture)]


def left(tmp_path: Path, number: int, *, twice: bool, ack_ns: int | None = None) -> reader.PcapFile:
    """What left the sender: segments 0 to 8 until the pause, then one of that number; an ACK came at ``ack_ns``."""
    frames = [(PAUSE.begin_ns - (10 - index) * MS, tcp(index)) for index in range(9 if twice else number)]
    if ack_ns is not None:
        frames.append(
            (ack_ns, ipv4(6, struct.pack(">HHIIBBHHH", 53042, 80, 0, 0, 0x50, 16, 9, 0, 0), TO[:8], FROM[:8]))
        )
    file = tmp_path / "sent.pcap"
    file.write_bytes(pcap([*frames, (PAUSE.end_ns - 5 * MS, tcp(number))]))
    return reader.load(file)


def why(capture: reader.PcapFile, handoff: Handoff = HANDOFF, senders: Any = ()) -> list[dict[str, Any]]:
    return causes(handoff, PAUSE, capture, 0, senders)


def test_a_segment_is_distinguished_from_other_packets() -> None:
    assert segment(tcp(3)) == Segment(CONNECTION, 3 * BYTES, BYTES)
    assert segment(tcp(3)[:60]) == Segment(CONNECTION, 3 * BYTES, BYTES), "cut by the capture"
    assert segment(tcp(3, size=0) + bytes(6)) == Segment(CONNECTION, 3 * BYTES, 0), "an ACK, padded"
    assert Segment(CONNECTION, 0, 0).reverse == f"{TO}-{FROM}"
    assert [Segment("", 2**32 - 2, 4).has(number) for number in (2**32 - 3, 2**32 - 1, 1, 2)] == [
        False,
        True,
        True,
        False,
    ]
    assert segment(dhcp()) is None and is_dhcp(dhcp()) and not is_dhcp(tcp(3))
    assert segment(bytes(20)) is None and not is_dhcp(b"")


def test_what_ipv6_has_instead_of_arp_is_not_data() -> None:
    head = bytes(12) + b"\x86\xdd" + bytes(6)
    assert is_neighbour_discovery(head + b"\x3a" + bytes(33) + b"\x87")  # a neighbour solicitation
    assert not is_neighbour_discovery(head + b"\x3a" + bytes(33) + b"\x80")  # an echo request
    assert not is_neighbour_discovery(head + b"\x06" + bytes(33) + b"\x87") and not is_neighbour_discovery(b"")


@pytest.mark.parametrize("first", [0, 2**32 - 2500])  # sequence numbers wrap
@pytest.mark.parametrize(("number", "oldest"), [(5, True), (4, True), (7, False)])
def test_what_a_receiver_waited_for(tmp_path: Path, first: int, number: int, oldest: bool) -> None:
    assert resumed(after(tmp_path, number, first=first), 0, PAUSE) == Resumed(
        Segment(CONNECTION, (first + number * BYTES) % 2**32, BYTES), oldest, 300 * MS, 20 * MS
    )


def test_a_connection_that_begins_after_the_pause_does_not_resume(tmp_path: Path) -> None:
    assert resumed(captured(tmp_path, [(PAUSE.end_ns, tcp(0))]), 0, PAUSE) is None


def test_a_scan_in_the_pause(tmp_path: Path) -> None:
    begun = PAUSE.begin_ns - 5 * MS
    handoff = Handoff(HANDOFF.begin_ns, "station", scan_started_ns=begun, scan_done_ns=begun + 120 * MS)
    assert why(after(tmp_path, 5), handoff) == [{"cause": "scan", "took_ns": 115 * MS}]
    earlier = Handoff(HANDOFF.begin_ns, "station", scan_started_ns=SECOND, scan_done_ns=SECOND + 120 * MS)
    assert why(after(tmp_path, 5), earlier) == []


def test_an_address_by_dhcp(tmp_path: Path) -> None:
    begun = HANDOFF.begin_ns + 15 * MS
    frames = [(PAUSE.begin_ns, tcp(0)), (begun, dhcp()), (begun + 40 * MS, dhcp()), (PAUSE.end_ns, tcp(1))]
    capture = captured(tmp_path, frames)
    assert why(capture) == [{"cause": "dhcp", "took_ns": 40 * MS}]
    assert Downlink(capture, STA1, 0).t_ns == [PAUSE.begin_ns, PAUSE.end_ns], "DHCP is not data"
    assert why(captured(tmp_path, [frames[0], frames[1], frames[3]])) == [], "a single packet takes no time"


RTO = {"cause": "rto", "node": "h1", "rto_ns": 220 * MS, "retransmits": 1}
PROBE = {"cause": "probe", "node": "h1", "rto_ns": 400 * MS, "retransmits": 1}


def test_a_retransmission_timer_that_expired(tmp_path: Path) -> None:
    assert why(after(tmp_path, 5), senders=sender()) == [RTO]
    doubled = sender(400.0, backoff=[(PAUSE.begin_ns + 200 * MS, 1)])
    assert why(after(tmp_path, 7), senders=doubled) == [{**RTO, "rto_ns": 400 * MS}], "ss saw it"


def test_a_tail_loss_probe(tmp_path: Path) -> None:
    """It sends the last segment again, or a new one if there is more to send."""
    again, new = left(tmp_path, 7, twice=True), left(tmp_path, 7, twice=False)
    assert why(after(tmp_path, 7), senders=sender(400.0, capture=again)) == [PROBE]
    assert why(after(tmp_path, 7), senders=sender(400.0, capture=new, unsent=9000)) == [PROBE]


def test_what_an_ack_or_the_application_sent_is_no_probe(tmp_path: Path) -> None:
    assert why(after(tmp_path, 7), senders=sender(400.0)) == [], "nobody saw it leave"
    new = left(tmp_path, 7, twice=False)
    assert why(after(tmp_path, 7), senders=sender(400.0, capture=new)) == [], "there was nothing to send before"
    late = left(tmp_path, 7, twice=True, ack_ns=PAUSE.end_ns - 10 * MS)
    assert why(after(tmp_path, 7), senders=sender(400.0, capture=late)) == []


RECORDED = Path(__file__).parents[2] / "fixtures" / "pauses"
EPOCH_NS = 1_767_225_600_999_999_744


@pytest.mark.parametrize(
    ("name", "pause", "connected_ns", "found"),
    [
        ("rto", Pause(3_000_340_736, 3_291_466_240), 3_070_236_416, {"rto_ns": 225 * MS, "retransmits": 1}),
        ("probe", Pause(4_372_288_512, 4_459_465_984), 4_438_067_200, {"rto_ns": 259 * MS, "retransmits": 1}),
    ],
)
def test_handoffs_of_a_real_run(name: str, pause: Pause, connected_ns: int, found: dict[str, int]) -> None:
    """Cut from http/download in two-aps-handoff, with roam events and a capture on h1: times of its record."""
    captured, sent = (reader.load(RECORDED / name / f"{which}.pcap") for which in ("capture", "sent"))
    sampled = load("ss").parse(Raw(RECORDED / name, "sockets")).series
    handoff = Handoff(connected_ns - 5 * MS, "roam", connected_ns=connected_ns)
    expected = [{"cause": name, "node": "h1", **found}]
    assert causes(handoff, pause, captured, EPOCH_NS, [Sender("h1", sampled, sent)]) == expected
    alone = causes(handoff, pause, captured, EPOCH_NS, [Sender("h1", sampled)])
    assert alone == (expected if name == "rto" else []), "a probe is seen only where it leaves"
    assert causes(handoff, pause, captured, EPOCH_NS, []) == []


@pytest.mark.parametrize(
    ("number", "senders"),
    [
        (5, []),  # nobody looked at the sender
        (5, sender(retransmits=[2] * 5)),  # it did not retransmit: the network delayed the segment
        (5, sender(retransmits=[2, 2])),  # the samples end before the pause does
        (5, sender(400.0)),  # too early for a timeout; a fast retransmission, or a probe
        (5, sender(rtt_ms=160.0)),  # what was on its way may have taken so long
        (7, sender(220.0)),  # behind a hole, after a timeout: the first segment may have been lost again
        (5, sender(400.0, backoff=[(PAUSE.begin_ns - MS, 1)])),  # it had backed off before
        (5, [Sender("h1", [])]),
    ],
)
def test_what_the_data_do_not_show_is_not_claimed(tmp_path: Path, number: int, senders: Any) -> None:
    assert why(after(tmp_path, number), senders=senders) == []


@pytest.mark.parametrize(("number", "rto_ms"), [(5, 220.0), (7, 400.0)])
def test_what_a_queue_kept_was_sent_by_no_timer(tmp_path: Path, number: int, rto_ms: float) -> None:
    assert why(after(tmp_path, number, alone_ns=MS), senders=sender(rto_ms)) == []
    last = [(PAUSE.begin_ns, tcp(4)), (PAUSE.end_ns, tcp(number))]
    assert why(captured(tmp_path, last), senders=sender(rto_ms)) == [], "no segment follows that could have waited"


ROW: dict[str, Any] = {
    "at_ns": 10 * SECOND, "station": "sta1", "measured": "data frames", "begin_ns": HANDOFF.begin_ns,
    "connected_ns": HANDOFF.connected_ns, "last_data_ns": PAUSE.begin_ns, "first_data_ns": PAUSE.end_ns,
}  # fmt: skip
LONG = "At 10 s, sta1 received no data for 300 ms, but was without an access point for only 10 ms"


@pytest.mark.parametrize(
    ("found", "sentence"),
    [
        ([], f"{LONG}; this run's data do not show why."),
        ([{"cause": "scan", "took_ns": 115 * MS}], f"{LONG}: a scan took 115 ms of the pause."),
        (
            [{"cause": "dhcp", "took_ns": 40 * MS}, {**RTO, "retransmits": 3}],
            f"{LONG}: it asked for an address by DHCP for 40 ms, and h1 retransmitted only when its timer "
            "of 220 ms expired (3 retransmissions around then); these times may overlap.",
        ),
        (
            [PROBE],
            f"{LONG}: h1 sent a tail loss probe before its retransmission timer of 400 ms expired "
            "(1 retransmission around then).",
        ),
    ],
)
def test_one_sentence_says_why(found: list[dict[str, Any]], sentence: str) -> None:
    assert explained({**ROW, "why": found}) == sentence


@pytest.mark.parametrize(
    "change",
    [{"measured": "events"}, {"connected_ns": None}, {"first_data_ns": PAUSE.begin_ns + 25 * MS}],
)
def test_a_pause_that_is_no_longer_is_not_explained(change: dict[str, Any]) -> None:
    assert explained({**ROW, "why": [RTO], **change}) is None
