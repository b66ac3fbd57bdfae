# SPDX-License-Identifier: MIT
"""Run cases.cc, small saturated places in ns-3, and print what each station gets.

``python -m bench.ns3.cases --cases hidden-11a-54 both-ways`` runs two of them.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from bench.machine import load_average, machine
from bench.ns3.build import ensure_program
from bench.options import whole
from lab.errors import LabError, RunError

SOURCE = Path(__file__).with_name("cases.cc")
# in the order of cases.cc, which defines them
CASES = (
    *("hidden-11a-54", "hidden-11a-54-rts", "hidden-11a-6", "hidden-11a-6-rts"),
    *("capture-11a-54", "capture-11a-54-30db", "stays-11a-54", "stays-11a-54-30db", "anomaly-11a"),
    *("mixed-bg", "mixed-bg-cts11", "mixed-bg-basic11"),
    *(f"ht-mcs{mcs}-{width}-{guard}" for mcs in (7, 15) for width in (20, 40) for guard in ("lgi", "sgi")),
    *("ht-five", "ht-five-no-bar", "ht-five-eifs", "ht-hidden"),
    *("voice-and-best-effort", "voice-and-best-effort-hidden"),
    *("voice-and-best-effort-hidden-1248", "voice-and-best-effort-0"),
    *("loss-5", "loss-20", "loss-50", "both-ways"),
    *(f"calls-11b-{calls}" for calls in (4, 5, 6, 7)),
    *("alone-11g", "alone-11g-spectrum"),
    *(f"overlap-11g-{cross}db-{apart}" for cross in (40, 30, 20) for apart in range(7)),
)
HEAD = f"{'case':<29}{'what':<25}{'figure':<14}{'ns-3':>9}{'sd':>9}"


@dataclass(frozen=True)
class Figure:
    """What ns-3 gives: mean and standard deviation over the seeds.

    ``what``: station or direction; those with the same name are averaged. ``quantity``: ``ip_mbps`` and
    ``payload_mbps`` (the same packets, counted as 1500 and as 1472 B); for calls ``lost_share`` and ``delay_ms``.
    """

    case: str
    what: str
    quantity: str
    mean: float
    sd: float


def parse(printed: str, case: str) -> list[Figure]:
    """Parse the lines of JSON that the program prints; RunError if they are not those of this case."""
    figures = []
    try:
        for line in printed.splitlines():
            values = json.loads(line)
            ran, what, _ = values.pop("case"), values.pop("what"), values.pop("seeds")
            figures += [Figure(ran, what, quantity, one["mean"], one["sd"]) for quantity, one in values.items()]
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise RunError(f"ns-3's cases printed what cannot be read ({error!r}): {printed!r}") from None
    ran_cases = {figure.case for figure in figures}
    if ran_cases != {case}:
        raise RunError(f"ns-3's cases ran {sorted(ran_cases)}, not {case}")
    return figures


def run(program: Path, case: str, seeds: int = 3, seconds: float = 0) -> list[Figure]:
    """Run one case in the program that ``ensure_program(SOURCE)`` returns.

    ``seconds`` are counted for each seed, after a warm-up of 2 s; 0: as many as cases.cc has for this case.
    """
    argv = [str(program), f"--case={case}", f"--seeds={seeds}", f"--seconds={seconds}"]
    result = subprocess.run(argv, capture_output=True, text=True, check=False)
    if result.returncode:
        raise RunError(f"{' '.join(argv)} ended with {result.returncode}:\n{result.stderr}")
    return parse(result.stdout, case)


def row(figure: Figure) -> str:
    """Format a row of the table."""
    name = f"{figure.case:<29}{figure.what:<25}{figure.quantity:<14}"
    return f"{name}{figure.mean:>9.4f}{figure.sd:>9.4f}"


def arguments() -> argparse.Namespace:
    """Parse the command line."""
    parser = argparse.ArgumentParser(prog="python -m bench.ns3.cases", description=__doc__)
    parser.add_argument("--cases", nargs="+", default=CASES, choices=CASES, metavar="CASE", help=", ".join(CASES))
    parser.add_argument("--seeds", type=whole(1), default=3, help="runs of each (default 3)")
    parser.add_argument(
        "--seconds", type=whole(1), default=0, help="counted in each run (default: each case has its own)"
    )
    return parser.parse_args()


def main() -> int:
    """Run the cases and print their figures as they come."""
    chosen = arguments()
    program = ensure_program(SOURCE)
    print(f"{machine()}; {load_average()}")
    print(HEAD, flush=True)
    for case in chosen.cases:
        for figure in run(program, case, chosen.seeds, chosen.seconds):
            print(row(figure), flush=True)
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except LabError as error:
        sys.exit(str(error))
