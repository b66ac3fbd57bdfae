# SPDX-License-Identifier: MIT
"""The workloads of the comparisons: the server sends to all stations at once.

The load begins one second after the start of the run. Before that, the server pings each station, so all addresses are
known: a lost ARP request is repeated only after a second, and ns-3's caches are filled too. The first second of the
load is not counted.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path

from bench.places import numbers
from lab.errors import RunError

START_S = 1
WARM_UP_S = 1
REST_S = 2  # after the load: queues drain, iperf3 exchanges results
FLOW = "flow"  # the senders, in the names of raw files
SINK = "sink"
UDP_PROGRAM = Path(__file__).with_name("udp_load.py")
_ACKED = re.compile(r"bytes_acked:(\d+)")
_SACKED = re.compile(r" mss:(\d+) .* sacked:(\d+)")


@dataclass(frozen=True)
class Load:
    """A download for ``seconds``; with UDP, ``offered_mbps`` is the total rate."""

    stations: int
    seconds: int
    offered_mbps: float | None = None  # None: TCP
    by_iperf3: bool = False  # UDP too

    @property
    def counted_s(self) -> int:
        """The time during which goodput is counted."""
        return self.seconds - WARM_UP_S

    def text(self) -> str:
        """Return the workload file, which needs udp_load.py in the same folder."""
        lines = [
            "name: download",
            f"roles: {{server: 1, client: {self.stations}}}",
            f"duration: {START_S + self.seconds + REST_S} s",
        ]
        if self.offered_mbps is not None and not self.by_iperf3:
            lines += self._udp(self.offered_mbps)
        else:
            lines += self._iperf3()
        lines += ["timeline:", *self._pings(), *self._counts()]
        return "\n".join(lines) + "\n"

    def goodput_mbps(self, run: Path) -> list[float]:
        """Return the goodput of each station, from the files of a run.

        Raises:
            RunError: If the data of a station is missing.
        """
        if self.offered_mbps is None:
            return self._tcp_goodput(run)
        if self.by_iperf3:
            return [_iperf3_goodput(path) for path in self._sinks(run)]
        return [8e-6 * sum(json.loads(path.read_text())[WARM_UP_S:]) / self.counted_s for path in self._sinks(run)]

    def _udp(self, offered_mbps: float) -> list[str]:
        path = f"/tmp/{UDP_PROGRAM.name}"
        addresses = "".join(f', "{{client[{i}].ip}}"' for i in numbers(self.stations))
        sender = f"python3, {path}, send, '{offered_mbps * 1e6:.0f}', '{self.seconds}'{addresses}"
        return [
            "files:",
            *(f"  {role}-program: {{on: {role}, path: {path}, from: {UDP_PROGRAM.name}}}" for role in _ROLES),
            "processes:",
            f"  - {{on: client, run: [python3, {path}, receive, '{START_S}', '{self.seconds}'], as: {SINK}, "
            "may_run_on: true}",
            f"  - {{on: server, at: {START_S} s, run: [{sender}], as: {FLOW}}}",
        ]

    def _iperf3(self) -> list[str]:
        """Return the commands: a client in the server for each station, since an iperf3 server serves one at a time."""
        how = f"duration: {self.seconds} s, congestion: cubic"
        if self.offered_mbps is not None:
            rate = f"rate: {self.offered_mbps / self.stations:.4f} Mbit/s"
            how = f"duration: {self.counted_s} s, omit: {WARM_UP_S} s, udp: true, length: 1472 B, {rate}"
        return [
            "processes:",
            f"  - {{on: client, run: {{probe: iperf3-server}}, as: {SINK}, ready: {{listening: tcp/5201}}}}",
            *(
                f"  - {{on: server, at: {START_S} s, as: {FLOW}{i}, "
                f'run: {{probe: iperf3, server: "{{client[{i}].ip}}", {how}}}}}'
                for i in numbers(self.stations)
            ),
        ]

    def _pings(self) -> list[str]:
        return [
            f'  - {{at: {20 * i} ms, exec: server, run: [ping, -qc1, "{{client[{i}].ip}}"]}}'
            for i in numbers(self.stations)
        ]

    def _counts(self) -> list[str]:
        """Record what has arrived according to the server, after the first second and at the end."""
        if self.offered_mbps is not None:
            return []
        looks_s = (START_S + WARM_UP_S, START_S + self.seconds)
        return [f"  - {{at: {at} s, exec: server, run: [ss, -tinHO, 'dport = :5201']}}" for at in looks_s]

    def _tcp_goodput(self, run: Path) -> list[float]:
        """Return the bytes acknowledged, also selectively, between start and end of the counted time.

        iperf3's own count is too coarse: it counts blocks of 128 KiB, a twentieth of what a slow station gets. With
        smaller blocks it pushes (PSH) each one, and its receiver acknowledges each one immediately.
        """
        events = json.loads((run / "guest.json").read_text())["events"]
        first, last = (_acked(event["output"]) for event in events if "ss" in event["params"].get("argv", []))
        if len(last) != self.stations:
            raise RunError(f"of {self.stations} stations {len(last)} had a connection at the end: {run}")
        return [8e-6 * (last[peer] - first.get(peer, 0)) / self.counted_s for peer in sorted(last)]

    def _sinks(self, run: Path) -> list[Path]:
        names = [SINK] if self.stations == 1 else [f"{SINK}@sta{i}" for i in numbers(self.stations)]
        return [run / "raw" / f"{name}.out" for name in names]


_ROLES = ("server", "client")


def _acked(printed: str) -> dict[str, int]:
    """Return the bytes by peer; iperf3 has two connections to each, control and data.

    Data behind a hole counts: it took air time, no matter when the program receives it.
    """
    acked: dict[str, int] = {}
    for line in printed.splitlines():
        peer = line.split()[4].rsplit(":", 1)[0]
        found = _ACKED.search(line)
        behind = _SACKED.search(line)
        acked[peer] = acked.get(peer, 0) + (int(found[1]) if found else 0)
        acked[peer] += int(behind[1]) * int(behind[2]) if behind else 0
    return acked


def _iperf3_goodput(path: Path) -> float:
    """Return the mean of the intervals that are not omitted."""
    document = json.JSONDecoder().raw_decode(path.read_text())[0]
    counted = [interval["sum"] for interval in document["intervals"] if not interval["sum"]["omitted"]]
    mbps: float = 8e-6 * sum(each["bytes"] for each in counted) / sum(each["seconds"] for each in counted)
    return mbps
