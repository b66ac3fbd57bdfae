# SPDX-License-Identifier: MIT
"""Series of a record for figures of an experiment: time-series, and cdf over samples.

A name is that of a metric of the workload (``goodput``: its samples), or ``process.quantity`` of what a process or
probe recorded (``station-dump.signal``). If there are several series (of two flows, of two peers), it is their mean at
each moment, where each holds its last value; likewise, a metric's plain name is the mean of its figures.
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
    """For ``Outcome.series``: the named series that a run's record has.

    Args:
        names: from ``wanted``.
        data: content of record.json (lab.record.record.Record).
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
    """The mean of the series that have the unit of the first one."""
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
    means: dict[int, float] = {}  # the last value of a moment is the mean after all its samples
    for t_ns, number, value in samples:
        held[number] = value
        means[t_ns] = math.fsum(held.values()) / len(held)
    return Series(tuple(t_ns / _SECOND for t_ns in means), tuple(means.values()), unit)
