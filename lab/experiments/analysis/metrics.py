# SPDX-License-Identifier: MIT
"""The metrics of an experiment: expressions over the record of one run, in the language of lab.expressions.expression.

``outage.max`` is a figure of the workload's metric ``outage``; the name alone is its mean. Inside a function that sums
up (``sum(goodput)``, ``max(goodput / 2)``) the name stands for all that the metric has one figure of: each process,
handoff, sample. Processes and files have the names that checks know (``fetch.exit``, lab.experiments.analysis.sources).
An expression is told in the unit of the experiment's metric, whatever that of the workload's is.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from typing import Any

from lab.errors import InputError, suggestion
from lab.experiments.analysis import sources
from lab.experiments.types import Metric
from lab.expressions import values as language
from lab.expressions.expression import Evaluator
from lab.expressions.grammar import Call, Language, Name, parse
from lab.expressions.values import Quantity, UndefinedError, show
from lab.metrics.base import summary
from lab.shared.types import Plan

_LANGUAGE = Language("metric", "an expression, such as outage.max, or sum(goodput)")
_SINGLE = ("abs",)  # functions that do not sum up
_USUAL = "mean"  # what the name alone is
_COUNT = "count"  # the figure without the metric's unit
# stand for figures before anything is measured: a difference or a logarithm that one of them makes impossible is not
# impossible with the others
_TRIES = ((2.0, 3.0), (1e9, 1.0), (0.5, 7e9), (5e12, 3e12), (-3.0, -2.0))


class AbsentError(UndefinedError):
    """A process has no such value in this run. It may in others: a parser finds what there is."""


class _Run(Evaluator):
    """One run. ``metrics``: ``name -> {"unit", "values", "figures"}``; ``others``: gives what else has a name."""

    def __init__(self, metrics: Mapping[str, Any], others: Callable[[], Mapping[str, Any]], ran: bool) -> None:
        super().__init__({})
        self.metrics = metrics
        self.others = others
        self.ran = ran
        self.inside = False  # of a function that sums up

    def look_up(self, name: Name) -> Any:
        word, figure = name.path[0], name.path[1:]
        if word not in self.metrics:
            return self._look_up_other(name)
        found = self.metrics[word]
        if not figure and self.inside:
            return [Quantity(value, found["unit"]) for value in found["figures"]]
        chosen = ".".join(figure) or _USUAL
        if chosen not in found["values"]:
            known = ", ".join(found["values"])
            raise InputError(f'{word} has no "{chosen}"{suggestion(chosen, found["values"])}; known: {known}')
        value = found["values"][chosen]
        return None if value is None else Quantity(value, "" if chosen == _COUNT else found["unit"])

    def _look_up_other(self, name: Name) -> Any:
        """A value of a process or a file."""
        self.context = self.context or self.others()
        if name.path[0] not in self.context:
            raise InputError(_unknown(name.path[0], self.metrics, self.context))
        try:
            return super().look_up(name)
        except InputError as error:
            raise AbsentError(error.message) if self.ran else error from None

    def call(self, tree: Call) -> Any:
        if tree.function in _SINGLE:
            return super().call(tree)
        before, self.inside = self.inside, True
        try:
            if tree.function == "sum" and not any(_entries([self.value(argument) for argument in tree.arguments])):
                return self._sum_of_nothing(tree)
            return super().call(tree)
        finally:
            self.inside = before

    def _sum_of_nothing(self, tree: Call) -> Any:
        """0 in the unit that a sum would have: what nobody received is a goodput of 0."""
        kept = self.metrics
        self.metrics = {name: {**found, "figures": found["figures"] or [1.0]} for name, found in kept.items()}
        try:
            total = super().call(tree)
        finally:
            self.metrics = kept
        return None if total is None else Quantity(0, total.unit)


def _entries(found: Iterable[Any]) -> Iterable[bool]:
    """True for each entry of each list."""
    for value in found:
        yield from _entries(value) if isinstance(value, list) else (True,)


def _unknown(word: str, metrics: Mapping[str, Any], others: Mapping[str, Any]) -> str:
    """What to say about a name that nothing has."""
    known = [*metrics, *(name for name in others if "@" not in name)]
    hint = suggestion(word, [*metrics, *others])
    return f'the workload has no metric "{word}"{hint}; known: {", ".join(known) or "none"}'


def check(metric: Metric, plan: Plan) -> None:
    """Refuse what could never be a number in the metric's unit, before anything runs.

    What a parser will find is not known, so neither is its unit: ``values`` judges that.

    Raises:
        InputError: no expression, an unknown metric or figure, or a unit that does not fit; without a place.
    """
    tree = parse(metric.that, _LANGUAGE)
    failure: InputError | None = None
    for figures in _TRIES:
        stand_ins = {one.name: {"unit": one.unit, **_stand_in(figures)} for one in plan.metrics}
        run = _Run(stand_ins, lambda: sources.planned(plan), ran=False)
        try:
            _told(run.value(tree), metric.unit)
            return
        except UndefinedError as error:
            failure = error
        except OverflowError:
            failure = InputError("a number in it is too large")
    assert failure is not None
    raise InputError(f"{failure.message}, whatever is measured")


def _stand_in(figures: tuple[float, ...]) -> dict[str, Any]:
    return {"values": summary(figures), "figures": figures}


def values(metrics: Iterable[Metric], record_data: Mapping[str, Any]) -> dict[str, float | None]:
    """The metrics of one run, by name, each in its unit.

    Args:
        metrics: of the experiment, checked.
        record_data: what record.json holds (lab.record.Record.data).

    Returns:
        Finite numbers; None where the run has no such figure (no handoff, no outage), or dividing by 0 would make it.

    Raises:
        InputError: an expression that ``check`` would refuse, or a parser's value that does not fit the unit.
    """
    run = _run(record_data)
    return {metric.name: _value(metric, run) for metric in metrics}


def absent(metrics: Iterable[Metric], record_data: Mapping[str, Any]) -> list[str]:
    """Why metrics of a run have no value although they name one of a process: a line each. Arguments: ``values``."""
    run = _run(record_data)
    told = []
    for metric in metrics:
        try:
            run.value(parse(metric.that, _LANGUAGE))
        except AbsentError as error:
            told.append(f"metric {metric.name}: {error.message}")
        except (InputError, OverflowError):
            continue
    return told


def _run(record_data: Mapping[str, Any]) -> _Run:
    return _Run(record_data["metrics"], lambda: sources.recorded(record_data), ran=True)


def _value(metric: Metric, run: _Run) -> float | None:
    try:
        number = _told(run.value(parse(metric.that, _LANGUAGE)), metric.unit)
    except (UndefinedError, OverflowError):
        return None
    except InputError as error:
        told = f"metrics.{metric.name}.that: {error.message}"
        raise InputError(told, where=metric.source or None, hint=error.hint) from None
    return number if number is not None and math.isfinite(number) else None


def _told(value: Any, unit: str) -> float | None:
    """A value as a number in ``unit``. InputError: it does not fit."""
    if value is None:
        return None
    if not isinstance(value, Quantity):
        raise InputError(f"comes to {_kind(value)}; a metric is a number")
    if value.unit == unit:
        return float(value.value)
    wanted = language.Quantity(1, unit).dimension
    if value.dimension is not None and value.dimension is wanted:
        if not math.isfinite(value.value):
            return None
        return float(Fraction(value.base) / wanted.factors[unit])
    if not value.unit and wanted is None:
        return float(value.value)  # a plain number, whatever is counted
    raise InputError(_misfit(value, unit))


def _kind(value: Any) -> str:
    if isinstance(value, list):
        return "several values, one for each node; write NAME@NODE for one, or sum them up"
    return "yes or no" if isinstance(value, bool) else f'the text "{show(value)}"'


def _misfit(value: Quantity, unit: str) -> str:
    """Why a number cannot be told in a unit, and what to write."""
    wanted = Quantity(1, unit).dimension
    if not value.unit:
        hint = "multiply it by 100%" if unit == "%" else 'write unit: ""'
        return f"comes to a number without a unit, not to a {wanted.name if wanted else 'count'} in {unit}; {hint}"
    if not unit:
        return f'comes to a number in {value.unit}; write unit: "{value.unit}"'
    if value.dimension is None:
        return f"comes to a number of {value.unit}, not to {unit}; write unit: {value.unit}"
    if wanted is None:
        fitting = ", ".join(value.dimension.factors)
        return f'comes to a {value.dimension.name}, and "{unit}" is no unit of one; known: {fitting}'
    fitting = ", ".join(value.dimension.factors)
    return f"comes to a {value.dimension.name}, and {unit} measures a {wanted.name}; write one of {fitting}"
