# SPDX-License-Identifier: MIT
"""ROHC-TCP: the decompressor restores what the compressor sends, whatever is lost; sizes of RFC 6846; the table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lab.errors import LabError
from workloads.hack.rohc import __main__ as rohc
from workloads.hack.rohc.compress import Compressed, Compressor
from workloads.hack.rohc.crc import crc3, crc7, crc8
from workloads.hack.rohc.decompress import RANDOM, SEQUENTIAL, DamagedError, Decompressor
from workloads.hack.rohc.header import Header, Nop, NotPureAckError, Option, Sack, Timestamps, parsed

STAMPED = (Nop(), Nop(), Timestamps(1000, 2000))
FIRST = Header(b"\x0a\0\0\1", b"\x0a\0\0\2", 5201, 40000, 7, 1000, 2000, 500, 0x1234, STAMPED)
SEGMENT = 1448
WORD = 0xFFFFFFFF


def sent(headers: Sequence[Header], losses: int = 0, cid: int = 0, msn: int = 0) -> list[Compressed]:
    compressor = Compressor(cid, losses, msn)
    return [compressor.compress(header) for header in headers]


def restored(packets: Sequence[bytes]) -> list[bytes]:
    decompressor = Decompressor()
    return [decompressor.decompress(packet) for packet in packets]


def later(header: Header, segments: int = 2, ticks: int = 3, **changes: Any) -> Header:
    """The next ACK of a download."""
    options = tuple(
        Timestamps(option.value + ticks & WORD, option.echo + ticks & WORD)
        if isinstance(option, Timestamps)
        else option
        for option in header.options
    )
    plain: dict[str, Any] = {
        "ip_id": header.ip_id + 1 & 0xFFFF,
        "ack": header.ack + segments * SEGMENT & WORD,
        "options": options,
    }
    return replace(header, **{**plain, "checksum": header.checksum * 7 + 1 & 0xFFFF, **changes})


def download(count: int, **first: Any) -> list[Header]:
    headers = [replace(FIRST, **first)]
    while len(headers) < count:
        headers.append(later(headers[-1]))
    return headers


@pytest.mark.parametrize(
    ("octets", "three", "seven", "eight"),
    [(bytes.fromhex("45000028"), 0x0, 0x50, 0x76), (b"123456789", 0x6, 0x53, 0xD0)],
)
def test_crcs_are_those_of_the_program_in_rfc_5795(octets: bytes, three: int, seven: int, eight: int) -> None:
    assert (crc3(octets), crc7(octets), crc8(octets)) == (three, seven, eight)


def test_sizes_of_rfc_6846() -> None:
    """Section 4.4: an ACK with timestamps takes 6 bytes if its number is scaled, 8 if not."""
    found = sent(download(40))
    assert [one.form for one in found[:2]] == ["IR", "seq_3"]
    assert len(found[1].octets) == 8 and found[-1].form == "seq_4" and len(found[-1].octets) == 6


def test_bytes_of_each_format() -> None:
    """Section 8.2, less the irregular chain: two bytes of TCP checksum, and the timestamps."""
    bits = {"rnd_1": 32, "rnd_3": 24, "rnd_4": 16, "rnd_5": 40, "rnd_7": 48, "rnd_8": 56}
    bits |= {"seq_1": 32, "seq_3": 32, "seq_4": 16, "seq_5": 48, "seq_7": 48, "seq_8": 56}
    seen = Counter[str]()
    for ip_id in (7, 0):
        for change in CHANGES:
            headers = download(30, ip_id=ip_id)
            if not ip_id:
                headers = [replace(header, ip_id=0) for header in headers]
            ahead = later(headers[-1], **({} if ip_id else {"ip_id": 0}))
            (last,) = sent([*headers, change(headers[-1], ahead)])[-1:]
            if last.form != "co_common":
                assert 8 * (len(last.octets) - 4) == bits[last.form], last.form
            seen[last.form] += 1
    assert set(seen) == {*bits, "co_common"} == {*SEQUENTIAL, *RANDOM}


def test_an_unchanged_timestamp_takes_three_bytes() -> None:
    """lsb(7, -1) and lsb(14, -1) begin at the next value, so 21 bits are the fewest for the same."""
    headers = download(30)
    headers += [
        later(headers[-1], ticks=0),
        later(later(headers[-1]), ticks=128),
        later(later(headers[-1]), ticks=5000),
    ]
    assert [len(one.octets) for one in sent(headers)[-3:]] == [10, 8, 8]


CHANGES: Sequence[Callable[[Header, Header], Header]] = [
    lambda last, ahead: ahead,
    lambda last, ahead: replace(ahead, ack=last.ack + 2),
    lambda last, ahead: replace(ahead, ack=last.ack, seq=last.seq + 40),
    lambda last, ahead: replace(ahead, ack=last.ack + 2, seq=last.seq + 40),
    lambda last, ahead: replace(ahead, window=last.window - 1),
    lambda last, ahead: replace(ahead, ttl=last.ttl - 1),
    lambda last, ahead: replace(ahead, ttl=last.ttl - 1, window=9),
]


def test_a_master_sequence_number_wraps() -> None:
    headers = download(40)
    assert restored([one.octets for one in sent(headers, msn=0xFFF0)]) == [header.packed() for header in headers]


@pytest.mark.parametrize("cid", [0, 1, 15])
def test_a_small_cid_takes_a_byte(cid: int) -> None:
    headers = download(40)
    plain, found = sent(headers), sent(headers, cid=cid)
    assert [len(one.octets) - len(other.octets) for one, other in zip(found, plain, strict=True)] == [cid > 0] * 40
    assert restored([one.octets for one in found]) == [header.packed() for header in headers]


def test_flows_have_contexts_of_their_own() -> None:
    flows = [download(20, source_port=port) for port in (1, 2, 3)]
    packets = [sent(headers, cid=cid) for cid, headers in enumerate(flows)]
    turns = [one.octets for together in zip(*packets, strict=True) for one in together]
    assert restored(turns) == [header.packed() for together in zip(*flows, strict=True) for header in together]


def test_what_cannot_be() -> None:
    with pytest.raises(ValueError, match="16 is not a small CID: 0 to 15"):
        Compressor(cid=16)
    with pytest.raises(ValueError, match="11 losses: 0 to 10"):
        Compressor(losses=11)
    with pytest.raises(ValueError, match="of another flow"):
        sent([FIRST, replace(FIRST, source_port=1)])


@pytest.mark.parametrize(
    ("at", "value", "why"),
    [
        (0, 0x46, "neither IPv4 without options nor TCP"),
        (9, 17, "neither IPv4 without options nor TCP"),
        (33, 0x12, "SYN, FIN, RST, or no ACK"),
        (33, 0x00, "SYN, FIN, RST, or no ACK"),
        (3, 53, "data, or truncated"),
        (6, 0x20, "a fragment, or a wrong checksum of IP"),
        (11, 0, "a fragment, or a wrong checksum of IP"),
        (40, 3, "an option twice, or malformed"),
        (42, 30, "option 30"),
    ],
)
def test_what_is_not_compressed(at: int, value: int, why: str) -> None:
    packet = bytearray(FIRST.packed())
    assert parsed(bytes(packet)) == FIRST == parsed(bytes(packet) + b"padding")
    packet[at] = value
    with pytest.raises(NotPureAckError, match=why):
        parsed(bytes(packet))


def test_a_truncated_packet_is_not_compressed() -> None:
    for size in range(52):
        with pytest.raises(NotPureAckError):
            parsed(FIRST.packed()[:size])


def test_damage_is_noticed_and_leaves_the_context() -> None:
    headers = download(30)
    packets = [one.octets for one in sent(headers)]
    for index in (0, 1, 20):
        for size in range(len(packets[index])):
            decompressor = Decompressor()
            for packet in packets[:index]:
                decompressor.decompress(packet)
            with pytest.raises(DamagedError):
                decompressor.decompress(packets[index][:size])
            with pytest.raises(DamagedError):
                decompressor.decompress(packets[index] + b"\0")
            assert decompressor.decompress(packets[index]) == headers[index].packed()


def test_damaged_bits_are_noticed() -> None:
    """All single bits of an IR packet, which has a CRC-8; of a CO packet, those that change the MSN or the numbers."""
    headers = download(30)
    packets = [one.octets for one in sent(headers)]
    for bit in range(8 * len(packets[0])):
        with pytest.raises(DamagedError):
            restored([flipped(packets[0], bit)])
    wrong = 0
    for bit in range(8 * len(packets[29])):
        try:
            assert restored([*packets[:29], flipped(packets[29], bit)])[-1] != headers[29].packed()
        except DamagedError:
            wrong += 1
    assert wrong >= 7 / 8 * 8 * len(packets[29])


def flipped(packet: bytes, bit: int) -> bytes:
    return (int.from_bytes(packet) ^ 1 << bit).to_bytes(len(packet))


def test_the_stride_is_that_of_the_acks() -> None:
    """One segment now and then, among ACKs of two: the stride becomes one segment once, and stays."""
    headers = download(12)
    headers.append(later(headers[-1], segments=1))
    for _ in range(12):
        headers.append(later(headers[-1]))
    forms = [one.form for one in sent(headers)]
    assert forms[-1] == "seq_4" and forms.count("co_common") == 2


def test_a_change_is_repeated_as_often_as_packets_may_be_lost() -> None:
    headers = download(30)
    headers.append(later(headers[-1], window=400))
    for _ in range(6):
        headers.append(later(headers[-1]))
    for losses in (0, 3):
        forms = [one.form for one in sent(headers, losses)][30:]
        assert forms == ["seq_7"] * (losses + 1) + ["seq_4"] * (6 - losses)
        assert [one.form for one in sent(headers, losses)][: losses + 2] == ["IR"] * (losses + 1) + ["seq_3"]


def test_the_table() -> None:
    """The paper's row is its table 2; those of ROHC-TCP are sums over the packets."""
    headers = [header for port in (1, 2) for header in download(20, source_port=port)]
    row, forms = rohc.compressed(headers, 0)
    packets = [one for port in (0, 20) for one in sent(headers[port : port + 20])]
    later_sizes = [len(one.octets) for one in packets if one.form != "IR"]
    assert forms == Counter(one.form for one in packets)
    assert row.whole == 2 and row.whole_bytes == 2 * len(packets[0].octets)
    assert (row.compressed, row.compressed_bytes, row.packet_bytes) == (38, sum(later_sizes), 38 * 52)
    lines = list(rohc.table(rohc.Acks(headers, Counter(), 5, 35, 150, 35 * 52)))
    assert [line.split()[-6:] for line in lines[1:5]] == [
        ["10", "520", "9050", "39478", "4.36", "11.9"],
        ["5", "\N{EN DASH}", "35", "150", "4.29", "12.1"],
        row_cells(row, 0),
        row_cells(row, 38),
    ]
    assert lines[5].split()[-6:] == row_cells(row, -76)
    assert len({len(line) for line in lines[:7]}) == 1 and lines[6].startswith("ROHC-TCP, RFC 6846, robust to 3")
    assert lines[7] == "formats, 0 lost in a row: 22 seq_4, 14 seq_3, 2 IR, 2 co_common"


