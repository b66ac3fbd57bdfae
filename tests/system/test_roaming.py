# SPDX-License-Identifier: MIT
"""What a station hears follows from the model of its place, and where it roams by itself from what it hears."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from lab.phy import propagation
from lab.phy.links import Radios, received_dbm
from lab.record.build import build
from tests.system.conftest import Ran

pytestmark = pytest.mark.guest

PROJECT = Path(__file__).parents[2]
WALK = (PROJECT / "topologies" / "walk.yaml").read_text()
ROAMING = (PROJECT / "workloads" / "ping" / "roaming.yaml").read_text()

DISTANCES_M = (2, 5, 10, 20, 40)
SETTLED_S = 4  # of 10 beacons each, of which mac80211 keeps an average
PLACES = """\
name: places
nodes:
  ap1: {kind: ap, ssid: campus, channel: 11, txpower: 17 dBm, antenna_gain: 2 dBi, position: [0 m, 0 m, 0 m]}
  sta1: {kind: sta, position: [2 m, 0 m, 0 m]}
medium: {propagation: {model: logDistance, exp: 3}}
"""


def metrics(ran: Ran) -> dict[str, Any]:
    """The rows of each metric in the record, by name."""
    return {name: result.rows for name, result in build(ran.directory, hashes={}).metrics.items()}


def level_dbm(pattern: str, text: str) -> int:
    """A level in the text of a message."""
    found = re.search(pattern, text)
    assert found, text
    return int(found[1])


def test_the_signal_follows_the_model(boot: Callable[..., Ran]) -> None:
    """As iw and wpa_supplicant have it: what the driver reported for the last frame, and the average of beacons."""
    lines = []
    for number, distance_m in enumerate(DISTANCES_M):
        moved_s = 1 + SETTLED_S * number
        lines.append(f"  - {{at: {moved_s} s, move: sta1, to: [{distance_m} m, 0 m, 0 m]}}")
        for command in (["iw", "dev", "sta1-wlan0", "station", "dump"], ["wpa_cli", "-i", "sta1-wlan0", "signal_poll"]):
            lines.append(f"  - {{at: {moved_s + SETTLED_S - 0.5} s, exec: sta1, run: [{', '.join(command)}]}}")
    duration_s = 1 + SETTLED_S * len(DISTANCES_M)
    ran = boot(PLACES, f"name: look\nduration: {duration_s} s\ntimeline:\n" + "\n".join(lines) + "\n")
    outputs = ran.outputs()
    for distance_m, dump, polled in zip(DISTANCES_M, outputs[::2], outputs[1::2], strict=True):
        radios = Radios(("ap1", "sta1"), [(0, 0, 0), (distance_m, 0, 0)], [17.0, 20.0], 2462, [2.0, 0.0])
        expected_dbm = received_dbm(propagation.load("logDistance", exp=3.0), radios, seed=1)[0, 1]
        of_frames_dbm = level_dbm(r"signal:\s+(-\d+)", dump), level_dbm(r"RSSI=(-\d+)", polled)
        of_beacons_dbm = level_dbm(r"beacon signal avg:\s+(-\d+)", dump), level_dbm(r"AVG_BEACON_RSSI=(-\d+)", polled)
        assert all(abs(seen_dbm - expected_dbm) <= 1 for seen_dbm in of_frames_dbm), (distance_m, expected_dbm, dump)
        # mac80211's average is in whole dB and rounds towards 0 at each step
        assert all(abs(seen_dbm - of_frames_dbm[0]) <= 1 for seen_dbm in of_beacons_dbm), (distance_m, dump, polled)


def test_the_signal_follows_a_way(boot: Callable[..., Ran]) -> None:
    """With mobility:, the driver reports the level of the station's current position."""
    path = "path: [{at: 1 s, position: [2 m, 0 m, 0 m]}, {at: 5 s, position: [42 m, 0 m, 0 m]}]"
    place = PLACES.replace(", position: [2 m, 0 m, 0 m]", "")
    walk = f"mobility: [{{model: Waypoints, nodes: sta1, {path}}}]\n"
    dump = "exec: sta1, run: [wpa_cli, -i, sta1-wlan0, signal_poll]"
    times = "".join(f"  - {{at: {at_s} s, {dump}}}\n" for at_s in (0.95, 3.05, 6))
    ran = boot(place + walk, f"name: look\nduration: 7 s\ntimeline:\n{times}")
    for distance_m, polled in zip((2, 22, 42), ran.outputs(), strict=True):
        radios = Radios(("ap1", "sta1"), [(0, 0, 0), (distance_m, 0, 0)], [17.0, 20.0], 2462, [2.0, 0.0])
        expected_dbm = received_dbm(propagation.load("logDistance", exp=3.0), radios, seed=1)[0, 1]
        assert abs(level_dbm(r"RSSI=(-\d+)", polled) - expected_dbm) <= 1.5, (distance_m, polled)


