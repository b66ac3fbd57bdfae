# SPDX-License-Identifier: MIT
"""Radios with several interfaces: BlockAck agreements and contention parameters belong to one of them.

The radios are those of monitors, on which the tests run hostapd, wpa_supplicant and iw themselves.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from tests import air
from tests.air import BA, BEACON, DATA, Frame
from tests.system.conftest import Ran

pytestmark = pytest.mark.guest

Boot = Callable[..., Ran]
PLACE = """\
name: interfaces
country: US
nodes:
  m1: {kind: monitor, channel: 36, position: [0 m, 0 m, 1 m], roles: [one]}
  m2: {kind: monitor, channel: 36, position: [5 m, 0 m, 1 m], roles: [two]}
  m3: {kind: monitor, channel: 36, position: [0 m, 5 m, 1 m], roles: [three]}
medium: {}
"""
FIRST, SECOND = "02:0a:00:00:00:00", "02:0a:00:00:00:01"  # BSSIDs of one radio
STATIONS = ["02:0b:00:00:00:00", "02:0b:00:00:00:01"]
SIFS_NS, SLOT_NS = 16_000, 9_000

# an interface of the radio, with an address of its own
IFACE = """\
sysctl -q -w net.ipv4.conf.all.arp_ignore=1
iface() {{  # name type address ip
    if [ $1 = {node}-wlan0 ]; then
        ip link set $1 down && iw dev $1 set type $2
    else
        iw dev {node}-wlan0 interface add $1 type $2
    fi
    ip link set $1 address $3 up && ip addr add $4 dev $1
}}
"""
# access points of one radio; each hostapd knows nothing of the other
AP = """\
access_point() {{  # name address ip ssid, and lines of hostapd.conf
    iface $1 __ap $2 $3
    set -- $1 $2 $3 driver=nl80211 ctrl_interface=/run/own hw_mode=a channel=36 ssid=$4 "${{@:5}}"
    printf '%s\\n' interface=$1 "${{@:4}}" > /tmp/$1.conf
    hostapd -B -t /tmp/$1.conf
}}
"""
N = "ieee80211n=1 wmm_enabled=1"


def work(seconds: float, timeline: str = "", **scripts: str) -> str:
    """A workload in which each node runs a script from the start, and others later."""
    files = processes = ""
    for role, script in scripts.items():
        text = "".join(f"      {line}\n" for line in script.splitlines())
        files += f"  run-{role}:\n    on: {role}\n    path: /tmp/run.sh\n    text: |\n{text}"
        processes += f"  - {{on: {role}, run: [bash, -e, /tmp/run.sh], as: {role}, may_run_on: true}}\n"
    return (
        f"name: interfaces\nroles: {{{', '.join(f'{role}: 1' for role in scripts)}}}\nduration: {seconds} s\n"
        f"processes:\n{processes}timeline:\n{timeline or '  []'}\nfiles:\n{files}"
    )


def heard(ran: Ran) -> list[Frame]:
    (path,) = Path(ran.directory / "raw").glob("air-*")
    return air.frames(path)


def received(text: str) -> dict[str, int]:
    """Pings that were answered, by the address they went to."""
    found = re.findall(r"--- (\S+) ping statistics ---\n\d+ packets transmitted, (\d+) received", text)
    return {address: int(count) for address, count in found}


def test_two_stations_of_one_radio_have_agreements_with_one_access_point(boot: Boot) -> None:
    """Both upload and download at the same TID."""
    stations = (
        IFACE.format(node="m2")
        + f"""\
iface m2-wlan0 managed {STATIONS[0]} 10.1.0.2/24
iface extra managed {STATIONS[1]} 10.2.0.2/24
sleep 1
iw dev m2-wlan0 connect -w one 5180
iw dev extra connect -w one 5180
ping -q -f -l 30 -c 2000 -s 1200 10.1.0.1 > /tmp/first &
ping -q -f -l 30 -c 2000 -s 1200 10.2.0.1
wait
cat /tmp/first
"""
    )
    ap = (
        (IFACE + AP).format(node="m1")
        + f"""\
