# SPDX-License-Identifier: MIT
"""The fixed cost of a run: the wall time of ``lab run one-ap idle --seed N``, by phase, each time with a new seed.

    python -m bench.fixed_cost [--times N]

Each run is a separate process, with a time stamp at the end of each phase. Work of the host while the guest runs is not
shown: it costs no time if there is a second core.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from bench.machine import load_average, machine
from bench.options import whole

LIMIT_S = 1.0
ARGUMENTS = ["run", "one-ap", "idle"]
# ``lab`` with a time stamp after each phase. Imports are part of the phase that needs them.
PROGRAM = """
import json, sys, time
stamps = [("python", time.monotonic())]

def stamp(name):
    stamps.append((name, time.monotonic()))

def after(holder, function, name):
    inner = getattr(holder, function)
    def outer(*arguments, **options):
        try:
            return inner(*arguments, **options)
        finally:
            stamp(name)
    setattr(holder, function, outer)

from lab.cli import entry, main
stamp("command line")
from lab.runs import command, pool, start
stamp("imports")
from lab.plan import load
after(load, "load", "plan")
after(start, "ensure_machine", "looking up what guests are made of")
from lab.machine import guest, watch
after(guest, "command_line", "preparing the guest")
after(watch.Watch, "judge", "guest")
after(pool, "run_plan", "record")
from lab.cli import results
after(results, "print_runs", "report")
try:
    entry.main()
finally:
    print(json.dumps(stamps), file=sys.stderr)
"""


def phases(seed: int) -> dict[str, float]:
    """Return the wall seconds of each phase of one run, and their sum."""
    with tempfile.TemporaryDirectory() as parent:
        out = Path(parent) / "run"
        # as on any machine, Python caches the bytecode of imports
        environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
        last_s = began_s = time.monotonic()
        argv = [sys.executable, "-c", PROGRAM, *ARGUMENTS, "--seed", str(seed), "--out", str(out)]
        result = subprocess.run(argv, env=environment, capture_output=True, text=True, check=False)
        ended_s = time.monotonic()
        if result.returncode:
            sys.exit(f"{' '.join(ARGUMENTS)} ended with {result.returncode}:\n{result.stdout}{result.stderr}")
        walls = json.loads((out / "wall.json").read_text())
    found: dict[str, float] = {}
    for name, stamp_s in json.loads(result.stderr.splitlines()[-1]):
        found[name] = found.get(name, 0.0) + stamp_s - last_s
        last_s = stamp_s
    found["end of Python"] = ended_s - last_s
    found["all"] = ended_s - began_s
    found["of the guest: boot to timeline"] = walls["boot_wall_s"]
    return found


def main() -> None:
    """Measure, print, and fail if the limit is exceeded."""
    parser = argparse.ArgumentParser(prog="python -m bench.fixed_cost", description=__doc__)
    parser.add_argument("--times", type=whole(1), default=7, help="runs (default 7)")
    chosen = parser.parse_args()
    seeds = random.sample(range(10**9), chosen.times + 1)  # of commands that nobody has given before
    phases(seeds.pop())  # fills caches
    measured = [phases(seed) for seed in seeds]
    print(f"{machine()}; {load_average()}")
    print(f"{'phase':<44}{'median':>9}{'least':>9}")
    for name in measured[0]:
        values = [found[name] for found in measured]
        print(f"{name:<44}{statistics.median(values) * 1000:>6.0f} ms{min(values) * 1000:>6.0f} ms")
    whole_s = statistics.median(found["all"] for found in measured)
    print(f"limit: {LIMIT_S * 1000:.0f} ms{'  OVER' if whole_s > LIMIT_S else ''}")
    sys.exit(1 if whole_s > LIMIT_S else 0)


if __name__ == "__main__":
    main()
