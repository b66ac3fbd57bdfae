# SPDX-License-Identifier: MIT
"""A day on the medium: an access point, two stations, a ping every ten seconds. There must be no leaks, warnings
or drift.

Memory is read every hour. The comparison begins with the second hour, when everything permanent has been allocated.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from bench.lab_runs import finished
from bench.machine import load_average, machine
from bench.options import whole
from lab.errors import LabError

HOUR_NS = 3600 * 10**9
BEACON_NS = 102_400_000  # 100 TU
GROWTH_MOST = 0.01  # of the kernel's memory, from the second hour to the last
DRIFT_MOST = 1e-4  # of the number of beacons; a few management frames are in the same access category
EVERY_S = 10

TOPOLOGY = """\
name: soak
country: US
medium: {statistics: 1 h}
nodes:
  h1: {kind: host, roles: [server]}
  ap1: {kind: ap, ssid: x, mode: n, channel: 36, encrypt: wpa2, passwd: open sesame}
  sta1: {kind: sta, roles: [client]}
  sta2: {kind: sta, roles: [client]}
links: [{between: [h1, ap1]}]
"""


@dataclass(frozen=True)
class Finding:
    """One condition that must hold."""

    name: str
    detail: str
    holds: bool


def workload(hours: int) -> str:
    """Return a workload of pings that reads the kernel's memory before each full hour."""
    pings = hours * 3600 // EVERY_S - 2
    lines = [
        f"name: soak\nroles: {{server: 1, client: 2}}\nduration: {hours} h\nprocesses:",
        f'  - {{on: client, at: 1 s, run: {{probe: ping, to: "{{server.ip}}", every: {EVERY_S} s, count: {pings}}}, '
        "as: call}",
        "timeline:",
        *(f"  - {{at: {hour * 60 - 1} min, exec: h1, run: [cat, /proc/meminfo]}}" for hour in range(1, hours + 1)),
    ]
    return "\n".join(lines) + "\n"


def kernel_kib(meminfo: str) -> int:
    """Return the kernel's own memory: slab, page tables, stacks, and per-CPU memory."""
    sizes = dict(re.findall(r"^(\w+):\s+(\d+) kB", meminfo, re.MULTILINE))
    return sum(int(sizes[name]) for name in ("Slab", "PageTables", "KernelStack", "Percpu"))


def judge(run: Path, hours: int) -> list[Finding]:
    """Return the findings of a run of so many hours; the lab itself fails a run if the kernel warns."""
    events = json.loads((run / "guest.json").read_text())["events"]
    held = [kernel_kib(event["output"]) for event in events if event["kind"] == "exec"]
    growth = held[-1] / held[1] - 1
    looks = json.loads((run / "raw" / "medium.json").read_text())["looks"]
    spans = [(look["channels"][0]["t_ns"], sum(look["channels"][0]["air_ns"].values())) for look in looks]
    gaps = [abs((b_air - a_air) - (b_ns - a_ns)) for (a_ns, a_air), (b_ns, b_air) in pairwise(spans)]
    sent = [radio["vo"]["attempts"] for look in looks for radio in look["radios"] if radio["node"] == "ap1"]
    due = (looks[-1]["t_ns"] - looks[0]["t_ns"]) / BEACON_NS
    drift = (sent[-1] - sent[0]) / due - 1
    lost = [
        int(found[1]) - int(found[2])
        for path in sorted((run / "raw").glob("call@*.out"))
        if (found := re.search(r"(\d+) packets transmitted, (\d+) received", path.read_text()))
    ]
    kept = ", ".join(f"{kib / 1024:.1f}" for kib in (held if len(held) <= 4 else [*held[:3], held[-1]]))
    return [
        Finding(
            "kernel memory, MiB (hours 1, 2, 3 … last)", f"{kept}: {100 * growth:+.2f} %", abs(growth) <= GROWTH_MOST
        ),
        Finding("air time less time passed, ns at most", str(max(gaps)), max(gaps) <= 1e-4 * HOUR_NS),
        Finding("beacons", f"{sent[-1] - sent[0]}, {due:.0f} were due", abs(drift) <= DRIFT_MOST + 5 / due),
        Finding("pings without reply", ", ".join(map(str, lost)), sum(lost) <= hours),
    ]


def main() -> int:
    """Return the exit status: 1 if a condition does not hold."""
    parser = argparse.ArgumentParser(prog="python -m bench.day", description=__doc__)
    parser.add_argument("--hours", type=whole(3), default=24, help="length in virtual time, at least 3 (default 24)")
    hours = parser.parse_args().hours
    print(f"{machine()}; {load_average()}", flush=True)
    try:
        with finished(TOPOLOGY, workload(hours)) as (run, times):
            found = judge(run, hours)
    except LabError as error:
        print(error, file=sys.stderr)
        return 1
    print(f"{hours} h of virtual time in {times.whole_s:.0f} s")
    for finding in found:
        print(f"{'ok ' if finding.holds else 'BAD'}  {finding.name}: {finding.detail}")
    return int(not all(finding.holds for finding in found))


if __name__ == "__main__":
    sys.exit(main())