access_point m1-wlan0 {FIRST} 10.1.0.1/24 one {N}
ip addr add 10.2.0.1/24 dev m1-wlan0
"""
    )
    ran = boot(PLACE, work(12, one=ap, two=stations), pcap="air")
    assert received(ran.raw("two.out")) == {"10.1.0.1": 2000, "10.2.0.1": 2000}
    assert {frame.transmitter.hex(":") for frame in heard(ran) if frame.kind == BA} >= set(STATIONS)


def test_a_station_that_roams_between_bsss_of_a_radio_keeps_its_new_agreement(boot: Boot) -> None:
    """Its first BSS gives it up only later."""
    station = (
        IFACE.format(node="m2")
        + f"""\
iface m2-wlan0 managed {STATIONS[0]} 10.1.0.2/24
ip addr add 10.2.0.2/24 dev m2-wlan0
printf '%s\\n' ctrl_interface=/run/own network={{ 'ssid="campus"' key_mgmt=NONE scan_freq=5180 }} > /tmp/own.conf
sleep 0.5
wpa_supplicant -B -i m2-wlan0 -c /tmp/own.conf
sleep 2
wpa_cli -p /run/own -i m2-wlan0 status | grep -q bssid={FIRST} || wpa_cli -p /run/own -i m2-wlan0 roam {FIRST}
sleep 1
ping -q -f -l 30 -c 1000 -s 1200 10.1.0.1
wpa_cli -p /run/own -i m2-wlan0 roam {SECOND}
sleep 1
ping -q -f -l 30 -c 10000 -s 1200 10.2.0.1
"""
    )
    leave = (
        f"  - {{at: 6 s, exec: m1, run: [hostapd_cli, -p, /run/own, -i, m1-wlan0, deauthenticate, '{STATIONS[0]}']}}\n"
    )
    aps = (
        (IFACE + AP).format(node="m1")
        + f"""\
access_point m1-wlan0 {FIRST} 10.1.0.1/24 campus {N}
access_point second {SECOND} 10.2.0.1/24 campus {N}
"""
    )
    ran = boot(PLACE, work(12, leave, one=aps, two=station), pcap="air")
    assert received(ran.raw("two.out")) == {"10.1.0.1": 1000, "10.2.0.1": 10000}


def waits_ns(frames: list[Frame], transmitter: str) -> list[int]:
    """How long the air was idle before each PPDU with pings for which a transmitter contended."""
    found: list[int] = []
    end_ns, ppdu = 0, list[Frame]()
    for frame in sorted(frames, key=lambda frame: frame.stamp_ns):
        if ppdu and frame.stamp_ns == ppdu[0].stamp_ns:
            ppdu.append(frame)
            continue
        # a ping: what IPv6 says about itself has the category for voice
        if ppdu and ppdu[0].kind == DATA and len(ppdu[0].body) > 1000 and ppdu[0].transmitter.hex(":") == transmitter:
            found.append(ppdu[0].stamp_ns - end_ns)
        if ppdu:  # of several transmitters if they collide
            senders = {frame.transmitter for frame in ppdu}
            own = [[frame for frame in ppdu if frame.transmitter == sender] for sender in senders]
            end_ns = max(end_ns, *map(air.end_ns, own))
        ppdu = [frame]
    # others follow a CTS after SIFS, or collide
    return [wait for wait in found if wait > SIFS_NS]


@pytest.mark.parametrize(
    "group", ["", "ping -q -b -i 0.01 -w 2 10.2.0.255 > /dev/null &"], ids=["one to one", "to all"]
)
def test_each_bss_of_a_radio_has_its_own_contention_parameters(boot: Boot, group: str) -> None:
    """One has WMM and an AIFSN of 7 for best effort, the other has no WMM, and so DCF with DIFS.

    mac80211 puts a queue of group frames behind all others when it has been looked at.
    """
    aifs = "tx_queue_data2_aifs=7 tx_queue_data2_cwmin=15 tx_queue_data2_cwmax=1023"
    aps = (
        (IFACE + AP).format(node="m1")
        + f"""\
