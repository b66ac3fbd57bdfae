# SPDX-License-Identifier: MIT
"""Nodes with several radios."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from lab.checkout import CHECKOUT
from tests.system.conftest import Ran

pytestmark = pytest.mark.guest

Boot = Callable[..., Ran]
LISTS = "for one in 1 2; do echo wlan$one $(iw dev ap1-wlan$one station dump | grep associated:); done"


def test_a_station_roams_between_the_radios_of_an_access_point(boot: Boot) -> None:
    """The radio that it leaves forgets it, and no more than one of its packets a second gets lost."""
    place = (CHECKOUT / "topologies" / "dual-band.yaml").read_text()
    place += (
        f"  - {{at: 8 s, exec: ap1, run: [sh, -c, '{LISTS}']}}\n  - {{at: 13 s, exec: ap1, run: [sh, -c, '{LISTS}']}}\n"
    )
    ping = '{on: sta1, run: [ping, -c, "65", -i, "0.2", "{h1.ip}"], as: ping}'
    work = f"name: work\nduration: 14 s\nprocesses: [{ping}]\n"
    ran = boot(place, work)
    assert [said.splitlines() for said in ran.outputs()[-2:]] == [
        ["wlan1 associated: yes", "wlan2"],
        ["wlan1", "wlan2 associated: yes"],
    ]
    assert int(ran.raw("ping.out").partition(" received")[0].split()[-1]) >= 63


def test_a_station_uses_two_networks_at_once(boot: Boot) -> None:
    """Each radio has an address in its network's subnet, and moves with its node."""
    place = """\
name: place
nodes:
  r1: {kind: router}
  ap1: {kind: ap, ssid: home, channel: 1, position: [0 m, 0 m, 0 m]}
  ap2: {kind: ap, ssid: office, mode: a, channel: 36, position: [0 m, 5 m, 0 m]}
  sta1:
    kind: sta
    ssid: home
    position: [5 m, 0 m, 0 m]
    wlans: [{ssid: office, offset: [10 cm, 0 m, 0 m]}]
links:
  - {between: [r1, ap1]}
  - {between: [r1, ap2]}
medium: {}
timeline:
  - {at: 1 s, exec: sta1, run: [sh, -c, 'ping -c 1 -I sta1-wlan0 10.0.0.1; ping -c 1 -I sta1-wlan1 10.0.1.1']}
  - {at: 2 s, move: sta1, to: [2 km, 0 m, 0 m]}
  - {at: 8 s, exec: sta1, run: [sh, -c, 'for one in 0 1; do iw dev sta1-wlan$one link; done']}
"""
    ran = boot(place, "name: look\nduration: 9 s\n")
    first, second = ran.outputs()
    assert first.count("1 received") == 2
    assert second.splitlines() == ["Not connected."] * 2


def test_power_takes_all_radios_of_an_access_point_away_and_brings_them_back(boot: Boot) -> None:
    place = (CHECKOUT / "topologies" / "dual-band.yaml").read_text().partition("timeline:")[0]
    place += """\
timeline:
  - {at: 1 s, power: ap1, to: off}
  - {at: 2 s, exec: ap1, run: [sh, -c, "! iw dev | grep channel"]}
  - {at: 3 s, power: ap1, to: on}
  - {at: 5 s, exec: ap1, run: [sh, -c, "iw dev | grep -c channel"]}
"""
    ran = boot(place, "name: look\nduration: 6 s\n")
    assert [said.strip() for said in ran.outputs()] == ["", "2"]


def test_a_repeater_bridges(boot: Boot) -> None:
    """Encrypted, and again after the access point that it repeats had no power."""
    place = (CHECKOUT / "topologies" / "repeater.yaml").read_text()
    place = place.replace("ssid: home, mode: n,", "ssid: home, encrypt: wpa2, passwd: espresso, mode: n,")
    place += """\
timeline:
  - {at: 1 s, exec: sta2, run: [ping, -c, "3", -i, "0.2", h1]}
  - {at: 2 s, exec: sta2, run: [ping, -c, "3", -i, "0.2", sta1]}
  - {at: 3 s, power: ap1, to: off}
  - {at: 4 s, power: ap1, to: on}
  - {at: 14 s, exec: sta2, run: [ping, -c, "3", -i, "0.2", h1]}
  - {at: 15 s, exec: ap2, run: [sh, -c, "bridge link | grep -o ap2-wlan2; wpa_cli -i ap2-wlan2 status | grep key_mgmt"]}
"""
    ran = boot(place, "name: look\nduration: 16 s\n")
    *pings, said = ran.outputs()
    assert [" 3 received" in ping for ping in pings] == [True] * 3
    assert said.splitlines() == ["ap2-wlan2", "key_mgmt=WPA2-PSK"]


