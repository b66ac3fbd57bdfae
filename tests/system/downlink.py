# SPDX-License-Identifier: MIT
"""Datagrams from a host behind an access point to stations, one by one, and what happens to their frames.

Mode a at 54 Mbit/s: no aggregates, and only the access point has data to send, so hardly any frame collides.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from math import sqrt

from tests import air
from tests.air import ACK, DATA, Frame
from tests.system.conftest import Ran

RATE_CURVE = "64qam-3/4"
MPDU_BYTES = 24 + 8 + 28 + 1400 + 4  # header, SNAP, IP and UDP, datagram, FCS
START_S = 1
_SECOND = 1_000_000_000
_BSSID = "02:00:00:00:aa:00"
_DEVIATIONS = 3.29  # standard deviations: one in a thousand values of a normal distribution is outside


def topology(medium: str, stations: dict[str, str]) -> str:
    """Return a topology with one access point.

    Args:
        medium: keys of the medium, in YAML's flow style.
        stations: further keys of each station, by name; the n-th station has the MAC address ``mac(n)``.
    """
    return "\n".join(
        [
            "name: downlink",
            "country: US",
            f"medium: {{{medium}}}",
            "nodes:",
            "  h1: {kind: host, roles: [server]}",
            f"  ap1: {{kind: ap, ssid: x, mode: a, channel: 36, bssid: '{_BSSID}', rate: 54 Mbit/s, "
            "position: [0 m, 0 m, 1 m]}",
            *(
                f"  {name}: {{kind: sta, roles: [client], mac: '{mac(number)}'{keys and f', {keys}'}}}"
                for number, (name, keys) in enumerate(stations.items(), 1)
            ),
            "links: [{between: [h1, ap1]}]",
            "",
        ]
    )


def mac(number: int) -> str:
    """Return the MAC address of the n-th station, counted from 1."""
    return f"02:00:00:00:bb:{number:02x}"


def workload(stations: int, every: str, duration_s: int) -> str:
    """Return a workload with a flow to each station; the flows send at different instants."""
    lines = [f"name: downlink\nroles: {{server: 1, client: {stations}}}\nduration: {duration_s} s\nprocesses:"]
    lines.append("  - {on: client, run: {probe: udp-sink}, as: sink, ready: {listening: udp/9000}}")
    lines += [
        f'  - {{on: server, run: {{probe: udp-sender, to: "{{client[{number}].ip}}", size: 1400 B, every: {every}, '
        f"phase: {500 + 100 * number} us}}, as: flow{number}}}"
        for number in range(1, stations + 1)
    ]
    return "\n".join(lines) + "\n"


@dataclass(frozen=True)
class Attempts:
    """Attempts to send a frame over a link during the flows, without those that collided."""

    sent: int
    damaged: int
    lost: int
    header: int

    @property
    def failed_percent(self) -> float:
        """Share of attempts that were not received correctly."""
        return 100 * (self.damaged + self.lost + self.header) / self.sent


def attempts(ran: Ran, station: str) -> Attempts:
    """Return the attempts from the access point to a station."""
    looks = [look for look in ran.looks() if look["t_ns"] >= START_S * _SECOND]
    first, last = (
        next(link for link in look["links"] if (link["from"], link["to"]) == ("ap1", station))
        for look in (looks[0], looks[-1])
    )
    grown = {key: last[key] - first[key] for key in ("sent", "collided", "damaged", "lost", "header")}
    return Attempts(grown["sent"] - grown["collided"], grown["damaged"], grown["lost"], grown["header"])


def bound_percent(probability: float, trials: int) -> float:
    """Return the deviation, in percent, that a share of trials exceeds once in a thousand times."""
    return float(f"{100 * _DEVIATIONS * sqrt(probability * (1 - probability) / trials):.2g}")


def data_frames(ran: Ran, number: int) -> list[tuple[Frame, bool]]:
    """Return the datagrams to a station on the air, in order, and whether each was acknowledged."""
    (path,) = (ran.directory / "raw").glob("air-*")
    frames = air.frames(path)
    receiver = bytes.fromhex(mac(number).replace(":", ""))
    return [
        (frame, after.kind == ACK and after.receiver == frame.transmitter)
        for frame, after in pairwise(frames)
        if frame.kind == DATA and frame.receiver == receiver and len(frame.body) + air.FCS_BYTES == MPDU_BYTES
    ]
