# SPDX-License-Identifier: MIT
"""A comparison of two results, for a terminal and as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from lab.experiments.analysis.compare import Builds, Difference, ResultsComparison, listed
from lab.experiments.output.tables import at_least, plus_minus
from lab.numbers import NONE, plain
from lab.tables import Column, Table

if TYPE_CHECKING:
    from rich.console import Group

_DIGITS_SHOWN = 12  # of a hash


def tables(differences: Sequence[Difference]) -> list[Table]:
    """Return one table per metric, with points in order."""
    found = []
    for metric in dict.fromkeys(one.metric for one in differences):
        rows = [one for one in differences if one.metric == metric]
        unit = rows[0].unit
        columns = [
            *(Column(f"axis {axis}", axis, number=False) for axis in rows[0].labels),
            Column("a", "A", unit),
            Column("b", "B", unit),
            Column("runs", "runs", number=False),
            Column("interval", "difference \N{PLUS-MINUS SIGN} 95 % CI", unit),
            Column("percent", "change, %", digits=3, show=_signed),
            Column("verdict", "significant", number=False),
        ]
        title = f"{metric}{f' in {unit}' if unit else ''}: B against A"
        found.append(Table(metric, title, columns, [_row(one) for one in rows], unit))
    return found


def _row(one: Difference) -> dict[str, Any]:
    labels = {f"axis {axis}": label for axis, label in one.labels.items()}
    runs = str(one.n_a) if one.n_a == one.n_b else f"{one.n_a}, {one.n_b}"
    interval = plus_minus(one.difference, one.half_width)
    sign = "+" if interval and one.difference and one.difference > 0 else ""
    marked = None if one.significant is None else "yes" if one.significant else "no"
    return (
        labels
        | _numbers(one)
        | {
            "a": at_least(one.a, one.bounds[0]) or one.a,
            "b": at_least(one.b, one.bounds[1]) or one.b,
            "runs": runs,
            "interval": f"{sign}{interval}" if interval else None,
            "verdict": "identical" if one.identical else marked,
        }
    )


def _numbers(one: Difference) -> dict[str, Any]:
    return asdict(one) | {"percent": one.percent, "half_width_percent": one.half_width_percent}


def _signed(percent: float) -> str:
    return f"+{plain(percent, 3)}" if percent > 0 else plain(percent, 3)


def verdict(differences: Sequence[Difference]) -> str:
    """Summarise in one line how many differences are significant."""
    identical = sum(one.identical for one in differences)
    if differences and identical == len(differences):
        return "A and B are identical: every seed gave the same numbers, to the last digit"
    judged = [one for one in differences if one.significant is not None]
    if not judged:
        return "No difference can be tested: that takes at least two runs of a point in both A and B"
    marked = sum(bool(one.significant) for one in judged)
    if len(judged) == 1:
        line = "The difference is" if marked else "The difference is not"
    else:
        line = f"{marked or 'None'} of {len(judged)} differences {'is' if marked == 1 else 'are'}"
    line += f" significant ({_test(judged)}, 95 %"
    line += "; by chance, one in twenty is)" if marked else ")"
    unjudged = sum(one.significant is None and not one.identical for one in differences)
    line += f"; {identical} {'is' if identical == 1 else 'are'} identical" if identical else ""
    return line + (f"; {unjudged} cannot be tested ({NONE})" if unjudged else "")


def _test(judged: Sequence[Difference]) -> str:
    tests = {"Student's t of pairs with equal seeds" if one.pairs else "Welch's t" for one in judged}
    return " or ".join(sorted(tests))


def describe_builds(found: Builds) -> str:
    """Describe the builds of A and B."""
    if not found.differing:
        same = f"Both builds are the same: {', '.join(found.same)}"
        return same if found.same else "A and B do not record their builds"
    wide = max(map(len, found.differing))
    lines = [f"  {name:{wide}}  {_short(a)} in A, {_short(b)} in B" for name, (a, b) in sorted(found.differing.items())]
    same = f"The same: {', '.join(found.same)}" if found.same else "They have nothing in common"
    return "\n".join(["The builds differ in", *lines, same])


def _short(digest: str | None) -> str:
    return digest[:_DIGITS_SHOWN] if digest else "none"


def lacking(found: ResultsComparison) -> list[str]:
    """Return a line for each side that has points which the other lacks."""
    sides = (("A", found.only_a), ("B", found.only_b))
    return [f"Not compared: only {side} has {listed(points)}" for side, points in sides if points]


def rich_tables(found: ResultsComparison) -> Group:
    """Return builds, tables and verdict for rich."""
    from rich.console import Group
    from rich.text import Text

    from lab.printable import printable
    from lab.report.terminal import rich_table

    parts: list[Any] = [Text(printable(describe_builds(found.builds))), ""]
    for table in tables(found.differences):
        parts += [rich_table(table), ""]
    parts += [Text(printable(line), style="yellow") for line in lacking(found)]
    return Group(*parts, Text(verdict(found.differences), style="bold"))


def as_json(found: ResultsComparison) -> dict[str, Any]:
    """Return what ``--json`` prints: the verdict, the builds, and every difference with its numbers."""
    return {
        "verdict": verdict(found.differences),
        "builds": {
            "differing": {name: {"a": a, "b": b} for name, (a, b) in sorted(found.builds.differing.items())},
            "same": list(found.builds.same),
        },
        "only_a": [dict(labels) for labels in found.only_a],
        "only_b": [dict(labels) for labels in found.only_b],
        "differences": [_numbers(one) for one in found.differences],
    }
