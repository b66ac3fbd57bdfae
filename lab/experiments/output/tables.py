# SPDX-License-Identifier: MIT
"""The tables of an experiment, for both the terminal and report.html: claims and means."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from lab.experiments.output.trials import NOT_JUDGED, failures, place_of
from lab.experiments.types import Axis, Claim, Results, Row, Summary, TrialMetric, Verdict
from lab.numbers import MINUS, count, plain, short
from lab.printable import printable
from lab.report.terminal import rich_table
from lab.tables import Column, Table, words

if TYPE_CHECKING:
    from rich.console import Group

    from lab.experiments.variations.show import More

_SHOWN = 40  # rows of a table in a terminal
_WIDE = 6  # points that a remark names
_PLACES = 9  # decimals
_PLUS_MINUS = "\N{PLUS-MINUS SIGN}"
_RESULT = {True: "passed", False: "FAILED"}
_COMPARED = ("mean", "median", "most", "unfinished", "missing", "ratio")  # columns that each place has


def tables(results: Results, more: Sequence[More] = ()) -> Group:
    """Return for rich: a table for each metric, failed trials, claims, more, and the verdict as the last line."""
    from rich.console import Group
    from rich.text import Text

    parts: list[Any] = []
    added = [table for one in more for table in one.tables if table.in_terminal]
    for table in (*means(results), claims(results), *added):
        if table.name == "claims":
            parts += failures(results)
        if table.rows:
            cut = replace(table, rows=table.rows[:_SHOWN])
            parts.append(rich_table(cut))
            if len(table.rows) > _SHOWN:
                parts.append(Text(f"and {count(len(table.rows) - _SHOWN, 'more row')}: see the report", style="dim"))
            if table.remark:
                parts.append(Text(printable(table.remark), style="yellow"))
            parts.append("")
    colour = "yellow" if results.undecided else "green" if results.passed else "red"
    return Group(*parts, Text(verdict(results), style=f"bold {colour}"))


def verdict(results: Results) -> str:
    """Summarise the results in one line."""
    failed = sum(found.error is not None for found in results.outcomes)
    wrong = sum(not found.passed for found in results.verdicts)
    parts = []
    if failed:
        parts.append(f"{failed} of {count(len(results.outcomes), 'trial')} failed")
    if wrong and results.experiment.places:
        parts.append(by_place(results))
    elif wrong:
        parts.append(_broken(wrong, len(results.verdicts), len(results.outcomes), failed))
    return "; ".join([*(parts or [_held(results)]), *_unjudged(results)])


def by_place(results: Results) -> str:
    """Report how many claims hold in each place: ``Claims that hold: office 2 of 5 | rooms 5 of 5``."""
    counts = [
        f"{place} {sum(one.passed for one in found.verdicts)} of {len(found.verdicts)}"
        for place, found in results.by_place().items()
    ]
    return f"Claims that hold: {' | '.join(counts)}"


def _broken(wrong: int, claimed: int, trials: int, failed: int) -> str:
    """Report claims that do not hold, after so many trials, of which ``failed`` have been reported."""
    if claimed == 1:
        return "the claim does not hold" if failed else f"The claim does not hold, after {count(trials, 'trial')}"
    return f"{wrong} of {claimed} claims {'does' if wrong == 1 else 'do'} not hold"


def _held(results: Results) -> str:
    trials = count(len(results.outcomes), "trial")
    places = len(results.experiment.places) or 1
    claimed, left = len(results.verdicts) // places, len(results.experiment.unjudged)
    if not claimed:
        return f"{trials} completed" + ("" if left else "; the experiment has no claims")
    if left:
        hold = "it holds" if claimed == 1 else "all hold"
        return f"{claimed} of {claimed + left} claims evaluated: {hold}, after {trials}"
    everywhere = f" in all {places} places" if places > 1 else ""
    return f"{'The claim holds' if claimed == 1 else f'All {claimed} claims hold'}{everywhere}, after {trials}"


def _unjudged(results: Results) -> list[str]:
    """Report claims that were not evaluated, since their points were not run (``--only``)."""
    left = len(results.experiment.unjudged)
    if not left:
        return []
    why = f"points that {'it needs' if left == 1 else 'they need'} were not run"
    if results.verdicts:
        return [f"{count(left, 'claim')} not evaluated: {why}"]
    which = "the claim" if left == 1 else f"none of the {left} claims"
    return [f"{which} could {'not ' if left == 1 else ''}be evaluated: {why}"]


def plus_minus(mean: float | None, half: float | None) -> str | None:
    """Format a number and the half-width of its interval, to two digits of the latter: ``1.454 ± 0.032``."""
    if mean is None or not math.isfinite(mean):
        return None
    if half is None or not math.isfinite(half):
        return short(mean)
    if half == 0:
        return f"{short(mean)} {_PLUS_MINUS} 0"
    places = min(max(1 - math.floor(math.log10(half)), 0), _PLACES)
    return f"{_fixed(mean, places)} {_PLUS_MINUS} {_fixed(half, places)}"


def _fixed(value: float, places: int) -> str:
    text = f"{value:.{places}f}"
    return MINUS + text[1:] if text.startswith("-") else text


def claims(results: Results) -> Table:
    """Return the table of claims, with verdicts and values, in each place."""
    places = results.experiment.places or ("",)
    columns = [
        *(
            Column(f"passed {place}".rstrip(), place or "result", number=False, show=_RESULT.__getitem__)
            for place in places
        ),
        *(words(key, key if key != "name" else "claim") for key in ("name", "value", "expected")),
    ]
    every = results.experiment.claims + results.experiment.unjudged
    if any(claim.paper for claim in every):
        columns.append(words("paper", "the paper says"))
    if any(claim.because for claim in every):
        columns.append(words("because", "claimed because"))
    rows = [_claim(claim, [found for found in results.verdicts if found.claim is claim]) for claim in every]
    remarks = [f'"{row["name"]}" fails. {reason}' for row in rows for reason in row["reasons"]]
    return Table("claims", "Claims", columns, rows, remark="\n".join(remarks))


def _reasons(claim: Claim, failed: Sequence[str]) -> list[str]:
    """Return why a claim fails in these places; a reason that is of one place alone names it."""
    if not failed:
        return []
    everywhere = claim.reasons()
    own = [(place, one) for place in failed for one in claim.reasons(place) if one not in everywhere]
    return everywhere + [f"{place}: {one}" for place, one in own]


def _claim(claim: Claim, judged: Sequence[Verdict]) -> dict[str, Any]:
    """Return a row of the table of claims; ``judged`` in each place, or not at all."""
    values = [f"{one.place}: {one.value}" if one.place else one.value for one in judged]
    return {
        **{f"passed {one.place}".rstrip(): one.passed for one in judged},
        "judged": judged,
        "name": claim.name,
        "that": claim.that,
        "value": "\n".join(values) or NOT_JUDGED,
        "expected": judged[0].expected if judged else None,
        "paper": claim.paper,
        "because": claim.because,
        "reasons": _reasons(claim, [one.place for one in judged if not one.passed]),
        "source": claim.source,
    }


def means(results: Results) -> list[Table]:
    """Return for each metric its means by point, with the paper's value and the ratio if there is one."""
    found = [
        _side_by_side([_means(one, metric) for one in results.by_place().values()], results.experiment.places)
        for metric in results.experiment.metrics
    ]
    return [table for table in found if table.rows]


