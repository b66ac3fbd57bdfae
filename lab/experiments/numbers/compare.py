# SPDX-License-Identifier: MIT
"""Two results of one experiment, with different builds: what changed, and whether that is more than chance.

For each point and metric the difference of the means, B - A, in percent of A's mean, with its 95 % confidence interval
(Welch's t, numbers.statistics). The interval is that of the difference: A's mean, which the percentage is of,
counts as exact. Each difference is judged by itself, so that of twenty without cause one is marked on average.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from lab.errors import InputError, RecordError
from lab.experiments.numbers.statistics import Sample, deviation_of, welch
from lab.report.numbers import NONE, plain
from lab.report.tables import Column, Table

if TYPE_CHECKING:
    from rich.console import Group

_LISTED_MAX = 5  # points in a message

Labels = tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Difference:
    """A metric at a point, in A and in B."""

    labels: dict[str, str]  # axis -> label
    metric: str
    unit: str
    a: float | None  # means; None: no trial has a value
    b: float | None
    n_a: int
    n_b: int
    difference: float | None  # b - a, in unit
    half_width: float | None  # of its 95 % confidence interval, in unit; None: a single trial on one side
    significant: bool | None  # whether 0 is outside of that interval; None: there is none

    @property
    def percent(self) -> float | None:
        """The difference in percent of A; None where A has no value, or 0."""
        return self._of_a(self.difference)

    @property
    def half_width_percent(self) -> float | None:
        """The half width in percent of A."""
        return self._of_a(self.half_width)

    def _of_a(self, number: float | None) -> float | None:
        return 100 * number / abs(self.a) if self.a and number is not None else None


@dataclass(frozen=True)
class _Cell:
    """A metric at a point of one side."""

    mean: float | None
    deviation: float | None
    n: int
    unit: str


def compare(results_a: Mapping[str, Any], results_b: Mapping[str, Any]) -> list[Difference]:
    """What changed from A to B, by point in the order of A's grid, and by metric.

    Args:
        results_a: what results.json holds (lab.experiments.write.output.read).
        results_b: likewise, of the same experiment.

    Raises:
        InputError: other experiments, grids, metrics or units; says which.
        RecordError: rows that are none.
    """
    names = [str(results.get("name", "")) for results in (results_a, results_b)]
    if names[0] != names[1]:
        raise InputError(f"A is {names[0]}, B is {names[1]}: only results of the same experiment can be compared")
    a, b = _cells(results_a, "A"), _cells(results_b, "B")
    _same_grid(a, b)
    found = []
    for labels, metrics in a.items():
        _same_metrics(metrics, b[labels])
        found += [_difference(labels, name, cell, b[labels][name]) for name, cell in metrics.items()]
    return found


def _cells(results: Mapping[str, Any], side: str) -> dict[Labels, dict[str, _Cell]]:
    """Metrics by the labels of their point."""
    found: dict[Labels, dict[str, _Cell]] = {}
    try:
        for row in results["rows"]:
            labels = tuple((axis, str(label)) for axis, label in row.items() if not isinstance(label, Mapping))
            found[labels] = {name: _cell(told) for name, told in row.items() if isinstance(told, Mapping)}
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise RecordError(f"the rows of {side} are damaged: {type(error).__name__} {error}") from None
    return found


def _cell(told: Mapping[str, Any]) -> _Cell:
    mean, ci95, count = told["mean"], told["ci95"], int(told["n"])
    deviation = deviation_of(float(ci95), count) if ci95 is not None and count > 1 else None
    return _Cell(None if mean is None else float(mean), deviation, count, str(told["unit"]))


def _same_grid(a: Mapping[Labels, Any], b: Mapping[Labels, Any]) -> None:
    """Refuse results of different points."""
    only = [("A", [labels for labels in a if labels not in b]), ("B", [labels for labels in b if labels not in a])]
    lines = [f"only {side} has {_points(labels)}" for side, labels in only if labels]
    if lines:
        hint = "run lab reproduce on the same file with the same --only for both"
        raise InputError(f"the grids of A and B are not the same: {'; '.join(lines)}", hint=hint)


def _points(found: Sequence[Labels]) -> str:
    shown = " and ".join(
        ", ".join(f"{axis} {label}" for axis, label in labels) or "a point without axes"
        for labels in found[:_LISTED_MAX]
    )
    more = len(found) - _LISTED_MAX
    return shown + (f" and {more} more points" if more > 0 else "")


def _same_metrics(a: Mapping[str, _Cell], b: Mapping[str, _Cell]) -> None:
    """Refuse results of different metrics, or in different units."""
    for name in [*a, *b]:
        if name not in a or name not in b:
            raise InputError(f"only {'A' if name in a else 'B'} has the metric {name}")
        if a[name].unit != b[name].unit:
            raise InputError(f"{name} is in {a[name].unit} in A and in {b[name].unit} in B; use one unit for both")


def _difference(labels: Labels, metric: str, a: _Cell, b: _Cell) -> Difference:
    told = dict(labels), metric, a.unit, a.mean, b.mean, a.n, b.n
    if a.mean is None or b.mean is None:
        return Difference(*told, None, None, None)
    found = welch(Sample(a.mean, a.deviation, a.n), Sample(b.mean, b.deviation, b.n))
    return Difference(*told, found.difference, found.half_width, found.significant)


def tables(differences: Sequence[Difference]) -> list[Table]:
    """One table a metric, in the order of the points."""
    found = []
    for metric in dict.fromkeys(one.metric for one in differences):
        rows = [one for one in differences if one.metric == metric]
        unit = rows[0].unit
        columns = [
            *(Column(axis, axis, number=False) for axis in rows[0].labels),
            Column("a", "A", unit),
            Column("b", "B", unit),
            Column("runs", "runs", number=False),
            Column("percent", "difference", "% of A", 3, show=_signed),
            Column("half_width_percent", "\N{PLUS-MINUS SIGN} (95 % CI)", "% of A", 3),
            Column("significant", "significant", number=False, show=lambda marked: "yes" if marked else "no"),
        ]
        title = f"{metric}{f' in {unit}' if unit else ''}: B against A"
        found.append(Table(metric, title, columns, [_row(one) for one in rows], unit))
    return found


def _row(one: Difference) -> dict[str, Any]:
    runs = str(one.n_a) if one.n_a == one.n_b else f"{one.n_a}, {one.n_b}"
    return one.labels | _numbers(one) | {"runs": runs}


def _numbers(one: Difference) -> dict[str, Any]:
    return asdict(one) | {"percent": one.percent, "half_width_percent": one.half_width_percent}


def _signed(percent: float) -> str:
    return f"+{plain(percent, 3)}" if percent > 0 else plain(percent, 3)


def verdict(differences: Sequence[Difference]) -> str:
    """One line: how many differences are more than chance."""
    judged = [one for one in differences if one.significant is not None]
    if not judged:
        return "No difference can be judged: that takes two runs of a point at least, in A and in B"
    marked = sum(bool(one.significant) for one in judged)
    line = (
        f"{marked or 'None'} of {len(judged)} differences {'is' if marked == 1 else 'are'} significant (Welch's t, 95 %"
    )
    line += ": of equal ones, one in twenty is)" if marked else ")"
    unjudged = len(differences) - len(judged)
    return line + (f"; {unjudged} cannot be judged ({NONE})" if unjudged else "")


def builds(results_a: Mapping[str, Any], results_b: Mapping[str, Any]) -> str:
    """One line: what A and B were run with; nothing where they do not tell."""
    a, b = (results.get("provenance", {}).get("hashes", {}) for results in (results_a, results_b))
    if not a or not b:
        return ""
    differ = [name for name in a | b if a.get(name) != b.get(name)]
    same = [name for name in a | b if name not in differ]
    if not differ:
        return f"A and B were run with the same {', '.join(same)}"
    return f"A and B differ in {', '.join(differ)}" + (f"; the same: {', '.join(same)}" if same else "")


def rich_tables(differences: Sequence[Difference]) -> Group:
    """The tables for rich to print, and the verdict."""
    from rich.console import Group
    from rich.text import Text

    from lab.report.terminal import rich_table

    parts: list[Any] = []
    for table in tables(differences):
        parts += [rich_table(table), ""]
    return Group(*parts, Text(verdict(differences), style="bold"))


def as_json(differences: Sequence[Difference]) -> dict[str, Any]:
    """What ``--json`` prints: the verdict and every difference with its numbers."""
    return {"verdict": verdict(differences), "differences": [_numbers(one) for one in differences]}
