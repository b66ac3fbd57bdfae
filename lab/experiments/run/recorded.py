# SPDX-License-Identifier: MIT
"""Series of a record that figures of an experiment show: of kind time-series, and of kind cdf over samples.

A name is that of a metric of the workload (``goodput``: its samples), or ``process.quantity`` of what a process or
probe recorded (``station-dump.signal``). Where that is several series (of two flows, of two peers) it is their mean at
each moment, each holding its last value, as a metric's plain name is the mean of its figures.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from lab.experiments.types import Experiment, Series

_SECOND = 1_000_000_000


def wanted(experiment: Experiment) -> tuple[str, ...]:
    """The names of all series that the figures show."""
    metrics = {metric.name for metric in experiment.metrics}
    names = [
        figure.y if figure.kind == "time-series" else figure.x
        for figure in experiment.figures
        if figure.kind == "time-series" or (figure.kind == "cdf" and figure.x not in metrics)
    ]
    return tuple(dict.fromkeys(names))


def series(names: Sequence[str], data: Mapping[str, Any]) -> dict[str, Series]:
    """For ``Outcome.series``: those of the names that a run's record has.

    Args:
        names: see ``wanted``.
        data: what record.json holds (lab.record.record.Record).
    """
    found = {name: _together(_named(name, data)) for name in names}
    return {name: one for name, one in found.items() if one is not None}


def _named(name: str, data: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    if name in data["metrics"]:
        return [item for item in data["metrics"][name]["series"] if item["t_ns"]]
    process, _, quantity = name.partition(".")
    return [
        item
        for identifier, source in sorted(data["sources"].items())
        if process in (identifier, identifier.partition("@")[0])
        for item in source["series"]
        if item["t_ns"] and quantity in (item["name"], item["name"].partition("/")[0])
    ]


def _together(found: Sequence[Mapping[str, Any]]) -> Series | None:
    """The mean of those that have the unit of the first."""
    if not found:
        return None
    unit = found[0]["unit"]
    samples = sorted(
        (t_ns, number, value)
        for number, item in enumerate(found)
        if item["unit"] == unit
        for t_ns, value in zip(item["t_ns"], item["values"], strict=True)
    )
    held: dict[int, float] = {}
    means: dict[int, float] = {}  # the last of a moment is that of all its samples
    for t_ns, number, value in samples:
        held[number] = value
        means[t_ns] = math.fsum(held.values()) / len(held)
    return Series(tuple(t_ns / _SECOND for t_ns in means), tuple(means.values()), unit)
