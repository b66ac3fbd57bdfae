# SPDX-License-Identifier: MIT
"""Access points that ask a RADIUS server: who is admitted, what is on the wire, and what a roam costs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from lab.captures import pcap
from lab.record.build import build
from tests.system.conftest import Ran

pytestmark = pytest.mark.guest

PROJECT = Path(__file__).parents[2]
ROAM = (PROJECT / "topologies" / "enterprise-roam.yaml").read_text()
OTHERS = """\
  sta2: {kind: sta, identity: bob, passwd: espresso}
  sta3: {kind: sta, identity: carol, passwd: ristretto, eap: pwd}
  sta4: {kind: sta, certificate: stranger, awaited: false}
links:
"""
WATCHED = (PROJECT / "workloads" / "ping" / "roaming.yaml").read_text().replace(
    "processes:\n", "processes:\n  - {on: radius, run: {probe: tcpdump, filter: udp port 1812}, as: wire}\n"
)  # fmt: skip
REQUEST, ACCEPT, REJECT, CHALLENGE = 1, 2, 3, 11  # RFC 2865 3
_CODE = 14 + 20 + 8  # after the headers of Ethernet, IP and UDP
RESUMED = "kind: radius, hostapd: {tls_session_lifetime: 3600}"
FAST = "encrypt: 8021x, fast_transition: true"
PREAUTHENTICATED = "encrypt: 8021x, hostapd: {rsn_preauth: true, rsn_preauth_interfaces: br0}"


def log(ran: Ran, station: str) -> str:
    return ran.raw(f"daemon/{station}-wpa_supplicant.log")


def on_the_wire(ran: Ran) -> Counter[int]:
    capture = pcap.load(ran.directory / "raw" / "wire.pcap")
    return Counter(capture.data[offset + _CODE] for offset in capture.offset)


def keys_ms(ran: Ran) -> list[float]:
    """How long the keys of each handoff took, with the proof of who the station is."""
    return [row["keys"] for row in build(ran.directory, hashes={}).metrics["outage"].rows]


@pytest.mark.parametrize("program", ["hostapd", "freeradius"])
def test_a_server_decides(boot: Callable[..., Ran], program: str) -> None:
    """Three ways in, and a stranger; a roam asks the server once more, a return does not."""
    place = ROAM.replace("links:\n", OTHERS).replace("kind: radius", f"kind: radius, program: {program}")
    ran = boot(place, WATCHED, pcap="air")
    assert {"sta1", "sta2", "sta3"} == set(ran.guest()["associations"])
    assert "EAP-FAILURE" in log(ran, "sta4") and "EAP-SUCCESS" not in log(ran, "sta4")
    found = on_the_wire(ran)
    assert found[ACCEPT] == 1 and found[REJECT] > 0
    # FreeRADIUS waits for a second before it rejects: the first request may be older than the capture
    assert found[REQUEST] - found[ACCEPT] - found[REJECT] - found[CHALLENGE] in (0, -1)
    away, back = keys_ms(ran)
    assert away > 80 > 10 > back  # four rounds of 20 ms
    again = boot(place, WATCHED, pcap="air")
    files = sorted(path.relative_to(ran.directory) for path in (ran.directory / "raw").rglob("*") if path.is_file())
    assert [
        name for name in files if (ran.directory / name).read_bytes() != (again.directory / name).read_bytes()
    ] == []


@pytest.mark.parametrize(
    ("server", "station", "said"),
    [
        ("certificate: stranger", "", "CTRL-EVENT-EAP-TLS-CERT-ERROR reason=1"),
        ("users: {sta1: ristretto}", "passwd: espresso", "EAP-FAILURE"),
    ],
)
def test_who_is_refused(boot: Callable[..., Ran], server: str, station: str, said: str) -> None:
    place = ROAM.replace("kind: radius", f"kind: radius, {server}")
    place = place.replace("roles: [client]", f"awaited: false, roles: [client]{', ' * bool(station)}{station}")
    text = log(boot(place.split("timeline:")[0], "name: idle\nduration: 2 s\n"), "sta1")
    assert said in text and "EAP-SUCCESS" not in text


@pytest.mark.parametrize(
    ("change", "least_ms", "most_ms", "proofs"),
    [
        (("kind: radius", RESUMED), 60, 100, 2),  # a handshake of TLS that is resumed has one round less
        (("encrypt: 8021x", PREAUTHENTICATED), 0, 10, 2),  # the second one over the wire, a second after the first
        (("encrypt: 8021x", FAST), 0, 0.1, 1),
    ],
)
def test_what_a_roam_need_not_ask(
    boot: Callable[..., Ran], change: tuple[str, str], least_ms: float, most_ms: float, proofs: int
) -> None:
    ran = boot(ROAM.replace(*change), WATCHED, pcap="air")
    assert least_ms < keys_ms(ran)[0] < most_ms
    assert log(ran, "sta1").count("EAP-SUCCESS") == proofs


def test_a_server_behind_a_router(boot: Callable[..., Ran]) -> None:
    """Access point and stations are in a VLAN; the routes exist before the first station joins."""
    place = """\
