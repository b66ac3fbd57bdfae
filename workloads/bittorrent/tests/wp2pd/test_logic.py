# SPDX-License-Identifier: MIT
"""What wp2pd does with packets: which acknowledgements it sends as pure ACKs, and what these look like."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from . import fuzz
from .packets import ACK, CWR, ECE, FIN, PSH, RST, SYN, URG, WP2PD, Segment, Talk, compiled, drive

MSS = 1448
MS = 1000
RTT = 100 * MS


def opened(seq: int = 999, remote: int = 4999) -> Talk:
    """Return a connection that the mobile host has opened in 100 ms. Its next numbers are one more."""
    talk = Talk()
    talk.sends(0, seq=seq, flags=SYN, ack=0)
    talk.receives(RTT, seq=remote, ack=seq + 1, flags=SYN | ACK)
    talk.sends(RTT, seq=seq + 1, ack=remote + 1)
    return talk


def exchange(talk: Talk, at_us: int, packets: int, seq: int = 1000, ack: int = 5000) -> None:
    """The remote end sends packets, and the mobile host answers each with data."""
    for number in range(packets):
        talk.receives(at_us, seq=ack + number * MSS, ack=seq + number * 100, payload=MSS)
        talk.sends(at_us, seq=seq + number * 100, ack=ack + (number + 1) * MSS, payload=100)


def test_new_acknowledgements_on_data_go_first_as_pure_acks_while_young(program: Path) -> None:
    talk = opened()
    exchange(talk, RTT + MS, 3)
    done = drive(program, talk.lines)
    assert done.said[3:] == ["pass", "ack", "pass", "ack", "pass", "ack"]
    for number, pure in enumerate(done.pure.values()):
        assert pure == Segment(seq=1000 + 100 * number, ack=5000 + MSS * (number + 1))
    assert done.counts["added"] == 3 and done.counts["young"] == 1


def test_what_says_nothing_new_stays_alone(program: Path) -> None:
    """Data with an acknowledgement that has been sent, pure ACKs, and an older acknowledgement."""
    talk = opened()
    talk.receives(RTT + MS, seq=5000, ack=1000, payload=MSS)
    talk.sends(RTT + MS, seq=1000, ack=5000 + MSS)
    talk.sends(RTT + 2 * MS, seq=1000, ack=5000 + MSS, payload=100)
    talk.sends(RTT + 3 * MS, seq=1100, ack=5000, payload=100)
    done = drive(program, talk.lines)
    assert done.said == ["pass"] * 7 and done.counts["added"] == 0


@pytest.mark.parametrize("flags", [SYN | ACK, FIN | ACK, RST | ACK, URG | ACK, PSH])
def test_opening_and_ending_segments_are_untouched(program: Path, flags: int) -> None:
    """The last one has no acknowledgement."""
    talk = opened()
    talk.receives(RTT + MS, seq=5000, ack=1000, payload=MSS)
    talk.sends(RTT + MS, seq=1000, ack=5000 + MSS, payload=100, flags=flags)
    assert drive(program, talk.lines).said == ["pass"] * 5


def rounds(talk: Talk, each: list[int]) -> None:
    """In each round trip, the remote end sends so many packets; data goes out after each."""
    seq, ack = 1000, 5000
    for number, packets in enumerate(each):
        at_us = RTT + number * RTT + MS
        for _ in range(packets):
            talk.receives(at_us, seq=ack, ack=1000, payload=MSS)
            ack += MSS
            talk.sends(at_us, seq=seq, ack=ack, payload=100)
            seq += 100


@pytest.mark.parametrize(("gamma", "mature"), [(9000, 7), (7 * MSS, 7), (7 * MSS + 1, 8), (1, 1), (0, 0)])
def test_gamma_is_what_arrived_in_the_round_trip_before(program: Path, gamma: int, mature: int) -> None:
    """6 packets are 8688 bytes, so less than 9 KB; 7 are 10 136. With 0, no connection is young."""
    for packets in range(9):
        talk = opened()
        rounds(talk, [packets, 1])
        done = drive(program, talk.lines, gamma)
        assert done.said[-1] == ("pass" if packets >= mature else "ack"), packets
        assert done.counts["added"] + done.counts["left_alone"] == packets + 1


def test_a_mature_connection_that_pauses_is_young_again(program: Path) -> None:
    """In the round trip before the last packet, nothing arrived."""
    talk = opened()
    rounds(talk, [10, 10, 0, 1])
    done = drive(program, talk.lines)
    assert done.said[-1] == "ack" and done.counts == {
        **{"added": 11, "left_alone": 10, "duplicates": 0, "dropped": 0, "refused": 0, "young": 1, "mature": 0}
    }


def test_a_repeated_segment_is_acknowledged_by_a_number_in_the_window(program: Path) -> None:
    """The pure ACK has the next sequence number, not that of the old data, which the other end would refuse."""
    talk = opened()
    talk.sends(RTT + MS, seq=1000, ack=5000, payload=1000)
    talk.sends(RTT + MS, seq=2000, ack=5000, payload=1000)
    talk.receives(2 * RTT, seq=5000, ack=1000, payload=MSS)
    talk.sends(2 * RTT, seq=1000, ack=5000 + MSS, payload=1000)
    assert drive(program, talk.lines).pure[6].seq == 3000


def test_a_repeated_segment_does_not_time_the_round_trip(program: Path) -> None:
    """Karn: if it did, a round trip would seem to take half a second, and the estimate would be five times higher."""
    talk = opened()
    talk.sends(RTT + MS, seq=1000, ack=5000, payload=100)
    talk.sends(RTT + 499 * MS, seq=1000, ack=5000, payload=100)
    talk.receives(RTT + 500 * MS, seq=5000, ack=1100, payload=0)
    seq, ack = 1100, 5000
    for number in range(40):  # two packets in each 100 ms
        at_us = RTT + 501 * MS + number * RTT // 2
        talk.receives(at_us, seq=ack, ack=1100, payload=MSS)
        ack += MSS
        talk.sends(at_us, seq=seq, ack=ack, payload=100)
        seq += 100
    assert drive(program, talk.lines, 2 * MSS + 1).counts["left_alone"] == 0


def test_a_connection_that_was_open_before_is_left_alone_until_its_numbers_are_known(program: Path) -> None:
    talk = Talk()
    exchange(talk, 0, 2)
    assert drive(program, talk.lines).said == ["pass", "pass", "pass", "ack"]


def test_sequence_numbers_begin_again_at_zero(program: Path) -> None:
    talk = opened(seq=2**32 - 51, remote=2**32 - 1001)
    exchange(talk, RTT + MS, 3, 2**32 - 50, 2**32 - 1000)
    pure = drive(program, talk.lines).pure
    assert [(one.seq, one.ack) for one in pure.values()] == [(2**32 - 50, 448), (50, 1896), (150, 3344)]


def test_options_of_a_pure_ack(program: Path) -> None:
    """It keeps timestamps and SACK blocks, ECE and the traffic class; CWR and an ECN codepoint are the data's."""
    talk = opened()
    data: dict[str, Any] = {"seq": 1000, "ack": 6000, "payload": 50, "window": 77, "times": (2**32 - 1, 3)}
    sack = ((7000, 8000), (9000, 9100))
    talk.sends(RTT + MS, **data, sack=sack, flags=ACK | PSH | ECE | CWR, traffic_class=0xB8 | 2)
    (pure,) = drive(program, talk.lines).pure.values()
    wanted = {**data, "payload": 0}
    assert pure == Segment(**wanted, sack=sack, flags=ACK | ECE, traffic_class=0xB8)


