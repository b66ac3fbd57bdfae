# SPDX-License-Identifier: MIT
"""Handoffs found in events, data frames found in captures."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lab.captures import pcap as reader
from lab.metrics._handoffs import Downlink, find
from lab.probes.base import Occurrence

from .samples import AP1, AP2, MS, SECOND, STA1, ethernet, event, pcap, radiotap, roam


def test_a_scripted_handoff() -> None:
    (handoff,) = find(roam(10 * SECOND, AP2), [(10 * SECOND, "roam")], AP1)
    assert handoff.cause == "roam" and handoff.asked_ns == 10 * SECOND
    assert (handoff.from_bssid, handoff.to_bssid) == (AP1, AP2)
    assert handoff.begin_ns == 10 * SECOND + 60 * MS == handoff.authenticate_ns
    assert handoff.scan_started_ns == 10 * SECOND and handoff.scan_done_ns == 10 * SECOND + 60 * MS
    assert handoff.connected_ns == 10 * SECOND + 70 * MS


def test_there_and_back() -> None:
    there, back = find(roam(10 * SECOND, AP2) + roam(20 * SECOND, AP1), [(10 * SECOND, "roam"), (20 * SECOND, "roam")])
    assert there.from_bssid is None, "not reported yet"
    assert (back.from_bssid, back.to_bssid, back.asked_ns) == (AP2, AP1, 20 * SECOND)


def test_a_station_that_chooses_by_itself() -> None:
    (handoff,) = find(roam(12 * SECOND, AP2), [(20 * SECOND, "roam")], AP1)
    assert handoff.cause == "station" and handoff.asked_ns is None


def test_a_station_that_chooses_by_itself_reports_where_it_was() -> None:
    decision = event(10 * SECOND + 60 * MS, "do-roam", bssid=AP1, level_dbm=-71, selected=AP2, selected_dbm=-55)
    events = roam(10 * SECOND, AP2)
    (handoff,) = find([*events[:2], decision, *events[2:]], [])
    assert (handoff.cause, handoff.from_bssid, handoff.to_bssid) == ("station", AP1, AP2)


def test_a_link_that_is_lost_is_out_from_its_loss() -> None:
    lost = event(5 * SECOND, "disconnected", bssid=AP1, reason=4)
    (handoff,) = find([lost, *roam(6 * SECOND, AP1)], [])
    assert handoff.cause == "loss" and handoff.begin_ns == 5 * SECOND
    assert handoff.from_bssid == handoff.to_bssid == AP1
    assert handoff.scan_started_ns == 6 * SECOND


def test_a_station_that_is_disconnected_and_connects_again() -> None:
    left = event(5 * SECOND, "disconnected", bssid=AP2, reason=3)
    asked = [(5 * SECOND, "disconnect"), (20 * SECOND, "roam")]
    away, later = find([left, *roam(6 * SECOND, AP1), *roam(20 * SECOND, AP2)], asked)
    assert (away.cause, away.asked_ns, away.begin_ns) == ("disconnect", 5 * SECOND, 5 * SECOND)
    assert (away.from_bssid, away.to_bssid) == (AP2, AP1)
    assert (later.cause, later.asked_ns) == ("roam", 20 * SECOND)


def test_a_station_that_never_comes_back() -> None:
    (handoff,) = find(roam(10 * SECOND, AP2)[:3], [(10 * SECOND, "roam")], AP1)
    assert handoff.connected_ns is None and handoff.to_bssid is None


def test_a_second_try_belongs_to_the_same_handoff() -> None:
    first = roam(10 * SECOND, AP2)[:4]
    rejected = event(10 * SECOND + 64 * MS, "assoc-rejected", bssid=AP2, status=17)
    (handoff,) = find([*first, rejected, *roam(11 * SECOND, AP1)], [(10 * SECOND, "roam")], AP1)
    assert handoff.begin_ns == 10 * SECOND + 60 * MS and handoff.to_bssid == AP1
    assert handoff.associate_ns == 11 * SECOND + 62 * MS


def test_the_first_connection_is_no_handoff() -> None:
    assert find(roam(-2 * SECOND, AP1), []) == []
    assert find([event(0, "connected", bssid=AP1)], []) == []


def test_results_of_long_ago_are_no_scan_of_this_handoff() -> None:
    started, done, *rest = roam(10 * SECOND, AP2)
    late = [started, done, *(Occurrence(item.t_ns + 5 * SECOND, item.kind, item.fields) for item in rest)]
    (handoff,) = find(late, [(10 * SECOND, "roam")])
    assert handoff.scan_started_ns is None


KINDS = (
    "scan-started",
    "scan-results",
    "authenticate",
    "associate",
    "associated",
    "connected",
    "disconnected",
    "other",
)


@given(st.lists(st.tuples(st.integers(-SECOND, 30 * SECOND), st.sampled_from(KINDS), st.sampled_from((AP1, AP2)))),
       st.lists(st.tuples(st.integers(0, 30 * SECOND), st.sampled_from(("roam", "disconnect")))))  # fmt: skip
def test_any_order_of_events_makes_sense_of(entries: list[tuple[int, str, str]], asked: list[tuple[int, str]]) -> None:
    events = [event(t_ns, kind, bssid=bssid) for t_ns, kind, bssid in sorted(entries)]
    found = find(events, sorted(asked))
    assert [handoff.begin_ns for handoff in found] == sorted(handoff.begin_ns for handoff in found)
    assert all(handoff.connected_ns is not None for handoff in found[:-1]), "only the last one can be open"
    for handoff in found:
        assert handoff.begin_ns >= 0
        assert handoff.connected_ns is None or handoff.connected_ns >= handoff.begin_ns


@pytest.mark.parametrize("order", ["<", ">"])
def test_data_frames_of_an_ethernet_capture(order: str) -> None:
    frames = [
        (1 * SECOND + 1, ethernet(STA1)),
        (2 * SECOND, ethernet(AP1)),  # to somebody else
        (3 * SECOND, ethernet(STA1, 0x0806)),  # ARP
        (4 * SECOND, ethernet(STA1, 0x888E)),  # EAPOL
        (5 * SECOND, ethernet(STA1, 0x86DD)),
    ]
    downlink = Downlink(reader.read(pcap(frames, order=order)), STA1, SECOND)
    assert downlink.t_ns == [1, 4 * SECOND]
    assert downlink.last_until(3 * SECOND) == 1 and downlink.first_from(2) == 4 * SECOND
    assert downlink.last_until(0) is None and downlink.first_from(5 * SECOND) is None
    assert downlink.longest_gap(0, 5 * SECOND) == 4 * SECOND - 1 and downlink.longest_gap(2, 3) is None


def test_data_frames_of_a_monitor_capture() -> None:
    frames = [
        (1, radiotap(STA1)),
        (2, radiotap(STA1, kind=0x88)),  # QoS data
        (3, radiotap(STA1, kind=0x48)),  # null
        (4, radiotap(STA1, kind=0x80)),  # beacon
        (5, radiotap(STA1, flags=0x01)),  # to the access point
        (6, radiotap(AP1)),
        (7, radiotap(STA1, ethertype=0x888E)),
        (8, radiotap(STA1, flags=0x42, ethertype=0)),  # encrypted: what is inside is unknown
        (9, b"\x00\x00\x08\x00"),  # cut short
    ]
    assert Downlink(reader.read(pcap(frames, reader.RADIOTAP)), STA1, 0).t_ns == [1, 2, 8]


def test_the_rate_around_a_moment() -> None:
    frames = [(t * MS, ethernet(STA1)) for t in (0, 5, 12, 39)]
    rate = Downlink(reader.read(pcap(frames)), STA1, 0).rate("x", 0, 40 * MS, 10 * MS)
    bits = 8 * len(ethernet(STA1))
    assert rate.t_ns == [10 * MS, 20 * MS, 30 * MS, 40 * MS]
    assert rate.values == [200 * bits, 100 * bits, 0, 100 * bits]
