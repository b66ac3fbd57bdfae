# SPDX-License-Identifier: MIT
"""Transmission power: what iw and events set changes what others hear."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from tests.system.conftest import Ran

pytestmark = [pytest.mark.guest]

Boot = Callable[..., Ran]
PLACE = """\
name: power
country: US
medium: {}
nodes:
  ap1: {kind: ap, ssid: x, mode: a, channel: 36, position: [0 m, 0 m, 1 m], txpower: 15 dBm}
  sta1: {kind: sta, position: [5 m, 0 m, 1 m], roles: [client], txpower: 12.25 dBm}
  h1: {kind: host, roles: [server]}
links: [{between: [h1, ap1]}]
"""
WORK = """\
name: power
roles: {client: 1, server: 1}
duration: 8 s
processes:
  - {on: client, run: {probe: ping, to: "{server.ip}", every: 100 ms, count: 70}, as: echo}
timeline:
"""
NAMES = {"ap1": "ap1-wlan1", "sta1": "sta1-wlan0"}


def timeline(*events: str) -> str:
    """Events, one second apart."""
    return WORK + "".join(f"  - {{at: {second} s, {event}}}\n" for second, event in enumerate(events, 1))


def iw(node: str, words: str) -> str:
    """An event that runs iw for the interface of a node."""
    return f"exec: {node}, run: [iw, dev, {NAMES[node]}, {words.replace(' ', ', ')}]"


def signals(ran: Ran) -> list[int]:
    """The signal in each station dump, in dBm."""
    return [int(found) for text in ran.outputs() for found in re.findall(r"signal:\s+(-?\d+)", text)]


def powers(ran: Ran) -> list[str]:
    """What each ``iw dev info`` says of the power."""
    return [found for text in ran.outputs() for found in re.findall(r"txpower (\S+) dBm", text)]


def test_iw_changes_what_others_hear(boot: Boot) -> None:
    ran = boot(
        PLACE,
        timeline(
            iw("sta1", "station dump"),
            iw("ap1", "set txpower fixed 500"),
            iw("sta1", "station dump"),
            iw("ap1", "set txpower auto"),
            iw("sta1", "station dump"),
        ),
    )
    before, less, after = signals(ran)
    assert (less - before, after) == (-10, before)


def test_iw_prints_the_power_of_the_topology_and_lowers_it(boot: Boot) -> None:
    ran = boot(
        PLACE,
        timeline(
            iw("ap1", "info"), iw("sta1", "info"), iw("sta1", "set txpower fixed 300"), iw("sta1", "info"),
            iw("sta1", "set txpower fixed 3000"), iw("sta1", "info"),
        ),
    )  # fmt: skip
    assert powers(ran) == ["15.00", "12.00", "3.00", "12.00"]


def test_an_event_changes_what_others_hear(boot: Boot) -> None:
    ran = boot(
        PLACE,
        timeline(
            iw("ap1", "station dump"), "txpower: sta1, to: -2.75 dBm", iw("ap1", "station dump"), iw("sta1", "info"),
            "txpower: sta1, to: 20 dBm", iw("ap1", "station dump"),
        ),
    )  # fmt: skip
    before, less, more = signals(ran)
    assert less - before == -15 and more - before in (7, 8)
    assert powers(ran) == ["-3.00"]


def test_more_than_the_country_allows_is_not_sent(boot: Boot) -> None:
    """36 may have 23 dBm in the US."""
    strong = PLACE.replace("txpower: 15 dBm", "txpower: 30 dBm")
    ran = boot(strong, timeline(iw("ap1", "info"), iw("sta1", "station dump")))
    weak = boot(strong.replace("30 dBm", "20 dBm"), timeline(iw("sta1", "station dump")))
    assert powers(ran) == ["23.00"]
    assert signals(ran)[0] - signals(weak)[0] == 3


def test_a_station_sends_no_more_than_its_access_point_asks_for(boot: Boot) -> None:
    """The access point announces what the country allows, 23 dBm, and how much less it wants (9.4.2.8, 9.4.2.13)."""
    strong = PLACE.replace("txpower: 12.25 dBm", "txpower: 20 dBm")
    asks = "hostapd: {ieee80211d: 1, ieee80211h: 1, spectrum_mgmt_required: 1, local_pwr_constraint: 10}"
    events = timeline(iw("ap1", "station dump"), iw("sta1", "info"))
    free, bound = (
        boot(place, events) for place in (strong, strong.replace("txpower: 15 dBm", f"txpower: 15 dBm, {asks}"))
    )
    assert (powers(free), powers(bound)) == (["20.00"], ["13.00"])
    assert signals(bound)[0] - signals(free)[0] == -7