@pytest.mark.parametrize(
    ("sack", "kept"),
    [
        (((5500, 5600),), ()),  # below the acknowledgement
        (((5500, 5600), (7000, 8000)), ((7000, 8000),)),
        (((7100, 7200), (7000, 8000)), ((7000, 8000),)),  # within the second block
        (((7000, 8000), (7100, 8100)), ((7000, 8000), (7100, 8100))),
    ],
)
def test_what_arrived_twice_is_reported_once(program: Path, sack: Any, kept: Any) -> None:
    """D-SACK goes with the data only (RFC 2883), or the other end would count two."""
    talk = opened()
    talk.sends(RTT + MS, seq=1000, ack=6000, payload=50, sack=sack)
    assert [pure.sack for pure in drive(program, talk.lines).pure.values()] == [kept]


def test_unknown_options_leave_a_segment_alone(program: Path) -> None:
    """A signature, for example, is that of one segment."""
    talk = opened()
    talk.sends(RTT + MS, seq=1000, ack=6000, payload=50, more_options=bytes([19, 18]) + bytes(16))
    done = drive(program, talk.lines)
    assert done.said[-1] == "pass" and done.counts["refused"] == 1


def test_ipv6_and_without_timestamps(program: Path) -> None:
    ends: dict[str, Any] = {"source": ("2001:db8::2", 40000), "to": ("2001:db8::1", 51413)}
    talk = Talk()
    talk.sends(0, **ends, ack=5000, payload=10, times=None)
    talk.sends(MS, **ends, seq=1010, ack=6000, payload=10, times=None, traffic_class=0x23)
    (pure,) = drive(program, talk.lines).pure.values()
    assert pure == Segment(**ends, seq=1010, ack=6000, times=None, traffic_class=0x20)


