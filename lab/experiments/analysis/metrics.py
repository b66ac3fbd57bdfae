# SPDX-License-Identifier: MIT
"""The metrics of an experiment: expressions over the record of one run, in the language of lab.expressions.expression.

``outage.max`` is a statistic of the workload's metric ``outage``; the name alone is its mean. Inside an aggregate
function (``sum(goodput)``, ``max(goodput / 2)``) the name stands for all values of the metric: one per process, handoff
or sample. Processes and files have the same names as in checks (``fetch.exit``, lab.experiments.analysis.sources). The
result is converted to the unit of the experiment's metric, whatever the unit of the workload's metric.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any

from lab.errors import InputError, suggestion
from lab.experiments.analysis import sources
from lab.experiments.labels import amount
from lab.experiments.types import BEYOND, TrialMetric
from lab.expressions.expression import Evaluator
from lab.expressions.grammar import Call, Language, Name, parse
from lab.expressions.values import UndefinedError, ValueWithUnit, flat, show
from lab.metrics.base import measures
from lab.shared.types import Plan

_LANGUAGE = Language("metric", "an expression, such as outage.max, or sum(goodput)")
_SINGLE = ("abs",)  # functions that do not aggregate
_USUAL = "mean"  # statistic that the name alone stands for
_COUNT = "count"  # the only statistic without the metric's unit
# stand-ins before anything is measured: a division or logarithm that is undefined for one is defined for others
_TRIES = ((2.0, 3.0), (1e9, 1.0), (0.5, 7e9), (5e12, 3e12), (-3.0, -2.0))


class AbsentError(UndefinedError):
    """A process lacks the value in this run, though it may in others: parsers report only what they find."""


class _Run(Evaluator):
    """One run. ``metrics``: ``name -> {"unit", "each"}``; ``others``: returns all other names."""

    def __init__(self, metrics: Mapping[str, Any], others: Callable[[], Mapping[str, Any]], ran: bool) -> None:
        super().__init__({})
        self.metrics = metrics
        self.others = others
        self.ran = ran
        self.inside = False  # an aggregate function

    def look_up(self, name: Name) -> Any:
        word, figure = name.path[0], name.path[1:]
        if word not in self.metrics:
            self.context = self.context or self.others()
            return self._look_up_other(name)
        found = self.metrics[word]
        if not figure and self.inside:
            return [ValueWithUnit(value, found["unit"]) for value in found["each"]]
        chosen = ".".join(figure) or _USUAL
        measured = measures(found["each"])
        if chosen not in measured:
            raise InputError(f'{word} has no "{chosen}"{suggestion(chosen, measured)}; known: {", ".join(measured)}')
        value = measured[chosen]
        return None if value is None else ValueWithUnit(value, "" if chosen == _COUNT else found["unit"])

    def _look_up_other(self, name: Name) -> Any:
        word = name.path[0]
        if word not in self.context:
            known = [*self.metrics, *(one for one in self.context if "@" not in one)]
            hint = suggestion(word, [*self.metrics, *self.context])
            raise InputError(f'the workload has no metric "{word}"{hint}; known: {", ".join(known) or "none"}')
        try:
            return super().look_up(name)
        except InputError as error:
            raise AbsentError(error.message) if self.ran else error from None

    def call(self, tree: Call) -> Any:
        if tree.function in _SINGLE:
            return super().call(tree)
        before, self.inside = self.inside, True
        try:
            if tree.function == "sum" and not flat([self.value(argument) for argument in tree.arguments]):
                return self._empty_sum(tree)
            return super().call(tree)
        finally:
            self.inside = before

    def _empty_sum(self, tree: Call) -> Any:
        """Return 0 in the unit of the sum: if nothing was received, the goodput is 0."""
        kept = self.metrics
        self.metrics = {name: {**found, "each": found["each"] or [1.0]} for name, found in kept.items()}
        try:
            total = super().call(tree)
        finally:
            self.metrics = kept
        return None if total is None else ValueWithUnit(0, total.unit)


def _padded(metrics: Mapping[str, Any], metric: TrialMetric, late: float) -> Mapping[str, Any]:
    """Return the metrics of a run with a value for all that did not finish, ``late`` in the unit of ``metric``."""
    if metric.expected is None:
        return metrics
    value = ValueWithUnit(late, metric.unit)

    def whole(found: Mapping[str, Any]) -> Mapping[str, Any]:
        if ValueWithUnit(1, found["unit"]).dimension is not value.dimension:
            return found
        lacking = max((metric.expected or 0) - len(found["each"]), 0)
        return {**found, "each": [*found["each"], *[float(value.within(found["unit"]))] * lacking]}

    return {name: whole(found) for name, found in metrics.items()}


def _check_limit(metric: TrialMetric, plan: Plan) -> None:
    """Refuse an expression of which a later end does not make a larger value.

    Raises:
        InputError: If it is one.
    """
    one = replace(metric, expected=1)
    stand_ins = {known.name: {"unit": known.unit, "each": ()} for known in plan.metrics}
    low, high = (
        _value(one, _Run(_padded(stand_ins, one, late), lambda: sources.planned(plan), ran=False))
        for late in (2.0, BEYOND)
    )
    if low is None or high is None or high <= low:
        raise InputError(
            "does not become larger if what it is about takes longer, so limit: and expected: have no meaning",
            hint="write them for a time, such as {that: max(transfer-time), unit: s, limit: 20 s, expected: 5}",
        )


def check(metric: TrialMetric, plan: Plan) -> None:
    """Refuse an expression that can never be a number in the metric's unit, before anything runs.

    Values of parsers, and so their units, are not known yet; ``values`` checks those.

    Raises:
        InputError: If the syntax, a metric, a statistic or a unit is not valid; without a location.
    """
    tree = parse(metric.that, _LANGUAGE)
    failure: InputError | None = None
    for values in _TRIES:
        stand_ins = {one.name: {"unit": one.unit, "each": values} for one in plan.metrics}
        run = _Run(stand_ins, lambda: sources.planned(plan), ran=False)
        try:
            _converted(run.value(tree), metric.unit)
            if metric.expected is not None:
                _check_limit(metric, plan)
            return
        except UndefinedError as error:
            failure = error
        except OverflowError:
            failure = InputError("a number in it is too large")
    assert failure is not None
    raise InputError(f"{failure.message}, whatever the run measures")


def values(metrics: Iterable[TrialMetric], record_data: Mapping[str, Any]) -> dict[str, float | None]:
    """Compute the metrics of one run, by name, each in its unit, from the content of its record.json.

    They are finite. None: the run does not have the value (no handoff, no outage), or it would need a division by 0;
    with a limit, it is the value then, and that of each part that did not finish.

    Raises:
        InputError: If ``check`` would refuse an expression, or a parser's value has an incompatible unit.
    """
    found = {metric.name: _value(metric, _late(metric, record_data, metric.limit)) for metric in metrics}
    return {metric.name: metric.limit if found[metric.name] is None else found[metric.name] for metric in metrics}


def unfinished(metrics: Iterable[TrialMetric], record_data: Mapping[str, Any]) -> frozenset[str]:
    """Return the metrics with a limit whose value is larger the later the run would have finished."""
    found = set()
    for metric in metrics:
        if metric.limit is not None:
            low, high = (_value(metric, _late(metric, record_data, late)) for late in (metric.limit, BEYOND))
            if low is None or low != high:
                found.add(metric.name)
    return frozenset(found)


def _late(metric: TrialMetric, record_data: Mapping[str, Any], late: float | None) -> _Run:
    """Return a run in which all that did not finish has that value."""
    return _run(record_data) if late is None else _run(record_data, _padded(record_data["metrics"], metric, late))


def absent(metrics: Iterable[TrialMetric], record_data: Mapping[str, Any]) -> list[str]:
    """Explain in one line each why metrics about processes have no value in a run. Arguments as for ``values``."""
    run = _run(record_data)
    lines = []
    for metric in metrics:
        try:
            run.value(parse(metric.that, _LANGUAGE))
        except AbsentError as error:
            lines.append(f"metric {metric.name}: {error.message}")
        except (InputError, OverflowError):
            continue
    return lines


def _run(record_data: Mapping[str, Any], metrics: Mapping[str, Any] | None = None) -> _Run:
    return _Run(metrics or record_data["metrics"], lambda: sources.recorded(record_data), ran=True)


def limit(text: str, unit: str) -> float:
    """Return a limit, such as ``150 s``, as a number in the unit of its metric.

    Raises:
        InputError: If it is not a quantity of that unit.
    """
    value = amount(text)
    if value is None:
        raise InputError(f'"{text}" is not a limit; write a number with its unit, such as 150 s')
    if value.unit != unit and not value.unit:
        raise InputError(f'"{text}" has no unit; write {text} {unit}')
    if value.unit != unit and (value.dimension is None or value.dimension is not ValueWithUnit(1, unit).dimension):
        raise InputError(f'"{text}" is not in the unit of the metric, {unit or "a plain number"}')
    return float(value.within(unit))


def _value(metric: TrialMetric, run: _Run) -> float | None:
    try:
        number = _converted(run.value(parse(metric.that, _LANGUAGE)), metric.unit)
    except (UndefinedError, OverflowError):
        return None
    except InputError as error:
        message = f"metrics.{metric.name}.that: {error.message}"
        raise InputError(message, where=metric.source or None, hint=error.hint) from None
    return number if number is not None and math.isfinite(number) else None


def _converted(value: Any, unit: str) -> float | None:
    """Convert a value to a number in ``unit``; raise InputError if it is incompatible."""
    if value is None:
        return None
    if not isinstance(value, ValueWithUnit):
        raise InputError(f"is {_kind(value)}; a metric must be a number")
    if value.unit == unit:
        return float(value.value)
    wanted = ValueWithUnit(1, unit).dimension
    if value.dimension is not None and value.dimension is wanted:
        return float(value.within(unit)) if math.isfinite(value.value) else None
    if not value.unit and wanted is None:
        return float(value.value)  # a plain number; the unit only names what is counted
    raise InputError(_misfit(value, unit))


def _kind(value: Any) -> str:
    if isinstance(value, list):
        return "a list with one value per node; write NAME@NODE for one, or a function such as sum()"
    return "true or false" if isinstance(value, bool) else f'the text "{show(value)}"'


def _misfit(value: ValueWithUnit, unit: str) -> str:
    """Explain why a number cannot be converted to a unit, and what to write."""
    wanted = ValueWithUnit(1, unit).dimension
    if not value.unit:
        hint = "multiply it by 100%" if unit == "%" else 'write unit: ""'
        return f"is a number without a unit, not a {wanted.name if wanted else 'count'} in {unit}; {hint}"
    if not unit:
        return f'is a number in {value.unit}; write unit: "{value.unit}"'
    if value.dimension is None:
        return f"is a number of {value.unit}, not of {unit}; write unit: {value.unit}"
    if wanted is None:
        fitting = ", ".join(value.dimension.factors)
        return f'is a {value.dimension.name}, and "{unit}" is not a unit of it; known: {fitting}'
    fitting = ", ".join(value.dimension.factors)
    return f"is a {value.dimension.name}, but {unit} measures a {wanted.name}; write one of {fitting}"