def test_a_walking_station_changes_over_by_itself(boot: Callable[..., Ran]) -> None:
    ran = boot(WALK, ROAMING)
    assert not [event for event in ran.guest()["events"] if event["kind"] == "roam"]
    handoffs = metrics(ran)["outage"]
    assert [(row["from"], row["to"], row["cause"]) for row in handoffs] == [
        ("ap1", "ap2", "station"),
        ("ap2", "ap3", "station"),
    ]
    assert all(row["completed"] and row["measured"] == "data frames" for row in handoffs)
    # it goes to the louder one: past the middle between the two, 10 m and 30 m from where it begins at 1 s
    at_m = [(row["begin_ns"] / 1e9 - 1) * 1.5 for row in handoffs]
    assert 10 < at_m[0] < 20 and 30 < at_m[1] < 40
    decisions = re.findall(r"CTRL-EVENT-DO-ROAM .*cur_level=(-\d+) .*sel_level=(-\d+)", ran.raw("wpa-events.out"))
    assert len(decisions) == 2
    assert all(int(selected) > int(current) for current, selected in decisions)
    # traffic continues
    answered = [int(number) for number in re.findall(r"bytes from .*icmp_seq=(\d+)", ran.raw("echo.out"))]
    assert answered[-1] == 580 and len(answered) > 0.9 * 580


def test_a_station_that_does_not_look_stays_where_it_is(boot: Callable[..., Ran]) -> None:
    without = "\n".join(line for line in WALK.splitlines() if "bgscan:" not in line)
    ran = boot(without + "\n", ROAMING)
    assert metrics(ran)["outage"] == []
    assert "CTRL-EVENT-SCAN-STARTED" not in ran.raw("wpa-events.out")


# a new key each second; each handoff begins a second after the last one did, later and later within the handshake
REKEYING = """\
name: rekeying
medium: {}
nodes:
  ap1: {kind: ap, ssid: x, channel: 36, mode: a, encrypt: wpa2, passwd: espresso12, hostapd: {wpa_ptk_rekey: 1}}
  ap2: {kind: ap, ssid: x, channel: 40, mode: a, encrypt: wpa2, passwd: espresso12, hostapd: {wpa_ptk_rekey: 1}}
  sta1: {kind: sta}
"""
STEPS_MS = 1064.0, 1064.3, 1064.6, 1064.9, 1065.2, 1065.5, 1065.8, 1066.1, 1066.4, 1066.7, 1067.0


def test_a_handoff_that_is_asked_for_during_a_handshake_follows_it(boot: Callable[..., Ran]) -> None:
    """Until the handshake ends, wpa_supplicant answers that it is busy, as it does during a scan."""
    at_ms, lines = 2000.0, []
    for number, step_ms in enumerate((0.0, *STEPS_MS)):
        at_ms += step_ms
        lines.append(f"  - {{at: {at_ms:.1f} ms, roam: sta1, to: ap{2 - number % 2}}}\n")
    probes = "probes: [{probe: wpa-events, on: sta1}]\nmetrics: {outage: {of: wpa-events, unit: ms}}\n"
    ran = boot(REKEYING, f"name: roam\nduration: 15 s\n{probes}timeline:\n{''.join(lines)}")
    assert "FAIL-BUSY" in [event["output"] for event in ran.guest()["events"]], "none was within a handshake"
    handoffs = [(row["to"], row["completed"]) for row in metrics(ran)["outage"]]
    assert handoffs == [(f"ap{2 - number % 2}", True) for number in range(len(lines))]