def gap(talk: Talk, rounds_ms: int, between: bool, count: int = 8, sack: bool = True, later: int = 0) -> None:
    """A packet is missing, and ``count`` later ones cause DUPACKs; ``between``: data goes out before each of them.

    Without ``sack``, neither data nor DUPACKs have SACK blocks. ``later``: bytes that the DUPACK reports and the data
    before it did not.
    """
    seq, ack = 100_000, 500_000
    talk.sends(rounds_ms * MS, seq=seq, ack=ack, payload=100)
    for number in range(count):
        at_us = (rounds_ms + number) * MS
        end = ack + MSS * (number + 2)
        talk.receives(at_us, seq=end - MSS, ack=seq, payload=MSS)
        if between:
            told = ((ack + MSS, end - later),) if sack else ()
            talk.sends(at_us, seq=seq + 100 * (number + 1), ack=ack, payload=100, sack=told)
        talk.sends(at_us, seq=seq + 100 * (number + 1), ack=ack, sack=((ack + MSS, end),) if sack else ())


def mature() -> Talk:
    """A connection in whose last round trip 20 packets arrived."""
    talk = opened()
    rounds(talk, [20])
    return talk


@pytest.mark.parametrize("sack", [True, False])
def test_dupacks_are_thinned_after_the_third(program: Path, sack: bool) -> None:
    """Every second one, and only if data has carried what it says. Without SACK, it says nothing but that it is one."""
    talk = mature()
    gap(talk, 210, between=True, sack=sack)
    done = drive(program, talk.lines, dupacks="thin")
    assert done.said[-24:][2::3] == ["pass", "pass", "pass", "drop", "pass", "drop", "pass", "drop"]
    assert (done.counts["duplicates"], done.counts["dropped"]) == (8, 3)
    assert drive(program, talk.lines).counts["dropped"] == 0  # the default: as the paper


def test_a_dupack_that_reports_more_than_the_data_before_it_passes(program: Path) -> None:
    """Each reports one byte that no segment has reported."""
    talk = mature()
    gap(talk, 210, between=True, later=1)
    done = drive(program, talk.lines, dupacks="thin")
    assert (done.counts["duplicates"], done.counts["dropped"]) == (8, 0)