def row_cells(row: rohc.Row, more: int) -> list[str]:
    size = row.compressed_bytes + more
    return ["2", str(row.whole_bytes), "38", str(size), f"{size / 38:.2f}", f"{38 * 52 / size:.1f}"]


def test_a_packet_that_is_not_restored_ends_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Decompressor, "decompress", lambda _, packet: FIRST.packed())
    with pytest.raises(LabError, match="a packet of format seq_3 is restored wrongly"):
        rohc.compressed(download(2), 0)


# Any stream of ACKs, and any losses

STEPS = st.one_of(st.sampled_from([0, SEGMENT, 2 * SEGMENT, 3, 20 * SEGMENT]), st.integers(0, WORD))
TICKS = st.one_of(st.integers(0, 3), st.sampled_from([127, 128, 129, 16384, 16385]), st.integers(0, WORD))
EDGES = st.one_of(
    st.sampled_from([0, SEGMENT, 0x7FFF, 0x8000, 0x3FFFFF, 0x400000, 0x1FFFFFFF, 0x20000000]), st.integers(0, WORD)
)


@st.composite
def options(draw: st.DrawFn, last: tuple[Option, ...], ack: int) -> tuple[Option, ...]:
    """Options as Linux lays them out, or without order."""
    stamp = next((option for option in last if isinstance(option, Timestamps)), Timestamps(0, 0))
    found: list[Option] = []
    if draw(st.integers(0, 9)):
        ticks, echoes = draw(TICKS), draw(TICKS)
        found += [Nop(), Nop(), Timestamps(stamp.value + ticks & WORD, stamp.echo + echoes & WORD)]
    if not draw(st.integers(0, 3)):
        sack = next((option for option in last if isinstance(option, Sack)), None)
        if sack is None or draw(st.booleans()):
            blocks, edge = [], ack
            for _ in range(draw(st.integers(1, 2 if found else 4))):
                left = edge + draw(EDGES) & WORD
                edge = left + draw(EDGES) & WORD
                blocks.append((left, edge))
            sack = Sack(tuple(blocks))
        if len(sack.blocks) <= 3 or not found:
            found += [Nop(), Nop(), sack]
    return tuple(found)


