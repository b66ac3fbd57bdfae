# SPDX-License-Identifier: MIT
"""What an experiment takes of a run besides metrics of its workload: names for expressions, series for figures.

Names are those of processes and files, as in checks: ``fetch.exit``, the values of a probe's parser (``fetch.bytes``),
``file.size``. A process that several nodes run is a list; ``fetch@sta2`` is one entry. The values of a parser are not
known before its output exists.

A series is named as a metric of the workload (``goodput``: its samples), or ``process.quantity`` of what a process or
probe recorded (``station-dump.signal``). If there are several series (of two flows, of two peers), it is their mean at
each moment, where each holds its last value; likewise, a metric's plain name is the mean of its figures.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from lab.experiments.types import Experiment
from lab.expressions.expression import Unmeasured
from lab.probes.base import TimeSeries
from lab.record.metrics import by_name, measured
from lab.shared.types import Plan

Names = dict[str, Any]


def planned(plan: Plan) -> Names:
    """Return stand-ins by name, before anything runs; a program of which nothing is read has only its exit status."""
    found: list[tuple[str, str, Mapping[str, Any]]] = []
    for one in plan.processes:
        units = {**(one.prints.units if one.prints else {}), "exit": ""}
        read = one.prints is not None or one.probe is not None
        found.append((one.id, one.name, Unmeasured(units) if read else {"exit": 0}))
    return _files(plan.data()["files"]) | by_name(found)


def recorded(data: Mapping[str, Any]) -> Names:
    """Return the values of one run, the content of record.json, by name."""
    exits = {entry["id"]: entry["exit"] for entry in data["processes"]}
    found = []
    for one in data["plan"]["processes"]:
        printed = one.get("prints", {}).get("units")
        values = measured(data["sources"][one["id"]]["values"], printed)
        ended = {"exit": exits.get(one["id"])}
        found.append((one["id"], one["name"], ended | values | ended))
    return _files(data["plan"]["files"]) | by_name(found)


def _files(files: Sequence[Mapping[str, Any]]) -> Names:
    return {
        file["name"]: {"sha256": file["sha256"], "size": _size_bytes(file), "path": file["path"]}
        for file in files
        if "/" not in file["name"]  # of a folder
    }


def _size_bytes(file: Mapping[str, Any]) -> int | None:
    size: int | None = file.get("packed_bytes", file["random_bytes"])
    return size if file["text"] is None else len(file["text"].encode())


def wanted(experiment: Experiment) -> tuple[str, ...]:
    """Return the names of all series that the figures show."""
    metrics = {metric.name for metric in experiment.metrics}
    names = [
        figure.y if figure.kind == "time-series" else figure.x
        for figure in experiment.figures
        if figure.kind == "time-series" or (figure.kind == "cdf" and figure.x not in metrics)
    ]
    return tuple(dict.fromkeys(names))


def series(names: Sequence[str], data: Mapping[str, Any]) -> dict[str, TimeSeries]:
    """Return the named series (``wanted``) that a run, the content of record.json, has, for ``TrialOutcome.series``."""
    found = {name: _together(name, _named(name, data)) for name in names}
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


def _together(name: str, found: Sequence[Mapping[str, Any]]) -> TimeSeries | None:
    """Compute the mean of the series that have the unit of the first one."""
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
    return TimeSeries(name, unit, list(means), list(means.values()))
