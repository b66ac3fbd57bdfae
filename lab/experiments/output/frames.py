# SPDX-License-Identifier: MIT
"""What is around the marks of a figure: axes, words, legend."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence

from lab.drawing.figure import Axes, Chart, Key, Look, Scale
from lab.drawing.marks import Area, Bar, Box, Dash, Dot, Mark, Trace
from lab.experiments.output.data import FigureData, Group, drawable, with_unit, words
from lab.numbers import count, short

_CROSS = ", \N{MULTIPLICATION SIGN} on the axis"
_SEEN = {"line": _CROSS, "bar": _CROSS, "box": _CROSS, "heat-map": ", dashed"}
_ABOVE = ", so that the mean is above, \N{UPWARDS ARROW}"
_LATE = {
    "line": _ABOVE,
    "bar": _ABOVE,
    "box": ", drawn at their limit",
    "cdf": ", not drawn",
    "heat-map": ", so that the mean is above, >",
}
_HEIGHT = 404  # of a chart
_NAMED = 5  # missing points that are named; further ones are only counted
ERRORS = {
    "ci95": "95 % confidence interval of the mean (Student's t)",
    "deviation": "\N{PLUS-MINUS SIGN} one standard deviation of the trials",
    "range": "from the smallest to the largest trial",
}


# Words


def missing(view: FigureData, metric: str) -> list[str]:
    """Remark on missing values, with how ``where`` they show in the figure."""
    where = _SEEN.get(view.figure.kind, "")
    none, some, beyond, late = [], [], [], []
    for point in view.points:
        found = view.summary(point, metric)
        place = ", ".join(point.labels.values()) or "the only point"
        if found is None or not found.n or found.mean is None or not drawable(found.mean):
            trials = found.missing if found else 0
            none.append(f"{place} ({count(trials, 'trial')} without a value)" if trials else f"{place} (not run)")
        elif view.log("y") and found.mean <= 0 and view.figure.kind in ("line", "bar"):
            beyond.append(place)
        elif found.missing:
            some.append(f"{place} ({found.n} of {found.n + found.missing})")
        if found is not None and found.unfinished:
            least = short(min(found.values[index] for index in found.bounds))
            late.append(f"{place} ({found.unfinished} of {found.n}, > {least} {found.unit})")
    notes = []
    total = count(len(view.points), "point")
    if none:
        notes.append(f"Missing{where}: {len(none)} of {total}: {listed(none)}.")
    if beyond:
        notes.append(f"Not positive, so not shown on a logarithmic axis: {listed(beyond)}.")
    if late:
        how = _LATE[view.figure.kind]
        notes.append(f"Trials that did not finish{how}: {len(late)} of {total}: {listed(late)}.")
    if some:
        notes.append(f"Some trials have no value: {len(some)} of {total}: {listed(some)}.")
    return notes


def listed(items: Sequence[str]) -> str:
    """List the first items, and say how many more there are."""
    shown = "; ".join(items[:_NAMED])
    return shown if len(items) <= _NAMED else f"{shown}; and {len(items) - _NAMED} more"


def trials(view: FigureData, metric: str) -> str:
    """Say how many trials there are: ``10 trials per point``, ``3 to 8 trials per point``."""
    found = [one.n for point in view.points if (one := view.summary(point, metric)) and one.n]
    if not found:
        return "no trial has a value"
    least, most = min(found), max(found)
    return f"{count(most, 'trial')} per point" if least == most else f"{least} to {most} trials per point"


def without_series(name: str, labels: Sequence[str]) -> list[str]:
    """Remark on missing series of a figure."""
    lines = listed([label or "the only line" for label in labels])
    return [f"Missing: no trial has the series {name} for {lines}."] if labels else []


def means(view: FigureData, metric: str, marks: Iterable[Mark]) -> str:
    """Explain points and error bars."""
    text = f"Mean of {words(metric)}, {trials(view, metric)}"
    dots = [dot for mark in marks for dot in _dots(mark)]
    if view.figure.errors and any(dot.low is not None for dot in dots):
        return f"{text}. Error bars: {ERRORS[view.figure.errors]}."
    return f"{text}; no error bars."


def _dots(mark: Mark) -> Sequence[Dot]:
    if isinstance(mark, Trace):
        return mark.dots
    return (mark.dot,) if isinstance(mark, Bar) else ()


def _legend(
    view: FigureData, groups: Sequence[Group], metric: str, look: Look, paper: bool, apart: bool
) -> tuple[Key, ...]:
    """List series by name; with a paper's numbers, also which marks are the paper's."""
    keys = [Key(group.label or words(metric), style, look) for style, group in enumerate(groups)]
    if len(keys) == 1 and not groups[0].label:
        keys = []
    if paper:
        says = view.experiment.origin(metric)
        style = None if apart else len(groups)
        if not keys:
            keys = [Key("this experiment", 0, look)]
            style = 0 if apart else style
        elif apart:
            keys.append(Key("this experiment", None, look))
        keys.append(Key(says, style, look, published=True))
    return tuple(keys)


# Scales


def numbers_axis(
    label: str, values: Iterable[float], *, log: bool = False, zero: bool = False, air: float = 0.06
) -> Scale:
    """Return an axis that shows these values. ``zero``: from 0, unless that would hide differences."""
    found = [value for value in values if drawable(value) and (value > 0 or not log)]
    if not found:
        return Scale(label, low=0.1 if log else 0.0, high=1.0, log=log)
    low, high = min(found), max(found)
    if log:
        room = (high / low) ** air if high > low else 2.0
        return Scale(label, low=low / room, high=high * room, log=True)
    span = high - low or abs(high) or 1.0
    if zero and low >= 0:
        return Scale(label, low=0.0, high=high + high * air or 1.0)
    if zero and high <= 0:
        return Scale(label, low=low + low * air or -1.0, high=0.0)
    return Scale(label, low=low - span * air, high=high + span * air)


def _extent(marks: Iterable[Mark]) -> Iterator[float]:
    for mark in marks:
        for dot in _dots(mark):
            yield from (value for value in (dot.y, dot.low, dot.high) if value is not None)
        if isinstance(mark, Box) and mark.quartiles:
            yield from (*mark.whiskers, *mark.outside)
        elif isinstance(mark, Dash):
            yield mark.y
        elif isinstance(mark, Area):
            yield from (*mark.low, *mark.high)


def values_axis(view: FigureData, label: str, marks: Sequence[Mark], *, bars: bool = False) -> Scale:
    """Return the y axis."""
    shown = list(_extent(marks))
    if not view.log("y"):
        wide = bool(shown) and (min(shown) < 0.7 * max(shown) or min(shown) <= 0)
        return numbers_axis(label, shown, zero=bars or (wide and min(shown, default=0) >= 0))
    centres = [dot.y for mark in marks for dot in _dots(mark) if dot.y]
    above = [value for value in shown if value > min(centres, default=0) / 30]  # bars that reach 0 are ignored
    scale = numbers_axis(label, above, log=True)
    if not bars:
        return scale
    return Scale(label, low=10.0 ** math.floor(math.log10(scale.low)), high=scale.high, log=True)


def names_axis(view: FigureData, axis: str) -> Scale:
    """Return an axis of names; a unit that all of them share appears only once."""
    levels, unit = view.levels(axis), view.axis(axis).unit
    if unit and levels and all(label.endswith(f" {unit}") for label in levels):
        return Scale(with_unit(axis, unit), tuple(label.removesuffix(f" {unit}") for label in levels))
    return Scale(words(axis), tuple(levels) or ("",))


def chart(
    view: FigureData,
    metric: str,
    panels: list[Axes],
    groups: Sequence[Group],
    look: Look,
    *,
    paper: bool,
    apart: bool,
    note: str = "",
    warnings: Sequence[str] | None = None,
) -> Chart:
    """Put title, words and legend around the axes."""
    marks = [mark for panel in panels for mark in panel.marks]
    remarks = missing(view, metric) if warnings is None else list(warnings)
    over = f" over {words(view.figure.x)}" if view.figure.x != metric else ""
    return Chart(
        view.name,
        view.title(f"{words(metric)}{over}"),
        note or means(view, metric, marks),
        panels,
        _legend(view, groups, metric, look, paper, apart),
        _HEIGHT,
        remarks,
    )