@st.composite
def streams(draw: st.DrawFn) -> list[Header]:
    headers = [replace(FIRST, ip_id=draw(st.sampled_from([0, 7])), ack=draw(st.sampled_from([0, 2000, WORD - 9000])))]
    patterns = st.sampled_from(["next", "next", "next", "some", "zero", "any"])
    pattern = draw(patterns)
    for _ in range(draw(st.integers(1, 40))):
        last = headers[-1]
        if not draw(st.integers(0, 9)):
            pattern = draw(patterns)
        ip_ids = {"next": last.ip_id + 1, "some": last.ip_id + 9, "zero": 0, "any": draw(st.integers(0, 0xFFFF))}
        changes: dict[str, Any] = {}
        for name, most in (("window", 0xFFFF), ("ttl", 255), ("seq", WORD), ("urgent", 0xFFFF)):
            if not draw(st.integers(0, 7)):
                changes[name] = draw(st.one_of(st.integers(0, most), st.just(getattr(last, name) + 1 & most)))
        for name, bits in (
            ("dscp", 6),
            ("ip_ecn", 2),
            ("reserved", 4),
            ("tcp_ecn", 2),
            ("df", 1),
            ("psh", 1),
            ("urg", 1),
        ):
            if not draw(st.integers(0, 19)):
                changes[name] = draw(st.integers(0, (1 << bits) - 1))
        ack = last.ack + draw(STEPS) & WORD
        checksum = draw(st.integers(0, 0xFFFF))
        chosen = draw(options(last.options, ack))
        ip_id = ip_ids[pattern] & 0xFFFF
        headers.append(replace(last, ack=ack, ip_id=ip_id, checksum=checksum, options=chosen, **changes))
    return headers


@settings(max_examples=150, deadline=None)
@given(streams(), st.data(), st.integers(0, 4))
def test_what_arrives_is_restored(headers: list[Header], data: st.DataObject, losses: int) -> None:
    packets = sent(headers, losses)
    decompressor = Decompressor()
    for header, lost, packet in zip(headers, losing(data, losses, len(headers)), packets, strict=True):
        assert parsed(header.packed()) == header
        if not lost:
            assert decompressor.decompress(packet.octets) == header.packed(), packet.form


def losing(data: st.DataObject, most: int, count: int) -> Iterator[bool]:
    """Whether each packet is lost: never more than so many in a row."""
    row = 0
    for _ in range(count):
        lost = row < most and data.draw(st.booleans())
        row = row + 1 if lost else 0
        yield lost


@settings(max_examples=150, deadline=None)
@given(st.binary(max_size=80))
def test_any_bytes_are_restored_or_refused(noise: bytes) -> None:
    decompressor = Decompressor()
    for packet in (one.octets for one in sent(download(20))):
        decompressor.decompress(packet)
    for start in (b"", b"\xfd\x06", b"\xfa", b"\xb8"):
        try:
            assert len(decompressor.decompress(start + noise)) >= 40
        except DamagedError:
            continue