access_point m1-wlan0 {FIRST} 10.1.0.1/24 one {N} {aifs}
access_point second {SECOND} 10.2.0.1/24 two
sleep 3
{group}
ping -q -f -l 10 -c 1000 -s 1200 10.1.0.2 > /tmp/first &
ping -q -f -l 10 -c 1000 -s 1200 10.2.0.2
wait
cat /tmp/first
"""
    )
    stations = [
        IFACE.format(node=node) + f"iface {node}-wlan0 managed {STATIONS[i]} 10.{i + 1}.0.2/24\n"
        f"sleep 1\niw dev {node}-wlan0 connect -w {ssid} 5180\n"
        for i, (node, ssid) in enumerate((("m2", "one"), ("m3", "two")))
    ]
    ran = boot(PLACE, work(10, one=aps, two=stations[0], three=stations[1]), pcap="air")
    assert received(ran.raw("one.out")) == {"10.1.0.2": 1000, "10.2.0.2": 1000}
    with_wmm, without = (waits_ns(heard(ran), address) for address in (FIRST, SECOND))
    assert min(len(with_wmm), len(without)) > 200
    assert min(without) == SIFS_NS + 2 * SLOT_NS
    assert min(with_wmm) == SIFS_NS + 7 * SLOT_NS


def test_an_access_point_and_a_mesh_share_a_radio(boot: Boot) -> None:
    """A mesh has EDCA with mac80211's AIFSN of 3 for best effort, although its beacons have no WMM element."""
    aifs = "tx_queue_data2_aifs=7 tx_queue_data2_cwmin=15 tx_queue_data2_cwmax=1023"
    mesh = "iw dev mesh mesh join meeting freq 5180 NOHT beacon-interval 100\n"
    both = (
        (IFACE + AP).format(node="m1")
        + f"""\
access_point m1-wlan0 {FIRST} 10.1.0.1/24 one {N} {aifs}
iface mesh mp {SECOND} 10.2.0.1/24
{mesh}sleep 4
ping -q -f -l 10 -c 1000 -s 1200 10.1.0.2 > /tmp/first &
ping -q -f -l 10 -c 1000 -s 1200 10.2.0.2
wait
cat /tmp/first
"""
    )
    others = [
        IFACE.format(node="m2") + f"iface mesh mp {STATIONS[1]} 10.2.0.2/24\nsleep 1\n{mesh}",
        IFACE.format(node="m3") + f"iface m3-wlan0 managed {STATIONS[0]} 10.1.0.2/24\n"
        "sleep 1\niw dev m3-wlan0 connect -w one 5180\n",
    ]
    ran = boot(PLACE, work(12, one=both, two=others[0], three=others[1]), pcap="air")
    assert received(ran.raw("one.out")) == {"10.1.0.2": 1000, "10.2.0.2": 1000}
    of_ap, of_mesh = (waits_ns(heard(ran), address) for address in (FIRST, SECOND))
    assert min(len(of_ap), len(of_mesh)) > 200
    assert min(of_ap) == SIFS_NS + 7 * SLOT_NS
    assert min(of_mesh) == SIFS_NS + 3 * SLOT_NS


def test_a_bss_that_ends_says_so_although_its_radio_continues(boot: Boot) -> None:
    """Its interface goes with its hostapd; the station would notice by missing beacons 0.8 s later."""
    aps = (
        (IFACE + AP).format(node="m1")
        + f"""\
access_point m1-wlan0 {FIRST} 10.1.0.1/24 one
access_point second {SECOND} 10.2.0.1/24 two
sleep 2
kill $(pgrep -f /tmp/second.conf)
while pgrep -f /tmp/second.conf > /dev/null; do true; done
iw dev second del
"""
    )
    station = (
        IFACE.format(node="m2")
        + f"""\
iface m2-wlan0 managed {STATIONS[0]} 10.2.0.2/24
sleep 1
iw dev m2-wlan0 connect -w two 5180
iw event -t > /tmp/events &
sleep 2
cat /tmp/events
kill $!
"""
    )
    ran = boot(PLACE, work(4, one=aps, two=station), pcap="air")
    assert f"deauth {SECOND} -> ff:ff:ff:ff:ff:ff reason 3" in ran.raw("two.out")
    beacons = [frame for frame in heard(ran) if frame.kind == BEACON]
    last_ns = {bssid: max(frame.stamp_ns for frame in beacons if is_of(frame, bssid)) for bssid in (FIRST, SECOND)}
    assert last_ns[FIRST] - last_ns[SECOND] > 1_500_000_000


def is_of(beacon: Frame, bssid: str) -> bool:
    """Whether it is a beacon of that BSS."""
    return beacon.transmitter.hex(":") == bssid
