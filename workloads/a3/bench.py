# SPDX-License-Identifier: MIT
"""How fast packets pass a3d: bytes of a TCP connection between two routers, by the time of the host that they take.

    python -m workloads.a3.bench [--times N] [--megabytes N]

Each row is a download over links of 1 Gbit/s: without a3d, with it on one router, and on both. The processor time is
that of the lab and its guest, less that of a run with 1 kB; on an idle machine with 2 cores, wall time is hardly more.
The aim is 500 Mbit of virtual traffic for each second of it.
"""

from __future__ import annotations

import argparse
import json
import statistics

from bench.lab_runs import finished
from bench.machine import load_average, machine

PLACE = """\
name: passing
nodes:
  h1: {kind: host}
  r1: {kind: router}
  r2: {kind: router}
  h2: {kind: host}
links:
  - {between: [h1, r1]}
  - {between: [r1, r2], rate: 1 Gbit/s, delay: 1 ms}
  - {between: [r2, h2]}
"""
WORKLOAD = """\
name: passing
stack: a3
duration: 10 s
processes:
  - {on: h1, run: [python3, -c, 'SERVE'], as: server, ready: {listening: tcp/80}}
DAEMONS
  - {on: h2, at: 2 s, run: [python3, -c, 'FETCH', "{h1.ip}"], as: fetch}
"""
SERVE = (
    "import socket; data = bytes(1 << 20); server = socket.create_server((str(), 80))\n"
    "while True:\n  one, _ = server.accept()\n  left = BYTES\n"
    "  while left > 0: left -= one.send(data[:left])\n  one.close()"
)
FETCH = (
    "import socket, sys; one = socket.create_connection((sys.argv[1], 80)); data = bytearray(1 << 20); got = 0\n"
    "while more := one.recv_into(data): got += more\nsys.exit(got != BYTES)"
)
# for each row, the options of a3d on the routers
ROWS: dict[str, dict[str, list[str]]] = {
    "without a3d": {},
    "one a3d": {"r1": ["--side", "server"]},
    "two": {"r1": ["--side", "server"], "r2": ["--side", "client"]},
}


def cpu_s(daemons: dict[str, list[str]], size: int) -> float:
    """Return the processor time of a run that carries so many bytes, in seconds."""
    lines = [
        f"  - {{on: {node}, run: [a3d, {', '.join(options)}], as: a3d-{node}, may_run_on: true}}\n"
        for node, options in daemons.items()
    ]
    workload = WORKLOAD.replace("DAEMONS\n", "".join(lines))
    for name, program in (("SERVE", SERVE), ("FETCH", FETCH)):
        text = json.dumps(program.replace("BYTES", str(size)))
        workload = workload.replace(f"'{name}'", text.replace("{", "{{").replace("}", "}}"))
    with finished(PLACE, workload) as (_, times):
        return times.cpu_s


def main() -> None:
    """Measure and print each row."""
    parser = argparse.ArgumentParser(prog="python -m workloads.a3.bench", description=__doc__)
    parser.add_argument("--times", type=int, default=3, help="runs of each row (default 3)")
    parser.add_argument("--megabytes", type=int, default=200, help="bytes of a run, in MB, at most 900 (default 200)")
    chosen = parser.parse_args()
    print(machine(), f"load {load_average()}", sep="\n")
    for name, daemons in ROWS.items():
        idle_s = statistics.median(cpu_s(daemons, 1000) for _ in range(chosen.times))
        megabits = 8 * chosen.megabytes
        found = [megabits / (cpu_s(daemons, chosen.megabytes * 1_000_000) - idle_s) for _ in range(chosen.times)]
        print(f"{name:<12}{statistics.median(found):6.0f} Mbit/s ({min(found):.0f} to {max(found):.0f})", flush=True)


if __name__ == "__main__":
    main()
