# SPDX-License-Identifier: MIT
"""Results made by hand, for what is drawn and written from them."""

from __future__ import annotations

import math
import random
import statistics
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import product
from typing import Any

from lab.experiments.types import (
    Axis,
    Claim,
    Experiment,
    FigureSpec,
    Level,
    Point,
    Published,
    Repetitions,
    Results,
    Row,
    Summary,
    TrialMetric,
    TrialOutcome,
    Verdict,
)
from lab.probes.base import TimeSeries

HASHES: dict[str, str | None] = {"kernel": "a" * 64, "image": "b" * 64, "code": "c" * 64, "series": None}
VERSIONS: dict[str, object] = {"lab": "0.1.0", "kernel": "6.12.48", "packages": {"hostapd": "2:2.10-24", "iw": "6.9-1"}}
T95 = {2: 12.71, 3: 4.30, 4: 3.18, 5: 2.78, 6: 2.57, 10: 2.26}


def axis(name: str, *labels: str, unit: str | None = None) -> Axis:
    """Labels that begin with a number have it."""
    levels = []
    for label in labels:
        first = label.split()[0] if label.split() else ""
        try:
            levels.append(Level(label, float(first)))
        except ValueError:
            levels.append(Level(label, None))
    return Axis(name, tuple(levels), unit)


def summary(values: Sequence[float], missing: int = 0, unit: str = "s") -> Summary:
    n = len(values)
    deviation = statistics.stdev(values) if n > 1 else None
    ci95 = None if deviation is None else T95.get(n, 2.0) * deviation / math.sqrt(n)
    return Summary(tuple(values), statistics.mean(values) if n else None, ci95, deviation, n, missing, unit)


def results(
    axes: Sequence[Axis],
    figures: Sequence[FigureSpec],
    mean: Callable[[dict[str, str]], float],
    *,
    repetitions: int = 10,
    spread: float = 0.06,
    metric: TrialMetric = TrialMetric("transfer_time", "max(transfer)", "s"),  # noqa: B008
    published: Callable[[dict[str, str]], float | None] = lambda labels: None,
    fails: Callable[[dict[str, str], int], bool] = lambda labels, seed: False,
    verdicts: Sequence[Verdict] = (),
    series: bool = False,
    **changes: Any,
) -> Results:
    """A whole experiment: values scatter around ``mean`` of the labels; trials that ``fails`` names have none."""
    chance = random.Random(1)
    points, rows, outcomes, papers = [], [], [], []
    for number, levels in enumerate(product(*(one.levels for one in axes))):
        labels = {one.name: level.label for one, level in zip(axes, levels, strict=True)}
        settings = tuple(f"{name}={label}" for name, label in labels.items())
        point = Point(number, labels, "office", "swp/web-transfer", settings)
        points.append(point)
        value = published(labels)
        if value is not None:
            papers.append(Published(metric.name, labels, value))
        values, missing = [], 0
        for seed in range(1, repetitions + 1):
            sets = " ".join(f"--set '{text}'" for text in settings)
            command = f"lab run office swp/web-transfer {sets} --seed {seed}"
            found = mean(labels) * (1 + chance.gauss(0, spread))
            failed = fails(labels, seed)
            if failed:
                missing += 1
            else:
                values.append(found)
            error = "sta1 is not associated after 5 s\nwpa_supplicant: CTRL-EVENT-DISCONNECTED\nap1: <deauth>"
            outcomes.append(
                TrialOutcome(
                    number,
                    seed,
                    f"{number:032x}{seed:032x}",
                    command,
                    {} if failed else {metric.name: found},
                    error if failed else None,
                    f"runs/failed/{number}-{seed}" if failed else None,
                    30.0,
                    4.2,
                    cached=seed == 1,
                    series=_series(found, chance) if series else {},
                )
            )
        rows.append(Row(point, {metric.name: summary(values, missing, metric.unit)}))
    experiment = Experiment(
        "swp/table1",
        "Transfer time of a page over TCP and over SWP.",
        {"paper": "000_7063b03116d96143.txt", "table": "1"},
        "workloads/swp/experiments/table1.yaml",
        1,
        tuple(axes),
        tuple(points),
        Repetitions(repetitions, repetitions),
        (metric,),
        tuple(figures),
        tuple(papers),
        tuple(verdict.claim for verdict in verdicts),
    )
    return replace(
        Results(
            replace(experiment, **changes),
            tuple(rows),
            tuple(verdicts),
            tuple(outcomes),
            HASHES,
            VERSIONS,
            "lab reproduce swp/table1",
            61.5,
        )
    )


def _series(level: float, chance: random.Random) -> dict[str, TimeSeries]:
    t_ns = [index * 100_000_000 for index in range(100)]
    values = [level * (1 + 0.3 * math.sin(at_ns / 1e9)) + chance.gauss(0, 0.1 * level) for at_ns in t_ns]
    return {"goodput": TimeSeries("goodput", "Mbit/s", t_ns, values)}


DISTANCE = axis("distance", "2 m", "4 m", "6 m", "8 m", "10 m", unit="m")
TRANSPORT = axis("transport", "tcp", "swp-approximate", "swp-precise")
SPEED_UP = {"tcp": 1.0, "swp-approximate": 0.7, "swp-precise": 0.85}
PAPER = {"tcp": [1.163, 0.878, 1.452, 1.769, 1.260], "swp-approximate": [0.765, 0.785, 0.828, 1.118, 0.968]}
TITLE = "SWP is faster than TCP at every distance"
FASTEST = Verdict(
    Claim("approximate is fastest everywhere", "all(swp-approximate < tcp)", None, "table1.yaml:12"),
    True,
    "5 of 5 hold",
    "all hold",
)
SPEED = Verdict(
    Claim("mean speed-up", "1.2 < geomean(tcp / swp-approximate) < 1.4", "1.43", "table1.yaml:13"),
    False,
    "geomean(tcp / swp-approximate) = 1.428",
    "between 1.2 and 1.4",
)


def _mean(labels: dict[str, str]) -> float:
    return SPEED_UP[labels["transport"]] * (0.9 + float(labels["distance"].split()[0]) / 12)


def _paper(labels: dict[str, str]) -> float | None:
    if labels["transport"] not in PAPER:
        return None
    return PAPER[labels["transport"]][[level.label for level in DISTANCE.levels].index(labels["distance"])]


def table1(kind: str = "bar", **changes: Any) -> Results:
    """As workloads/swp/experiments/table1.yaml of the design, drawn as ``kind``."""
    figure = FigureSpec(kind, TITLE, "distance", "transfer_time", "transport")  # type: ignore[arg-type]
    given: dict[str, Any] = {"figures": [figure], "published": _paper, "verdicts": [FASTEST, SPEED]} | changes
    return results([DISTANCE, TRANSPORT], mean=given.pop("mean", _mean), **given)


def broken(kind: str = "bar") -> Results:
    """With a point without values, and one with two trials fewer."""

    def fails(labels: dict[str, str], seed: int) -> bool:
        if labels["transport"] == "tcp" and labels["distance"] == "6 m":
            return True
        return labels["transport"] == "swp-precise" and labels["distance"] == "10 m" and seed > 8

    return table1(kind, fails=fails)