name: far
nodes:
  aaa1: {kind: radius}
  r1:   {kind: router}
  s1:   {kind: switch}
  ap1:  {kind: ap, ssid: office, vlan: 20, encrypt: 8021x, radius: aaa1}
  sta1: {kind: sta}
links:
  - {between: [aaa1, r1]}
  - {between: [r1, s1], vlan: 20}
  - {between: [s1, ap1], vlans: [20]}
"""
    assert "EAP-SUCCESS" in log(boot(place, "name: idle\nduration: 1 s\n"), "sta1")


@pytest.mark.parametrize(("tries", "least_ms", "most_ms"), [("true", 0, 10), ("false", 80, 120)])
def test_radios_of_one_access_point_share_keys(
    boot: Callable[..., Ran], tries: str, least_ms: float, most_ms: float
) -> None:
    """Opportunistic key caching: the station offers the key of the other radio."""
    place = """\
name: two-bands
nodes:
  h1:   {kind: host, roles: [server]}
  aaa1: {kind: radius}
  s1:   {kind: switch}
  ap1:
    kind: ap
    ssid: office
    encrypt: 8021x
    radius: aaa1
    hostapd: {okc: true}
    wlans: [{ssid: office, mode: a, channel: 36, encrypt: 8021x, radius: aaa1, hostapd: {okc: true}}]
  sta1: {kind: sta, roles: [client], network: {proactive_key_caching: true}}
links:
  - {between: [h1, s1]}
  - {between: [aaa1, s1], delay: 10 ms}
  - {between: [s1, ap1]}
medium: {}
timeline:
  - {at: 2 s, roam: sta1, to: ap1}
"""
    place = place.replace("proactive_key_caching: true", f"proactive_key_caching: {tries}")
    assert least_ms < keys_ms(boot(place, WATCHED, pcap="air"))[0] < most_ms


PEOPLE = """\
"bob" Cleartext-Password := "espresso"
\tTunnel-Type = VLAN, Tunnel-Medium-Type = IEEE-802, Tunnel-Private-Group-Id = "20"
"""
USER_VLANS = """\
name: people
nodes:
  aaa1: {kind: radius, program: freeradius, config: {mods-config/files/authorize: people}}
  h1:   {kind: host}
  h20:  {kind: host}
  s1:   {kind: switch}
  ap1:  {kind: ap, ssid: office, encrypt: 8021x, radius: aaa1, hostapd: {dynamic_vlan: 1, vlan_bridge: br}}
  sta1: {kind: sta}
  sta2: {kind: sta, identity: bob, passwd: espresso, eap: pwd, ip: none}
links:
  - {between: [aaa1, s1]}
  - {between: [h1, s1]}
  - {between: [h20, s1], vlan: 20}
  - {between: [s1, ap1]}
subnets: {vlan20: 10.20.0.0/24}
timeline:
  - {at: 1 s, exec: sta2, run: [ip, addr, add, 10.20.0.99/24, dev, sta2-wlan0]}
  - {at: 2 s, exec: sta2, run: [sh, -c, "ping -c 1 -W 1 h20 | grep received"]}
  - {at: 3 s, exec: sta1, run: [sh, -c, "ping -c 1 -W 1 h1 | grep received"]}
  - {at: 4 s, exec: ap1, run: [sh, -c, "bridge link | grep -o 'ap1-wlan1.*'"]}
"""


def test_a_user_is_in_a_vlan_of_their_own(boot: Callable[..., Ran], tmp_path: Path) -> None:
    """FreeRADIUS names it in its answer, and hostapd puts the station into the bridge of that VLAN."""
    (tmp_path / "people").write_text(PEOPLE)
    of_bob, of_sta1, ports = boot(USER_VLANS, "name: idle\nduration: 6 s\n").outputs()[1:]
    assert "1 received" in of_bob and "1 received" in of_sta1
    assert "ap1-wlan1.20: " in ports and "master br20" in ports and "master br0" in ports
