# SPDX-License-Identifier: MIT
"""Mistakes that new users make in the keys of networks, each with the whole answer."""

from __future__ import annotations

from pathlib import Path

import pytest

from .test_mistakes import answer

NODES = {
    "h1": "kind: host",
    "r1": "kind: router",
    "s1": "kind: switch",
    "ap1": "kind: ap, ssid: office",
    "sta1": "kind: sta",
}
LINKS = "links:\n  - {between: [h1, r1]}\n  - {between: [r1, s1]}\n  - {between: [s1, ap1]}\n"


def place(changes: dict[str, str]) -> str:
    """A network with further keys of nodes; ``""``: of the topology; ``nodes``: another node."""
    nodes = [f"  {name}: {{{keys}{', ' * (name in changes)}{changes.get(name, '')}}}" for name, keys in NODES.items()]
    nodes += [f"  {changes['nodes']}"] if "nodes" in changes else []
    own = f"{changes['']}\n" if "" in changes else ""
    return "name: net\nnodes:\n" + "\n".join(nodes) + f"\n{own}{LINKS}"


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {"nodes": "sta2: {kind: sta, wlans: [{ssid: office, ip: dhcp}]}"},
            "m.yaml:8  nodes.sta2.wlans.0.ip: s1 has no DHCP server; write dhcp: server at a host or router there, or "
            "remove this",
        ),
        (
            {"nodes": "sta2: {kind: sta, wlans: [{ssid: office, ip6: slaac}]}"},
            "m.yaml:8  nodes.sta2.wlans.0.ip6: s1 has no IPv6 subnet; write subnets: {s1: {ip6: 2001:db8:1::/64}}, or "
            "remove this",
        ),
        (
            {"ap1": "hostapd: dtim_period=3"},
            'm.yaml:6  nodes.ap1.hostapd: must be a mapping: {key: value}, not "dtim_period=3"; write '
            "single options, such as {dtim_period: 3, ap_isolate: true}",
        ),
        (
            {"ap1": "hostapd: [dtim_period: 3]"},
            "m.yaml:6  nodes.ap1.hostapd: must be a mapping: {key: value}, not a list; write single "
            "options, such as {dtim_period: 3, ap_isolate: true}",
        ),
        (
            {"ap1": "hostapd: {dtim-period: 3}"},
            'm.yaml:6  nodes.ap1.hostapd.dtim-period: "dtim-period" is not a valid name of an option; write '
            "dtim_period: VALUE",
        ),
        (
            {"ap1": "hostapd: {ssid: x}"},
            "m.yaml:6  nodes.ap1.hostapd.ssid: stations adopt it from the topology; write ssid: of the node",
        ),
        (
            {"ap1": "hostapd: {dtim_period:3}"},
            "m.yaml:6  write dtim_period: 3, with a space after the colon",
        ),
        (
            {"ap1": "hostapd: /etc/hostapd.conf"},
            'm.yaml:6  nodes.ap1.hostapd: must be a mapping: {key: value}, not "/etc/hostapd.conf"; write '
            "single options, such as {dtim_period: 3, ap_isolate: true}",
        ),
        (
            {"ap1": "wpa_supplicant: {x: 1}"},
            'm.yaml:6  nodes.ap1.wpa_supplicant: unknown key "wpa_supplicant": it is for kind: mesh and kind: sta',
        ),
        (
            {"sta1": "network: office"},
            'm.yaml:7  nodes.sta1.network: must be a mapping: {key: value}, not "office"; write single '
            "options, such as {priority: 5}; the network that it joins is ssid:",
        ),
        (
            {"sta1": "network: {ssid: x}"},
            "m.yaml:7  nodes.sta1.network.ssid: events know it from the topology; write ssid: of the node",
        ),
        (
            {"sta1": "hostapd: {x: 1}"},
            'm.yaml:7  nodes.sta1.hostapd: unknown key "hostapd": it is for kind: ap and kind: radius',
        ),
        (
            {"sta1": "wpa_supplicant: {network: {ssid: x}}"},
            "m.yaml:7  nodes.sta1.wpa_supplicant.network: options of the network belong in network:, next "
            "to wpa_supplicant:",
        ),
        (
            {"ap1": "hidden: yes"},
            'm.yaml:6  nodes.ap1.hidden: must be true or false, not "yes"',
        ),
        (
            {"ap1": "hidden_ssid: true"},
            'm.yaml:6  nodes.ap1.hidden_ssid: unknown key "hidden_ssid" (did you mean hidden?)',
        ),
        (
            {"ap1": "pmf: true"},
            'm.yaml:6  nodes.ap1.pmf: "true" is not one of off, optional, required; write optional, or required',
        ),
        (
            {"ap1": "pmf: required"},
            "m.yaml:6  nodes.ap1.pmf: an open network has no keys to protect management frames; write "
            "encrypt: too, or remove this",
        ),
        (
            {"ap1": "pmf: mandatory, encrypt: wpa2, passwd: espresso"},
            'm.yaml:6  nodes.ap1.pmf: "mandatory" is not one of off, optional, required; write required',
        ),
        (
            {"ap1": "ieee80211w: 2, encrypt: wpa2, passwd: espresso"},
            'm.yaml:6  nodes.ap1.ieee80211w: unknown key "ieee80211w" (did you mean pmf?)',
        ),
        (
            {"ap1": "wps: true"},
            "m.yaml:6  nodes.ap1.wps: WPS hands out a passphrase of WPA2; write encrypt: wpa2 or wpa2/wpa3, "
            "or remove this",
        ),
        (
            {"ap1": "wps: pbc, encrypt: wpa2, passwd: espresso"},
            'm.yaml:6  nodes.ap1.wps: must be true or false, not "pbc"',
        ),
        (
            {"": "timeline:\n  - {at: 1 s, wps: sta1, to: ap1}"},
            "m.yaml:9  timeline.0.wps: sta1 has no button; write wps: true in nodes.sta1",
        ),
        (
            {"": "subnets: [10.1.0.0/24]"},
            "m.yaml:8  subnets: must be a mapping: {key: value}, not a list; begin each subnet with a "
            "switch, an access point or a link in it: {s1: 10.1.0.0/24}",
        ),
        (
            {"": "subnets: {s1: 10.1.0.1/24}"},
            'm.yaml:8  subnets.s1: "10.1.0.1/24" is not a valid IPv4 network; write 10.1.0.0/24',
        ),
        (
            {"": "subnets: {s1: 10.1.0.0}"},
            'm.yaml:8  subnets.s1: "10.1.0.0" has no prefix length; write 10.1.0.0/24',
        ),
        (
            {"": "subnets: {lan: 10.1.0.0/24}"},
            'm.yaml:8  subnets.lan: unknown segment "lan"',
        ),
        (
            {"": "subnets: {s1: 10.1.0.0/24, ap1: 10.2.0.0/24}"},
            "m.yaml:8  subnets.ap1: s1 and ap1 are in one segment, which has one subnet; remove one of them",
        ),
        (
            {"": "subnets: {s1: {ip: 10.1.0.0/24, ip6: '2001:db8::/48'}}"},
            'm.yaml:8  subnets.s1.ip6: "2001:db8::/48" must be a /64, such as 2001:db8::/64',
        ),
        (
            {"h1": "routes: [default via r1]"},
            "m.yaml:3  nodes.h1.routes.0: write {to: default, via: r1}",
        ),
        (
            {"h1": "routes: {default: r1}"},
            "m.yaml:3  nodes.h1.routes: must be a list; write [{to: default, via: r1}]",
        ),
        (
            {"h1": "routes: [{to: 10.9.0.0, via: r1}]"},
            'm.yaml:3  nodes.h1.routes.0.to: "10.9.0.0" has no prefix length; write 10.9.0.0/24',
        ),
        (
            {"h1": "routes: [{to: 10.9.0.0/24, via: r2}]"},
            'm.yaml:3  nodes.h1.routes.0.via: "r2" is neither a node nor an address',
        ),
        (
            {"h1": "routes: [{to: 10.9.0.0/24, via: sta1}]"},
            "m.yaml:3  nodes.h1.routes.0.via: sta1 has no address in a segment of h1; name a node that has",
        ),
        (
            {"h1": "gateway: r1"},
            'm.yaml:3  nodes.h1.gateway: unknown key "gateway": write routes: [{to: default, via: r1}]',
        ),
        (
            {"h1": "dhcp: true"},
            "m.yaml:3  nodes.h1.dhcp: write server, or the segments that it serves, such as [s1]; the lab "
            "chooses the range of addresses",
        ),
        (
            {"r1": "dhcp: yes"},
            "m.yaml:4  nodes.r1.dhcp: write server, or the segments that it serves, such as [s1]; the lab "
            "chooses the range of addresses",
        ),
        (
            {"sta1": "dhcp: true"},
            'm.yaml:7  nodes.sta1.dhcp: unknown key "dhcp": a client of DHCP is ip: dhcp; hosts and routers '
            "can be servers",
        ),
        (
            {"sta1": "ip: dhcp"},
            "m.yaml:7  nodes.sta1.ip: s1 has no DHCP server; write dhcp: server at a host or router there, "
            "or remove this",
        ),
        (
            {"sta1": "ip: auto"},
            'm.yaml:7  nodes.sta1.ip: "auto" is not a valid IPv4 address; write one such as 10.0.0.1/8, or '
            "dhcp or none",
        ),
        (
            {"r1": "dhcp: [wlan]"},
            'm.yaml:4  nodes.r1.dhcp.0: unknown segment "wlan"',
        ),
        (
            {"r1": "dhcp: {range: 10}"},
            "m.yaml:4  nodes.r1.dhcp: write server, or the segments that it serves, such as [s1]; the lab "
            "chooses the range of addresses",
        ),
        (
            {"h1": "ip6: auto"},
            'm.yaml:3  nodes.h1.ip6: "auto" is not a valid IPv6 address; write one such as 2001:db8:1::5, '
            "or slaac, dhcp or none",
        ),
        (
            {"h1": "ip6: 2001:db8::5/64"},
            'm.yaml:3  nodes.h1.ip6: "2001:db8::5/64" has a prefix length, which is that of its subnet; '
            "write 2001:db8::5",
        ),
        (
            {"h1": "ip6: '2001:db8::5/64'"},
            'm.yaml:3  nodes.h1.ip6: "2001:db8::5/64" has a prefix length, which is that of its subnet; '
            "write 2001:db8::5",
        ),
        (
            {"sta1": "ip6: slaac"},
            "m.yaml:7  nodes.sta1.ip6: s1 has no IPv6 subnet; write subnets: {s1: {ip6: 2001:db8:1::/64}}, "
            "or remove this",
        ),
        (
            {"h1": "ipv6: true"},
            'm.yaml:3  nodes.h1.ipv6: unknown key "ipv6" (did you mean ip6?)',
        ),
        (
            {"r1": "nat: true"},
            "m.yaml:4  nodes.r1.nat: must be a list; write the segments to which it hides the others, such as [s1]",
        ),
        (
            {"r1": "nat: h1"},
            'm.yaml:4  nodes.r1.nat.0: unknown segment "h1"',
        ),
        (
            {"h1": "nat: s1"},
            'm.yaml:3  nodes.h1.nat: unknown key "nat": it is for kind: router',
        ),
        (
            {"r1": "nat: [s1, lan]"},
            'm.yaml:4  nodes.r1.nat.1: unknown segment "lan"',
        ),
        (
            {"s1": "controller: c0"},
            'm.yaml:5  nodes.s1.controller: unknown controller "c0"',
        ),
        (
            {"s1": "controller: true"},
            'm.yaml:5  nodes.s1.controller: unknown controller "true"',
        ),
        (
            {"s1": "controller: 127.0.0.1:6653"},
            'm.yaml:5  nodes.s1.controller: unknown controller "127.0.0.1:6653"',
        ),
        (
            {"s1": "controller: h1"},
            "m.yaml:5  nodes.s1.controller: h1 is not a controller (it is a host); name a node of kind: controller",
        ),
        (
            {"nodes": "c0: {kind: controller, app: switch}"},
            'm.yaml:8  nodes.c0.app: unknown application "switch"',
        ),
        (
            {"s1": "openflow: drop"},
            'm.yaml:5  nodes.s1.openflow: "drop" has no actions; write a rule as ovs-ofctl does, such as '
            "priority=10,in_port=1,actions=output:2",
        ),
        (
            {"s1": "openflow: [{match: icmp, actions: drop}]"},
            'm.yaml:5  nodes.s1.openflow: write rules as ovs-ofctl does: ["icmp,in_port=s1-eth1,actions=drop"]',
        ),
        (
            {"s1": "openflow: 'in_port=1 output:2'"},
            'm.yaml:5  nodes.s1.openflow: "in_port=1 output:2" has no actions; write a rule as ovs-ofctl '
            "does, such as priority=10,in_port=1,actions=output:2",
        ),
        (
            {"s1": "fail_mode: open"},
            'm.yaml:5  nodes.s1.fail_mode: "open" is not one of secure, standalone; write standalone',
        ),
        (
            {"s1": "stp: rstp"},
            'm.yaml:5  nodes.s1.stp: must be true or false, not "rstp"',
        ),
        (
            {"": "start: today"},
            'm.yaml:8  start: "today" is not a valid date; write one such as 2026-11-27, or "2026-11-27 08:00:00"',
        ),
        (
            {"": "start: 27.11.2026"},
            'm.yaml:8  start: "27.11.2026" is not a valid date; write one such as 2026-11-27, or "2026-11-27 08:00:00"',
        ),
        (
            {"": "start: '2026-11-27T08:00:00+01:00'"},
            "m.yaml:8  start: a start is always UTC; leave out the time zone",
        ),
        (
            {"": "date: 2026-11-27"},
            'm.yaml:8  date: unknown key "date" (did you mean start?)',
        ),
        (
            {"": "timeline:\n  - {at: 1 s, steer: sta1, to: ap1}"},
            "m.yaml:9  timeline.0.to: write btm: true in the access points of office; without it, they suggest nothing",
        ),
        (
            {"ap1": "btm: true", "": "timeline:\n  - {at: 1 s, steer: ap1, to: sta1}"},
            "m.yaml:9  timeline.0.steer: ap1 is not a station (it is an ap); only stations are steered",
        ),
        (
            {"ap1": "btm: true", "": "timeline:\n  - {at: 1 s, steer: sta1}"},
            "m.yaml:9  timeline.0.to: is missing (the access point that is suggested; it must have the station's SSID)",
        ),
        (
            {"ap1": "btm: true", "": "timeline:\n  - {at: 1 s, steer: sta1, to: ap1, leaves: 10 s}"},
            'm.yaml:9  timeline.0.leaves: must be true or false, not "10 s"',
        ),
        (
            {"ap1": "encrypt: wpa2-enterprise"},
            'm.yaml:6  nodes.ap1.encrypt: "wpa2-enterprise" is not one of open, owe, wpa2, wpa3, wpa2/wpa3, '
            "8021x; write 8021x",
        ),
        (
            {"ap1": "encrypt: 8021x, users: alice"},
            'm.yaml:6  nodes.ap1.users: must be a mapping: {key: value}, not "alice"; write names with '
            "their passwords: {alice: espresso}",
        ),
        (
            {"ap1": "encrypt: 8021x, users: [alice, bob]"},
            "m.yaml:6  nodes.ap1.users: must be a mapping: {key: value}, not a list; write names with their "
            "passwords: {alice: espresso}",
        ),
        (
            {"ap1": "encrypt: 8021x, users: {alice: 1234}"},
            "m.yaml:6  nodes.ap1.users.alice: a passphrase must be 8 to 63 printable ASCII characters; this one has 4",
        ),
        (
            {"ap1": "encrypt: 8021x, users: {alice: {passwd: espresso}}"},
            "m.yaml:6  nodes.ap1.users.alice: must be text, not a mapping",
        ),
        (
            {"ap1": "encrypt: 8021x, radius: 10.0.0.1"},
            'm.yaml:6  nodes.ap1.radius: unknown RADIUS server "10.0.0.1"',
        ),
        (
            {"ap1": "encrypt: 8021x, radius: h1"},
            "m.yaml:6  nodes.ap1.radius: h1 is not a RADIUS server (it is a host); name a node of kind: radius",
        ),
        (
            {"ap1": "encrypt: 8021x, radius: {ip: 10.0.0.1, secret: x}"},
            "m.yaml:6  nodes.ap1.radius: must be text, not a mapping; write the name of a node of kind: "
            "radius, which has an address and a secret by itself",
        ),
        (
            {"ap1": "encrypt: 8021x, eap: peap"},
            'm.yaml:6  nodes.ap1.eap: unknown key "eap": it is for kind: sta',
        ),
        (
            {"ap1": "encrypt: 8021x", "sta1": "eap: mschapv2, passwd: espresso"},
            'm.yaml:7  nodes.sta1.eap: "mschapv2" is not one of tls, peap, pwd; write peap: MSCHAPv2 in a '
            "tunnel of TLS",
        ),
        (
            {"ap1": "encrypt: 8021x", "sta1": "eap: peap, identity: alice"},
            "m.yaml:7  nodes.sta1.eap: peap needs a password; write passwd: with 8 to 63 characters",
        ),
        (
            {"ap1": "encrypt: 8021x, certificate: self"},
            'm.yaml:6  nodes.ap1.certificate: "self" is not one of lab, stranger; the lab makes it; files '
            "of yours are options in hostapd: or network:",
        ),
        (
            {"ap1": "encrypt: 8021x", "sta1": "encrypt: wpa2"},
            "m.yaml:7  nodes.sta1.encrypt: wpa2 needs a passphrase; write passwd: with 8 to 63 characters",
        ),
        (
            {"ap1": "encrypt: 8021x", "sta1": "certificate: /etc/cert.pem"},
            'm.yaml:7  nodes.sta1.certificate: "/etc/cert.pem" is not one of lab, stranger; the lab makes '
            "it; files of yours are options in hostapd: or network:",
        ),
        (
            {"ap1": "encrypt: 8021x", "sta1": "passwd: short"},
            "m.yaml:7  nodes.sta1.passwd: a passphrase must be 8 to 63 printable ASCII characters; this one has 5",
        ),
        (
            {"ap1": "band_steering: true"},
            'm.yaml:6  nodes.ap1.band_steering: unknown key "band_steering": write hostapd: '
            "{no_probe_resp_if_seen_on: ap1-wlan2, no_auth_if_seen_on: ap1-wlan2} at the radio of 2.4 GHz, and "
            "hostapd: {track_sta_max_num: 100} at that of 5 GHz",
        ),
    ],
)
def test_mistakes_in_networks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, changes: dict[str, str], message: str
) -> None:
    assert answer(tmp_path, monkeypatch, place(changes)) == message