def test_each_block_of_a_dupack_must_have_been_reported(program: Path) -> None:
    """Data has reported one of two blocks, then the other one, then both in another order and more than is in them."""
    one, other = (502_000, 503_000), (505_000, 506_000)
    wider = ((504_000, 507_000), (501_000, 503_000))
    for told, wanted in (((one,), "pass"), ((other,), "pass"), (wider, "drop")):
        talk = mature()
        gap(talk, 210, between=True, count=3)
        talk.sends(215 * MS, seq=101_000, ack=500_000, payload=100, sack=told)
        talk.sends(215 * MS, seq=101_100, ack=500_000, sack=(one, other))
        assert drive(program, talk.lines, dupacks="thin").said[-1] == wanted


@pytest.mark.parametrize("sack", [True, False])
def test_dupacks_are_counted_with_and_without_sack(program: Path, sack: bool) -> None:
    talk = opened()
    gap(talk, 210, between=False, sack=sack)
    assert drive(program, talk.lines).counts["duplicates"] == 8


def test_a_repeated_acknowledgement_without_a_gap_is_not_a_dupack(program: Path) -> None:
    """As an answer to a keepalive probe is, when all that has arrived is acknowledged, or nothing has."""
    talk = opened()
    talk.sends(RTT + MS, seq=1000, ack=5000)
    talk.receives(RTT + 2 * MS, seq=5000, ack=1000, payload=MSS)
    for at_ms in (102, 200, 300):
        talk.sends(at_ms * MS, seq=1000, ack=5000 + MSS)
    assert drive(program, talk.lines).counts["duplicates"] == 0


def test_dupacks_pass_without_data_and_while_young(program: Path) -> None:
    talk = mature()
    gap(talk, 210, between=False)
    assert drive(program, talk.lines, dupacks="thin").counts["dropped"] == 0
    talk = opened()
    gap(talk, 210, between=True)
    assert drive(program, talk.lines, dupacks="thin").counts["dropped"] == 0


def test_a_new_window_is_not_a_dupack(program: Path) -> None:
    talk = mature()
    gap(talk, 210, between=True, count=3)
    talk.sends(215 * MS, seq=100_400, ack=500_000, payload=10)
    talk.sends(215 * MS, seq=100_410, ack=500_000, sack=((501_448, 509_000),), window=600)
    assert drive(program, talk.lines, dupacks="thin").counts["dropped"] == 0


def test_a_fifth_connection_of_a_set_replaces_the_idlest(program: Path) -> None:
    """5000 connections, more than there is room for: the newest are known, and nothing is written elsewhere."""
    talk = Talk()
    for number in range(5000):
        ends = {"source": ("10.0.0.2", 1024 + number)}
        talk.sends(number, **ends, ack=5000, payload=1)
        talk.sends(number, **ends, seq=1001, ack=6000, payload=1)
    done = drive(program, talk.lines)
    assert done.said == ["pass", "ack"] * 5000 and 900 < done.counts["young"] <= 1024


NUMBERS = st.integers(0, 2**32 - 1)
STEPS = st.tuples(
    st.booleans(), st.integers(0, 3000), st.integers(0, 2000), st.integers(0, 300), st.booleans(), st.booleans()
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=40)
@given(seq=NUMBERS, ack=NUMBERS, steps=st.lists(STEPS, max_size=40), gamma=st.sampled_from([0, 4000, 9000, 2**31]))
def test_acknowledgements_never_go_back(program: Path, seq: int, ack: int, steps: list[Any], gamma: int) -> None:
    """In what leaves the host, each pure ACK says something new, just before the data that says it, too."""
    talk, sent, now_us = opened(seq - 1, ack - 1), [], RTT
    end, known = seq, ack
    for out, payload, arrived, pause_ms, repeats, new in steps:
        now_us += pause_ms * MS
        if not out:
            talk.receives(now_us, seq=known, ack=end, payload=arrived)
            known += arrived
            continue
        start = end - min(payload, end - seq) if repeats else end
        told = known if new else ack
        talk.sends(now_us, seq=start % 2**32, ack=told % 2**32, payload=payload)
        sent.append((len(talk.lines) - 1, start, told, payload))
        end = max(end, start + payload)
    done = drive(program, talk.lines, gamma)
    newest, furthest = ack, seq
    for number, start, told, payload in sent:
        pure = done.pure.get(number)
        assert done.said[number] in ("pass", "ack")
        if pure:
            assert told > newest and payload and pure.ack == told % 2**32 and pure.payload == 0
            assert pure.seq == max(furthest, start) % 2**32
        newest, furthest = max(newest, told), max(furthest, start + payload)


