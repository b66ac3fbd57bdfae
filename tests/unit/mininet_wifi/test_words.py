# SPDX-License-Identifier: MIT
"""Parameters of Mininet-WiFi in the words of a topology."""

from __future__ import annotations

from typing import Any

import pytest

from lab.mininet_wifi import words
from lab.mininet_wifi.collected import Collected


def test_positions_are_below_antennas() -> None:
    assert words.position("10.0,20,0", 1.0) == ["10 m", "20 m", "1 m"]
    assert words.position((3, 4)) == ["3 m", "4 m", "0 m"]
    assert words.height_m({}) == 1.0
    assert words.height_m({"antennaHeight": "2"}) == 2.0


@pytest.mark.parametrize("written", ["10", "1,2,3,4", "a,b,c", (1, None, 3)])
def test_what_is_not_a_position_is_refused(written: Any) -> None:
    with pytest.raises(ValueError, match="write one such as '10,20,0'"):
        words.position(written)


def test_values_of_several_radios_have_commas_between_them() -> None:
    params = {"ssid": "slow,fast", "channel": 6, "mac": "00:00:00:00:00:02", "mode": ["g", "a"], "passwd": None}
    assert [words.of_radio(params, "ssid", number) for number in range(3)] == ["slow", "fast", "fast"]
    assert words.of_radio(params, "channel", 1) == "6"
    assert words.of_radio(params, "mac", 0) == "00:00:00:00:00:02"
    assert words.of_radio(params, "mac", 1) is None  # of one radio only
    assert words.of_radio(params, "mode", 1) == "a"
    assert words.of_radio(params, "passwd", 0) is words.of_radio(params, "ip", 0) is None


@pytest.mark.parametrize(
    ("written", "meant"),
    [("10ms", "10 ms"), ("1s", "1 s"), ("5 msec", "5 ms"), ("7usec", "7 us"), ("2.5secs", "2.5 s"), (100, "100 us")],
)
def test_times_of_tc(written: Any, meant: str) -> None:
    assert words.wired({"delay": written}) == {"delay": meant}


def test_a_wired_link() -> None:
    given = {"bw": 0.5, "loss": 2, "max_queue_size": 20, "jitter": "1ms", "use_htb": True}
    meant = {"rate": "0.5 Mbit/s", "loss": "2%", "limit": "20 packets", "jitter": "1 ms"}
    assert words.wired(given) == meant
    assert words.wired({"loss": 0}) == {}


def test_an_access_point() -> None:
    given = {"ssid": "hall", "mode": "ac", "channel": "36", "range": 50, "encrypt": "wpa2", "passwd": "espresso1"}
    assert words.access_point({**given, "ieee80211r": "yes", "mobility_domain": "a1b2"}, placed=True) == {
        "ssid": "hall",
        "mode": "n",
        "channel": 36,
        "antenna_gain": "5 dBi",
        "range": 50.0,
        "encrypt": "wpa2",
        "passwd": "espresso1",
        "fast_transition": True,
        "mobility_domain": "a1b2",
    }
    by_name = {"ssid": "hall", "encrypt": "wpa2", "authmode": "8021x", "passwd": "x"}
    assert words.access_point(by_name, placed=False) == {"ssid": "hall", "mode": "g", "channel": 1, "encrypt": "8021x"}


def test_a_power_of_its_own_counts_more_than_a_range() -> None:
    assert words.station({"txpower": 10, "range": 50}, "hall", placed=True)["txpower"] == "10 dBm"
    assert words.station({}, None, placed=True) == {"antenna_gain": "5 dBi", "txpower": "14 dBm"}
    assert words.station({}, None, placed=False) == {}


def test_a_way_goes_at_constant_speed_through_its_spots() -> None:
    spots = [(0.0, 0.0, 1.0), (30.0, 0.0, 1.0), (30.0, 10.0, 1.0)]
    found = words.way(1, 5, spots, 1, 5, False)
    assert [point["at"] for point in found] == ["1 s", "4 s", "5 s"]
    assert found[1]["position"] == ["30 m", "0 m", "1 m"]


