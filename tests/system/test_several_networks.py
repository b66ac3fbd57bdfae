# SPDX-License-Identifier: MIT
"""Access points with several networks on one radio."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from lab.checkout import CHECKOUT
from tests import air
from tests.system.conftest import Ran
from tests.system.test_cli import lab
from tests.system.test_medium_interfaces import SIFS_NS, SLOT_NS, waits_ns

pytestmark = pytest.mark.guest

Boot = Callable[..., Ran]
GUESTS = "02:00:02:00:02:01"  # BSSID of the second network of node 2


def pings(*pairs: tuple[str, str], seconds: int = 3) -> str:
    """A workload in which nodes ping others. If no answer comes, ping's status is 1; errors have others."""
    lines = [
        f"  - {{on: {one}, run: [sh, -c, 'ping -c 3 -i 0.3 -W 1 {other}; test $? -le 1'], as: {one}-{other}}}\n"
        for one, other in pairs
    ]
    return f"name: pings\nduration: {seconds} s\nprocesses:\n{''.join(lines)}"


def answered(ran: Ran, *pairs: tuple[str, str]) -> dict[tuple[str, str], int]:
    texts = {pair: ran.raw(f"{pair[0]}-{pair[1]}.out") for pair in pairs}
    return {pair: int(text.partition(" received")[0].split()[-1]) for pair, text in texts.items()}


def test_guests_reach_the_server_but_not_each_other(boot: Boot) -> None:
    pairs = [("sta1", "sta2"), ("sta3", "sta4"), ("sta3", "h1"), ("sta4", "h1")]
    ran = boot((CHECKOUT / "topologies/guest-network.yaml").read_text(), pings(*pairs))
    assert answered(ran, *pairs) == {pairs[0]: 3, pairs[1]: 0, pairs[2]: 3, pairs[3]: 3}
    assert [ran.guest()["associations"][name] == GUESTS for name in ("sta1", "sta3")] == [False, True]


def test_a_station_roams_between_further_networks_and_power_brings_them_back(boot: Boot) -> None:
    """Its network is the second one of both access points; the first one of the access point it leaves loses power."""
    place = """\
name: place
nodes:
  ap1: {kind: ap, ssid: one, channel: 1, bss: [{ssid: campus, encrypt: wpa2, passwd: espresso}]}
  ap2: {kind: ap, ssid: two, channel: 6, bss: [{ssid: campus, encrypt: wpa2, passwd: espresso}]}
  h1: {kind: host}
  s1: {kind: switch}
  sta1: {kind: sta, ssid: campus}
links:
  - {between: [h1, s1]}
  - {between: [ap1, s1]}
  - {between: [ap2, s1]}
medium: {}
timeline:
  - {at: 1 s, roam: sta1, to: ap2}
  - {at: 3 s, power: ap1, to: off}
  - {at: 4 s, power: ap1, to: on}
  - {at: 6 s, roam: sta1, to: ap1}
  - {at: 8 s, exec: sta1, run: [ping, -c, "2", "{h1.ip}"]}
  - {at: 10 s, exec: sta1, run: [sh, -c, wpa_cli status | grep ^bssid=]}
"""
    ran = boot(place, "name: look\nduration: 12 s\n")
    assert " 2 received" in ran.outputs()[-2]
    assert ran.outputs()[-1].strip() == "bssid=02:00:02:00:01:01"


def test_probes_look_at_a_further_network_by_its_interface(tmp_path: Path) -> None:
    place = """\
name: place
nodes:
  ap1: {kind: ap, ssid: one, bss: [{ssid: two}]}
  sta1: {kind: sta, ssid: one}
  sta2: {kind: sta, ssid: two}
medium: {}
timeline:
  - {at: 2 s, disconnect: sta2}
"""
    work = """\
name: work
duration: 4 s
processes:
  - {on: ap1-wlan1-1, run: {probe: station-dump}, as: peers}
  - {on: ap1-wlan1-1, run: {probe: hostapd-events}, as: events}
metrics:
  signal: {of: peers, unit: dBm}
"""
    (tmp_path / "place.yaml").write_text(place)
    (tmp_path / "work.yaml").write_text(work)
    lab("run", "place.yaml", "work.yaml", "--out", "run", cwd=tmp_path)
    assert json.loads((tmp_path / "run/record.json").read_text())["metrics"]["signal"]["values"]["count"] > 0
    peers, events = ((tmp_path / "run/raw" / name).read_text() for name in ("peers.out", "events.out"))
    assert "Station 02:00:01:00:03:00 (on ap1-wlan1-1)" in peers and "02:00:01:00:02:00" not in peers
    assert "AP-STA-DISCONNECTED 02:00:01:00:03:00" in events


def test_a_further_network_without_wmm_contends_as_the_first(boot: Boot) -> None:
    """With DIFS (IEEE 802.11-2020 10.3.2.3.5)."""
    place = """\
name: place
nodes:
  h1: {kind: host}
  ap1: {kind: ap, ssid: one, mode: a, channel: 36, bss: [{ssid: two}]}
  sta1: {kind: sta, ssid: one}
  sta2: {kind: sta, ssid: two}
links: [{between: [h1, ap1]}]
medium: {}
"""
    flood = "name: flood\nduration: 6 s\nprocesses:\n" + "".join(
        f'  - {{on: h1, run: [ping, -q, -f, -c, "600", -s, "1000", "{{{name}.ip}}"], as: {name}, at: {at} s}}\n'
        for name, at in (("sta1", 0), ("sta2", 3))
    )
    ran = boot(place, flood, pcap="air")
    (path,) = Path(ran.directory / "raw").glob("air-*")
    found = air.frames(path)
    assert [min(waits_ns(found, bssid)) for bssid in ("02:00:01:00:02:00", GUESTS)] == [SIFS_NS + 2 * SLOT_NS] * 2