def test_malformed_packets_do_no_harm(program: Path) -> None:
    """Any bytes, and packets with changed bytes or a missing end; what is added is always a valid packet."""
    for seed in range(4):
        done = drive(program, fuzz.packets(seed, 10_000), dupacks="thin")
        assert done.pure and {"none", "pass", "ack"} <= set(done.said)


@dataclass(frozen=True)
class Mistake:
    """What a file says, what a mistake would have made of it, and the test that tells."""

    name: str
    right: str
    wrong: str
    found_by: Callable[[Path], None]


def gamma_of_7(program: Path) -> None:
    test_gamma_is_what_arrived_in_the_round_trip_before(program, 7 * MSS, 7)


def thinned_with_sack(program: Path) -> None:
    test_dupacks_are_thinned_after_the_third(program, True)


def counted_without_sack(program: Path) -> None:
    test_dupacks_are_counted_with_and_without_sack(program, False)


PLANTED = {
    "gamma itself is young": Mistake("age", "estimate < age->settings", "estimate <= age->settings", gamma_of_7),
    "old data have their own number": Mistake(
        *("age", "connection->sent_known && segment_after(connection->sent_end, segment->seq)", "false"),
        test_a_repeated_segment_is_acknowledged_by_a_number_in_the_window,
    ),
    "repeated data time a round trip": Mistake(
        *("age", "connection->timing = false; /* repeated", "connection->timing = true; /* repeated"),
        test_a_repeated_segment_does_not_time_the_round_trip,
    ),
    "every DUPACK is dropped": Mistake("age", "!connection->dropped_last &&", "", thinned_with_sack),
    "new SACK blocks are dropped": Mistake(
        *(
            "age",
            "told(connection, segment) &&",
            "told(connection, segment) | 1 &&",
            test_a_dupack_that_reports_more_than_the_data_before_it_passes,
        )
    ),
    "one known block is enough": Mistake(
        *("age", "known == segment->blocks", "known || !segment->blocks"),
        test_each_block_of_a_dupack_must_have_been_reported,
    ),
    "a DUPACK has SACK blocks": Mistake(
        *("age", "segment_after(connection->received_end, segment->ack)", "connection->received_end == 1"),
        counted_without_sack,
    ),
    "all that repeats an acknowledgement is a DUPACK": Mistake(
        *("age", "segment_after(connection->received_end, segment->ack)", "segment->ack"),
        test_a_repeated_acknowledgement_without_a_gap_is_not_a_dupack,
    ),
    "an option is longer than its packet": Mistake(
        "segment", "|| option[1] > left", "", test_malformed_packets_do_no_harm
    ),
    "a header is longer than its packet": Mistake(
        "segment", "|| header > bytes || header > length", "", test_malformed_packets_do_no_harm
    ),
    "an acknowledgement has a wrong checksum": Mistake(
        *("segment", "uint32_t pseudo = PROTOCOL_TCP +", "uint32_t pseudo ="),
        test_new_acknowledgements_on_data_go_first_as_pure_acks_while_young,
    ),
}


@pytest.mark.parametrize("name", PLANTED)
def test_planted_mistakes_are_found(tmp_path: Path, name: str) -> None:
    mistake = PLANTED[name]
    text = (WP2PD / f"{mistake.name}.c").read_text()
    assert text.count(mistake.right) == 1
    (tmp_path / f"{mistake.name}.c").write_text(text.replace(mistake.right, mistake.wrong))
    wrong_program = compiled(tmp_path / "drive", **{mistake.name: tmp_path / f"{mistake.name}.c"})
    with pytest.raises(AssertionError):
        mistake.found_by(wrong_program)
