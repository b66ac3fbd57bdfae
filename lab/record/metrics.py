# SPDX-License-Identifier: MIT
"""Metrics of a record, in the units of the workload, and checks on them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any

from lab.errors import LabError, RecordError
from lab.expressions import expression
from lab.metrics import base as kinds
from lab.metrics.base import Context, Metric, Source, measures, summary
from lab.numbers import count
from lab.probes.base import Parsed, Raw, TimeSeries
from lab.shared import types
from lab.shared.medium_types import OnAir
from lab.shared.outcome import Failure, Outcome

OF_A_STACK = (
    "if it belongs to a stack of yours, change to the directory that contains its folder workloads/; if it is next to "
    "a workload, to that workload's directory"
)
_SUFFIXES = {"s": "s", "ms": "ms", "bps": "bit/s", "percent": "%"}
_DIGITS = 9  # decimal places of converted values: as precise as clocks and counters, without binary rounding noise


@dataclass
class ProcessOutput:
    """A process of the plan and its results. ``parsed`` None: a plain program, or ``error`` has the reason."""

    process: types.Process
    node: types.Node
    raw: Raw
    exit: int | None = None  # None: ended by the lab
    parsed: Parsed | None = None
    error: str | None = None
    ended_ns: int = 0


def metrics(
    plan: types.Plan, outputs: Mapping[str, ProcessOutput], outcome: Outcome, medium: OnAir | None = None
) -> dict[str, Any]:
    """Return every metric of the plan, by name, in its unit. ``medium``: None if it is perfect."""
    context = Context(
        plan=plan,
        sources={identifier: _source(output) for identifier, output in outputs.items() if output.parsed is not None},
        events=outcome.events,
        end_ns=outcome.end_ns,
        epoch_ns=outcome.epoch_ns,
        associations=outcome.associations,
        medium=medium,
    )
    return {metric.name: _result(metric, context) for metric in plan.metrics}


def _source(output: ProcessOutput) -> Source:
    return Source(
        id=output.process.id,
        node=output.node,
        probe=output.process.probe or kinds.PRINTED,
        params=output.process.params,
        parsed=output.parsed or Parsed(),
        raw=output.raw,
        ended_ns=output.ended_ns,
    )


def _result(metric: types.PlannedMetric, context: Context) -> dict[str, Any]:
    kind = _kind(metric)
    found = _found(kind, metric, context)
    scale = kind.scale(metric.unit)

    def converted(value: float) -> float:
        """Convert a value and round it to the precision of clocks; without conversion keep it unchanged."""
        return value if scale == 1.0 else round(value / scale, _DIGITS)

    def of_row(name: str, value: Any) -> Any:
        return converted(value) if name in kind.columns and value is not None else value

    def of_series(series: TimeSeries) -> dict[str, Any]:
        """Return a series in the metric's unit if it has the metric's dimension, else unchanged."""
        own = series.unit == kind.unit
        values = [converted(value) for value in series.values] if own else series.values
        return {"name": series.name, "unit": metric.unit if own else series.unit, "t_ns": series.t_ns, "values": values}

    values = [converted(value) for value in found.values]
    return {
        "kind": metric.kind,
        "about": kind.about,
        "of": metric.of,
        "per": metric.per or kind.per[0],
        "unit": metric.unit,
        "values": summary(values),
        "each": values,
        "rows": [{name: of_row(name, value) for name, value in row.items()} for row in found.rows],
        "columns": list(kind.columns),
        "series": [of_series(series) for series in found.series],
    }


def _found(kind: Metric, metric: types.PlannedMetric, context: Context) -> kinds.MetricValues:
    """Compute a metric; raise RecordError if the metric of a stack fails, or a value is not a finite number."""
    with kinds.METRICS.blaming(metric.kind, "compute", RecordError):
        found: object = kind.compute(metric, context)
    where = kinds.METRICS.where(metric.kind)
    if not isinstance(found, kinds.MetricValues):
        raise RecordError(f"metric {metric.name} gave {found!r}; compute returns MetricValues", where=where)
    in_rows = [row.get(column) for row in found.rows for column in kind.columns]
    for value in (
        *found.values,
        *(value for value in in_rows if value is not None),
        *(value for series in found.series for value in series.values),
    ):
        if not (isinstance(value, int | float) and isfinite(value)):
            raise RecordError(
                f"metric {metric.name} gave {value!r}; a value is a finite number: leave out what has none",
                where=where,
            )
    return found


def _kind(metric: types.PlannedMetric) -> Metric:
    """Return the kind of a metric; raise RecordError if its stack was not found."""
    if metric.kind not in kinds.known():
        raise RecordError(f'unknown metric "{metric.kind}", the kind of {metric.name}', hint=OF_A_STACK)
    return kinds.load(metric.kind)


def checks(
    plan: types.Plan, outputs: Mapping[str, ProcessOutput], outcome: Outcome, results: Mapping[str, Any]
) -> list[dict[str, Any]]:
    """Return every check of the plan: whether it passed, and the values behind it. If the run failed, all fail."""
    exits = {identifier: output.exit for identifier, output in outputs.items()}
    found = {identifier: output.parsed.values if output.parsed else {} for identifier, output in outputs.items()}
    context = values(plan, exits, found, results)
    on = {process.id: f"{process.name}@{process.node}" for process in plan.processes}
    errors = {process.id: (process.name, found.get(process.id, {}).get("error")) for process in plan.processes}
    return [_check(check, context, outcome.error, results, on, errors) for check in plan.checks]


def _check(
    check: types.Check,
    context: Mapping[str, Any],
    error: Failure | None,
    results: Mapping[str, Any],
    on: Mapping[str, str],
    errors: Mapping[str, tuple[str, Any]],
) -> dict[str, Any]:
    entry = {"that": check.that, "source": check.source, "passed": False, "because": ""}
    if error is not None:
        return {**entry, "because": "the run failed"}
    try:
        outcome = expression.evaluate(check.that, context)
    except LabError as problem:
        return {**entry, "because": problem.message + _reported(check.that, errors, on)}
    if outcome.passed:
        return {**entry, "passed": True, "because": outcome.explanation}
    why = _culprits(check.that, results, on) + _reported(check.that, errors, on)
    return {**entry, "because": outcome.explanation + why}


def _reported(that: str, errors: Mapping[str, tuple[str, Any]], on: Mapping[str, str]) -> str:
    """Return ``; call@sta2 reports: no answer``: the value ``error`` of the processes that a check names."""
    named = {path[0] for path in expression.names(that) if path[1:] != ("error",)}
    said = [
        f"; {on[identifier]} reports: {error}"
        for identifier, (name, error) in errors.items()
        if named & {identifier, name} and isinstance(error, str) and error
    ]
    return "".join(said[:3]) + (f"; and {count(len(said) - 3, 'other')}" if len(said) > 3 else "")


def _culprits(that: str, results: Mapping[str, Any], on: Mapping[str, str]) -> str:
    """Return `` (call@sta2)``: what has the greatest or smallest value that a check is about, by its id in ``on``."""
    found: list[str] = []
    for name, statistic in (path for path in expression.names(that) if len(path) == 2):
        if name not in results or statistic not in ("min", "max"):
            continue
        result = results[name]
        extreme = result["values"][statistic]
        of = [(_owner(row), [row.get(column) for column in result["columns"]]) for row in result["rows"]]
        found += [on.get(owner, owner) for owner, numbers in of if owner and extreme in numbers]
    shown = list(dict.fromkeys(found))
    more = f" and {count(len(shown) - 3, 'other')}" if len(shown) > 3 else ""
    return f" ({', '.join(shown[:3])}{more})" if shown else ""


def _owner(row: Mapping[str, Any]) -> str:
    """Return what a row of a metric is about: its first text."""
    return next((value for value in row.values() if isinstance(value, str)), "")


def values(
    plan: types.Plan,
    exits: Mapping[str, int | None],
    found: Mapping[str, Mapping[str, Any]],
    results: Mapping[str, Any],
) -> dict[str, Any]:
    """Return what checks can refer to: processes, files and metrics by name, quantities with their units.

    Args:
        plan: that of the run.
        exits: exit status of each process, by id; None: it was ended by the lab.
        found: what was read from the output of each process, by id.
        results: metrics by name, as in the record.
    """
    context: dict[str, Any] = {}
    for file in plan.files:
        if not file.in_folder:
            context[file.name] = {"sha256": file.sha256, "size": file.size_bytes, "path": file.path}
    read = []
    processes = {process.id: process for process in plan.processes}
    for identifier, parsed in found.items():
        process = processes[identifier]
        printed = process.prints.units if process.prints is not None else None
        ended = {"exit": exits.get(identifier)}  # whatever a program prints of that name
        read.append((identifier, process.name, ended | measured(parsed, printed) | ended))
    context |= by_name(read)
    for name, result in results.items():
        summed = measures(result["each"])
        context[name] = {key: _quantity(summed[key], result["unit"]) for key in summed} | {"count": summed["count"]}
    return context


def by_name(found: Sequence[tuple[str, str, Mapping[str, Any]]]) -> dict[str, Any]:
    """Return the values of processes (id, name, values) by id, and by name: a list if several have the name."""
    named: dict[str, list[Mapping[str, Any]]] = {}
    for _, name, values in found:
        named.setdefault(name, []).append(values)
    together = {name: values[0] if len(values) == 1 else values for name, values in named.items()}
    return {identifier: values for identifier, _, values in found} | together


def measured(found: Mapping[str, Any], printed: Mapping[str, str] | None = None) -> dict[str, Any]:
    """Return what the parser of a process found with units: ``time_total_s: 2`` is ``time_total: 2 s``.

    ``printed`` has the units of what a program prints, by name; then names say nothing about units.
    """
    if printed is not None:
        return {
            name: _quantity(value, printed[name]) if name in printed and not isinstance(value, str | bool) else value
            for name, value in found.items()
        }
    measured: dict[str, Any] = {}
    for name, value in found.items():
        stem, _, suffix = name.rpartition("_")
        if name == "bytes" or suffix == "bytes":
            measured[name] = _quantity(value, "B")
        elif stem and suffix in _SUFFIXES:
            measured[stem] = _quantity(value, _SUFFIXES[suffix])
        else:
            measured[name] = value
    return measured


def _quantity(value: float | None, unit: str) -> expression.ValueWithUnit | None:
    return None if value is None else expression.ValueWithUnit(value, unit)
