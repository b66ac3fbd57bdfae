# SPDX-License-Identifier: MIT
"""Fuzz DCCP in the guest for as long as you like: ``python -m workloads.dccp.tests.fuzz --packets 200000 --seed 7``."""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from lab import library, runs
from lab.cache.report import SilentReport
from lab.errors import LabError
from lab.plan.load import load
from workloads.dccp.tests.fuzz import scenario


def main() -> int:
    """Run it, and print what happened; 1 if the kernel complained, or too little reached it."""
    parser = argparse.ArgumentParser(prog="python -m workloads.dccp.tests.fuzz", description=__doc__)
    parser.add_argument("--packets", type=int, default=100_000, help="how many to send; default: 100000")
    parser.add_argument("--seed", type=int, default=1, help="of the random numbers; default: 1")
    options = parser.parse_args()
    directory = Path(tempfile.mkdtemp(prefix="dccp-fuzz-"))
    place, work = directory / "topology.yaml", directory / "workload.yaml"
    place.write_text(scenario.PLACE)
    work.write_text(scenario.workload(options.seed, options.packets))
    plan = load(str(place), str(work), options.seed)
    code = library.code_of(work, plan.stack)
    machine = runs.with_stacks(runs.ensure_machine(SilentReport()), [code] if code else [], SilentReport())
    run = directory / "run"
    run.mkdir()
    try:
        runs.boot(plan, machine, run)
    except LabError as error:
        print(f"fuzz: {error}", file=sys.stderr)
        return 1
    outcome = scenario.Outcome.of(run / "raw")
    print(f"fuzz: {outcome.sent} packets sent, {outcome.reached} reached dccp_v4_rcv(); seed {options.seed}")
    print(
        f"fuzz: rounds {outcome.begun}, answers by type {outcome.answers}; then {outcome.friend_bytes} bytes of a flow"
    )
    for failure in outcome.failures():
        print(f"fuzz: {failure}", file=sys.stderr)
    return 1 if outcome.failures() else 0


if __name__ == "__main__":
    sys.exit(main())