def test_a_way_that_is_repeated_begins_again_at_once() -> None:
    spots = [(0.0, 0.0, 1.0), (30.0, 0.0, 1.0)]
    again = words.way(1, 5, spots, 2, 6, False)
    assert [(point["at"], point["position"][0]) for point in again] == [
        ("1 s", "0 m"),
        ("5 s", "30 m"),
        ("6.999 s", "30 m"),
        ("7 s", "0 m"),
        ("11 s", "30 m"),
    ]
    back = words.way(1, 5, spots, 2, 6, True)
    assert [(point["at"], point["position"][0]) for point in back] == [
        ("1 s", "0 m"),
        ("5 s", "30 m"),
        ("7 s", "30 m"),
        ("11 s", "0 m"),
    ]


def test_a_way_that_ends_before_it_starts_is_refused() -> None:
    with pytest.raises(ValueError, match="stops at 1 s, which is not later than its start at 2 s"):
        words.way(2, 1, [(0.0, 0.0, 1.0)], 1, 1, False)


def test_a_model_of_mobility() -> None:
    given = {"time": 2, "max_x": 50, "min_v": 0.5, "max_wt": 3, "seed": 20}
    assert words.roaming("RandomWayPoint", ["sta1"], given) == {
        "model": "RandomWayPoint",
        "nodes": ["sta1"],
        "min_x": "0 m",
        "max_x": "50 m",
        "min_y": "0 m",
        "max_y": "100 m",
        "min_v": "0.5 m/s",
        "max_v": "10 m/s",
        "max_pause": "3 s",
        "start": "2 s",
    }


def test_what_matters_and_is_not_used_is_named() -> None:
    given = {"ip": "10.0.0.1", "position": "1,2,3", "cores": 1, "battery": 5, "speed": 3}
    assert words.left_over(given, "sta") == ["battery"]
    assert words.left_over({"ssid": "hall", "defaultRoute": "via 10.0.0.9"}, "host") == ["ssid"]


def test_entries_come_after_what_holds_them() -> None:
    said = Collected()
    said.nodes["sta1"] = ({"kind": "sta"}, "a.py:2")
    said.links.append(({"between": ["h1", "ap1"]}, "a.py:3"))
    assert said.entries("a.py:9") == [
        ("nodes", {}, "a.py:9"),
        ("nodes.sta1", {"kind": "sta"}, "a.py:2"),
        ("links", [None], "a.py:9"),
        ("links.0", {"between": ["h1", "ap1"]}, "a.py:3"),
    ]


def test_channels_and_frequencies() -> None:
    assert [words.channel(words.mhz(number)) for number in (1, 13, 36, 165)] == [1, 13, 36, 165]
    assert (words.mhz(6), words.mhz(36)) == (2437, 5180)


def test_numbers_of_datapaths() -> None:
    assert words.dpid("s12", "switch") == "000000000000000c"
    assert words.dpid("ap3", "ap") == "1000000000000003"


def test_a_shaped_radio_in_the_words_of_tc() -> None:
    meant = words.wired({"bw": 2, "delay": "5ms", "loss": 1, "max_queue_size": 50})
    assert words.netem(meant) == "delay 5ms  loss 1% rate 2mbit limit 50"


def test_a_station_says_how_it_scans() -> None:
    assert words.own_bgscan({"bgscan_threshold": -60, "s_inverval": 1, "l_interval": 2}) == "simple:1:-60:2"
    assert words.own_bgscan({"bgscan_module": "learn"}) is None


def test_further_networks_of_a_radio() -> None:
    given = {"ssid": "all", "vssids": "guests, staff", "encrypt": "wpa2", "passwd": "espresso1"}
    protected = {"encrypt": "wpa2", "passwd": "espresso1"}
    assert words.access_point(given, placed=False)["bss"] == [
        {"ssid": "guests", **protected},
        {"ssid": "staff", **protected},
    ]
    assert words.further_networks({"vssids": ["guests"]}) == ["guests"]


def test_a_group_is_an_eighth_of_its_area() -> None:
    assert words.roaming("ReferencePoint", ["sta1"], {"max_x": 80, "max_y": 160})["radius"] == "10 m"