def _side_by_side(tables: Sequence[Table], places: Sequence[str]) -> Table:
    """Join the tables of several places, whose rows are the same points."""
    first = tables[0]
    if len(tables) == 1:
        return first
    named = list(zip(places, tables, strict=True))
    columns = [column for column in first.columns if column.key.startswith("axis ") or column.key == "paper"]
    for place, table in named:
        for column in table.columns:
            if column.key in _COMPARED:
                title = place if column.key == "mean" else f"{place}: {column.title}"
                columns.append(replace(column, key=f"{place} {column.key}", title=title))
    rows = [
        same[0] | {f"{place} {key}": one[key] for place, one in zip(places, same, strict=True) for key in _COMPARED}
        for same in zip(*(table.rows for table in tables), strict=True)
    ]
    remarks = [f"{place}: {table.remark}" for place, table in named if table.remark]
    title = f"{first.title}; mean {_PLUS_MINUS} 95 % CI in each place"
    return replace(first, title=title, columns=columns, rows=rows, remark="\n".join(remarks))


def _means(results: Results, metric: TrialMetric) -> Table:
    rows = [_mean(results, metric, row) for row in results.rows if metric.name in row.metrics]
    columns = [  # keys of axes differ from all others
        *(Column(f"axis {axis.name}", axis.name, number=_counted(axis)) for axis in results.experiment.axes),
        Column("mean", f"mean {_PLUS_MINUS} 95 % CI", metric.unit),
        Column("deviation", "deviation", metric.unit, 2),
        Column("n", "n", digits=12),
    ]
    if any(row["unfinished"] for row in rows):
        columns += [Column("median", "median", metric.unit), Column("most", "largest", metric.unit)]
        columns.append(Column("unfinished", "unfinished", digits=12))
    if any(row["missing"] for row in rows):
        columns.append(Column("missing", "missing", digits=12))
    if any(row["paper"] is not None for row in rows):
        whose = "computed" if results.experiment.computed_by(metric.name) else "paper"
        columns += [Column("paper", whose, metric.unit), Column("ratio", f"ours / {whose}", digits=3)]
    title = f"{metric.name}, {metric.unit}" if metric.unit else metric.name
    if metric.that != metric.name:
        title += f": {metric.that}"
    return Table(f"metric-{metric.name}", title, columns, rows, metric.unit, remark=_imprecise(results, metric))


