# SPDX-License-Identifier: MIT
"""The topologies of the comparisons: a server, an access point, and stations that all hear each other at 40 dB."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Phy:
    """One PHY at one rate, as keys of nodes; ``capacity_mbps`` (of UDP payload) only determines the offered load."""

    access_point: str
    rate: str
    capacity_mbps: float


# the rates of bench/ns3/download.cc
PHYS = {
    "11b-11": Phy("mode: b, channel: 1", "11 Mbit/s", 6.1),
    "11a-54": Phy("mode: a, channel: 36", "54 Mbit/s", 30),
    "11n-150": Phy("mode: n, channel: 36, width: 40 MHz, guard_interval: short", "MCS 7", 135),
    "11g-54": Phy("mode: g, channel: 1", "54 Mbit/s", 30),
}
WIRE = "rate: 500 Mbit/s, delay: 1 ms"


def behind_access_point(phy: Phy, stations: int, wire: str = WIRE) -> str:
    """Return a topology: h1, ap1, sta1 to staN on an 802.11 medium.

    Country US: other countries prescribe WMM parameters at 5 GHz; ns-3 has the defaults of IEEE 802.11.
    """
    lines = [
        f"name: behind-access-point-{stations}",
        "country: US",
        "medium: {}",
        "nodes:",
        "  h1: {kind: host, roles: [server]}",
        f"  ap1: {{kind: ap, ssid: bench, {phy.access_point}, rate: {phy.rate}}}",
        *(f"  sta{i}: {{kind: sta, roles: [client], rate: {phy.rate}}}" for i in numbers(stations)),
        f"links: [{{between: [h1, ap1], {wire}}}]",
    ]
    return "\n".join(lines) + "\n"


def behind_switch(stations: int, rate: str, limit: str, wire: str = WIRE) -> str:
    """Return the same without radios: hosts sta1 to staN behind a switch, each on a veth pair with netem."""
    lines = [
        f"name: behind-switch-{stations}",
        "nodes:",
        "  h1: {kind: host, roles: [server]}",
        "  s1: {kind: switch}",
        *(f"  sta{i}: {{kind: host, roles: [client]}}" for i in numbers(stations)),
        "links:",
        f"  - {{between: [h1, s1], {wire}}}",
        *(f"  - {{between: [s1, sta{i}], rate: {rate}, limit: {limit}}}" for i in numbers(stations)),
    ]
    return "\n".join(lines) + "\n"


def numbers(stations: int) -> range:
    """Return the numbers of the stations, from 1."""
    return range(1, stations + 1)
