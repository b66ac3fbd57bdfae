# SPDX-License-Identifier: MIT
"""The overhead of an experiment beyond its guests: time per trial, speed-up by a second job, and drawing.

The time of a guest is from its start until it has ended. The overhead is all other wall time of a sweep, from its first
line to its last, divided by the number of trials: planning, workers, records, the store.
"""

from __future__ import annotations

import argparse
import math
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from bench.machine import load_average, machine
from bench.options import add_times, whole
from lab.errors import LabError
from lab.experiments.run import engine
from lab.experiments.run.store import TrialStore
from lab.experiments.types import (
    Axis,
    Experiment,
    FigureSpec,
    Level,
    Point,
    Repetitions,
    Results,
    Row,
    TrialMetric,
    TrialOutcome,
)

OVERHEAD_S = 0.3
SPEED_UP = 1.8
DRAWING_S = 5.0
POINTS, REPETITIONS = 50, 10  # of the results that are drawn
MBPS = TrialMetric("goodput", "goodput", "Mbit/s")


@dataclass(frozen=True)
class Swept:
    """A completed sweep."""

    wall_s: float
    guests_s: float
    trials: int

    @property
    def overhead_s(self) -> float:
        """Wall time per trial without its guest, for a sweep with one job."""
        return (self.wall_s - self.guests_s) / self.trials


def sweep(trials: int, jobs: int) -> Swept:
    """Run the flagship with that many seeds, with a separate store."""
    point = Point(0, {}, "two-aps-handoff", "http/download", ())
    goodput = TrialMetric("goodput", "goodput", "Mbit/s")
    experiment = Experiment(
        "bench", "", {}, "bench", 1, (), (point,), Repetitions(trials, trials), (goodput,), (), (), ()
    )
    with tempfile.TemporaryDirectory() as directory:
        store = TrialStore(Path(directory))
        began_s = time.perf_counter()
        outcomes = engine.run(
            experiment, jobs=jobs, scheduler=None, fresh=False, keep=Path(directory) / "failed", store=store
        ).outcomes
        wall_s = time.perf_counter() - began_s
        if failed := [outcome.error for outcome in outcomes if outcome.error]:
            sys.exit(f"{len(failed)} of {trials} trials failed:\n{failed[0]}")
        kept = [store.get(outcome.key) for outcome in outcomes]
    return Swept(wall_s, sum(found.guest_s for found in kept if found), trials)


def drawing() -> float:
    """Return the wall seconds to write all files of an experiment of 500 trials."""
    from lab.experiments.output.files import write

    results = made_up()
    with tempfile.TemporaryDirectory() as directory:
        began_s = time.perf_counter()
        write(results, Path(directory))
        return time.perf_counter() - began_s


def made_up() -> Results:
    """Return results of 50 points with 10 trials each: a sine, and a tenth of it as spread."""
    from lab.experiments.analysis.statistics import summarise

    labels = [f"{number} m" for number in range(1, POINTS + 1)]
    axis = Axis("distance", tuple(Level(label, float(label.split()[0])) for label in labels), "m")
    points = [Point(number, {"distance": label}, "one-ap", "ping/ping", ()) for number, label in enumerate(labels)]
    values = [
        [20 + 10 * math.sin(number / 5) + math.sin(10 * number + seed) for seed in range(1, REPETITIONS + 1)]
        for number in range(POINTS)
    ]
    outcomes = [
        TrialOutcome(point.number, seed, 64 * "0", "lab run …", {MBPS.name: value}, None, None, 30.0, 1.0, False)
        for point in points
        for seed, value in enumerate(values[point.number], start=1)
    ]
    rows = [Row(point, {MBPS.name: summarise(values[point.number], MBPS.unit)}) for point in points]
    figure = FigureSpec("line", "goodput over distance", "distance", MBPS.name)
    rule = Repetitions(REPETITIONS, REPETITIONS)
    experiment = Experiment(
        "bench", "made up", {}, "bench", 1, (axis,), tuple(points), rule, (MBPS,), (figure,), (), ()
    )
    return Results(experiment, tuple(rows), (), tuple(outcomes), {}, {}, "lab reproduce bench", 1.0)


def main() -> int:
    """Return the exit status: 1 if a limit is exceeded."""
    parser = argparse.ArgumentParser(prog="python -m bench.experiments", description=__doc__)
    parser.add_argument("--trials", type=whole(2), default=24, help="of each sweep (default 24)")
    add_times(parser)
    chosen = parser.parse_args()
    print(f"{machine()}; {load_average()}", flush=True)
    held = True
    try:
        for _ in range(chosen.times):
            one, two = sweep(chosen.trials, 1), sweep(chosen.trials, 2)
            gain = one.wall_s / two.wall_s
            print(
                f"{one.trials} trials: {one.wall_s:.1f} s, of them {one.guests_s:.1f} s guests; "
                f"--jobs 2: {two.wall_s:.1f} s, guests {two.guests_s:.1f} s",
                flush=True,
            )
            held &= report_line(
                "overhead per trial, s, at most", one.overhead_s, OVERHEAD_S, one.overhead_s <= OVERHEAD_S
            )
            held &= report_line("--jobs 2 is faster, x, at least", gain, SPEED_UP, gain >= SPEED_UP)
            drawn_s = drawing()
            held &= report_line("all files of 500 trials, s, at most", drawn_s, DRAWING_S, drawn_s <= DRAWING_S)
    except LabError as error:
        print(error, file=sys.stderr)
        return 1
    return int(not held)


def report_line(name: str, figure: float, limit: float, holds: bool) -> bool:
    """Print a figure and its limit; return whether the limit is met."""
    print(f"{'ok ' if holds else 'BAD'}  {name} {limit:g}: {figure:.2f}", flush=True)
    return holds


if __name__ == "__main__":
    sys.exit(main())