def _imprecise(results: Results, metric: TrialMetric) -> str:
    """Name the points whose interval is too wide after the maximum number of trials; empty without any."""
    rule = results.experiment.repetitions
    measured = [row for row in results.rows if metric.name in row.metrics]
    wide = [row for row in measured if row.metrics[metric.name].precise is False]
    if rule.half_width is None or not wide:
        return ""
    share = plain(100 * rule.half_width, 3)
    which = "; ".join(f"{place_of(row.point.labels)} ({_width(row.metrics[metric.name])})" for row in wide[:_WIDE])
    more = f"; and {len(wide) - _WIDE} more" if len(wide) > _WIDE else ""
    return (
        f"Not within {_PLUS_MINUS}{share} % of the mean after at most {count(rule.most, 'trial')} per point: "
        f"{len(wide)} of {count(len(measured), 'point')}. {which}{more}"
    )


def _width(found: Summary) -> str:
    """Format the width of the interval in percent of the mean, or why it has none."""
    if found.mean is None or not math.isfinite(found.mean):
        return "no value"
    if found.ci95 is None or not math.isfinite(found.ci95):
        return "one value"
    if not found.mean:
        return "the mean is 0"
    return f"{_PLUS_MINUS}{plain(100 * found.ci95 / abs(found.mean), 2)} %"


def _counted(axis: Axis) -> bool:
    return bool(axis.levels) and all(level.number is not None for level in axis.levels)


def _mean(results: Results, metric: TrialMetric, row: Row) -> dict[str, Any]:
    found = row.metrics[metric.name]
    paper = results.experiment.paper_value(metric.name, row.point.labels)
    most = max(found.values, default=None)
    ratio = _finite(found.mean / paper) if found.mean is not None and paper else None
    return {
        **{f"axis {name}": label for name, label in row.point.labels.items()},
        "mean": at_least(found.mean, bool(found.unfinished)) or plus_minus(found.mean, found.ci95),
        "median": at_least(found.median, found.median_is_bound) or found.median,
        "most": at_least(most, bool(found.unfinished)) or most,
        "unfinished": found.unfinished,
        "deviation": _finite(found.deviation),
        "n": found.n,
        "missing": found.missing,
        "paper": _finite(paper),
        "ratio": at_least(ratio, bool(found.unfinished)) or ratio,
    }


def at_least(value: float | None, bound: bool) -> str | None:
    """Format a value that is only a lower bound, ``> 150``; None for any other."""
    return f"> {short(value)}" if bound and value is not None else None


def _finite(value: float | None) -> float | None:
    return value if value is not None and math.isfinite(value) else None