def test_a_station_moves_on_from_the_repeated_access_point_to_the_repeater_and_back(boot: Boot) -> None:
    place = """\
name: place
nodes:
  h1: {kind: host}
  ap1: {kind: ap, ssid: home, channel: 1, four_address: true}
  ap2:
    kind: ap
    ssid: home
    channel: 6
    wlans: [{kind: sta, ssid: home, network: {bssid: "02:00:01:00:02:00"}}]
  sta1: {kind: sta}
links: [{between: [h1, ap1]}]
medium: {}
timeline:
  - {at: 1 s, roam: sta1, to: ap1}
  - {at: 2 s, exec: sta1, run: [ping, -c, "2", h1]}
  - {at: 4 s, roam: sta1, to: ap2}
  - {at: 5 s, exec: h1, run: [ping, -c, "2", sta1]}
  - {at: 7 s, roam: sta1, to: ap1}
  - {at: 8 s, exec: h1, run: [ping, -c, "2", sta1]}
"""
    ran = boot(place, "name: look\nduration: 10 s\n")
    assert [" 2 received" in said for said in ran.outputs()] == [True] * 3


def test_a_monitor_listens_to_several_channels_at_once(boot: Boot) -> None:
    place = """\
name: place
nodes:
  ap1: {kind: ap, ssid: one, channel: 1}
  ap2: {kind: ap, ssid: two, mode: a, channel: 36}
  mon1: {kind: monitor, wlans: [{channel: 36}]}
medium: {}
"""
    listen = "timeout -s INT 2 tcpdump -i mon1-wlan{} -n 2>&1 | grep -o 'Beacon (.*)' | sort -u"
    work = "name: work\nduration: 4 s\nprocesses:\n" + "".join(
        f'  - {{on: mon1, run: [sh, -c, "{listen.format(number)}"], as: mon{number}}}\n' for number in (0, 1)
    )
    ran = boot(place, work)
    assert [ran.raw(f"mon{number}.out").strip() for number in (0, 1)] == ["Beacon (one)", "Beacon (two)"]


@pytest.mark.parametrize(
    ("steers", "mhz"),
    [("", 2412), ("hostapd: {no_probe_resp_if_seen_on: ap1-wlan2, no_auth_if_seen_on: ap1-wlan2},", 5180)],
)
def test_band_steering(boot: Callable[..., Ran], steers: str, mhz: int) -> None:
    """A station that hears 2.4 GHz 30 dB better is not answered there if it was heard at 5 GHz."""
    place = f"""\
name: x
nodes:
  ap1:
    {{kind: ap, ssid: x, {steers} wlans: [{{ssid: x, mode: a, channel: 36, hostapd: {{track_sta_max_num: 9}}}}]}}
  sta1: {{kind: sta}}
medium: {{snr: [{{between: [ap1, sta1], is: 45 dB}}, {{between: [ap1-wlan2, sta1], is: 15 dB}}]}}
timeline:
  - {{at: 1 s, exec: sta1, run: [sh, -c, "wpa_cli status | grep ^freq"]}}
"""
    assert boot(place, "name: idle\nduration: 2 s\n").outputs() == [f"freq={mhz}\n"]


def test_probes_look_at_a_radio_by_its_name(boot: Boot) -> None:
    place = """\
name: place
nodes:
  ap1: {kind: ap, ssid: home, channel: 1}
  ap2: {kind: ap, ssid: office, mode: a, channel: 36}
  ap3: {kind: ap, ssid: office, mode: a, channel: 40}
  sta1: {kind: sta, ssid: home, wlans: [{ssid: office}]}
medium: {}
timeline:
  - {at: 1 s, roam: sta1-wlan1, to: ap2}
  - {at: 2 s, roam: sta1-wlan1, to: ap3}
"""
    work = """\
name: work
duration: 4 s
processes:
  - {on: sta1-wlan1, run: {probe: station-dump}, as: peers}
  - {on: sta1-wlan1, run: {probe: wpa-events}, as: events}
metrics:
  outages: {kind: outage, of: events, unit: ms, per: handoff}
"""
    ran = boot(place, work)
    assert "Station 02:00:01:00:03:00 (on sta1-wlan1)" in ran.raw("peers.out")
    assert "CTRL-EVENT-CONNECTED - Connection to 02:00:01:00:03:00" in ran.raw("events.out")
