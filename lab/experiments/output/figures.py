# SPDX-License-Identifier: MIT
"""The charts of an experiment, from its results: what the file's ``figure:`` asks for, with the paper's numbers.

A missing value leaves a gap and a cross on the axis, and the text below the title names it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from lab.drawing.figure import Axes, Chart, Ramp, Scale
from lab.drawing.marks import Bar, Dot, HeatCell, Mark, Trace
from lab.experiments.output import distributions
from lab.experiments.output.data import FigureData, Group, described, with_unit, words
from lab.experiments.output.frames import chart, missing, names_axis, numbers_axis, trials, values_axis
from lab.experiments.types import Results
from lab.numbers import NONE, short
from lab.text import capitalized


def charts(results: Results) -> list[Chart]:
    """Return all figures, named figure-1, figure-2, …; several places are panels side by side."""
    found = []
    for number, figure in enumerate(results.experiment.figures, 1):
        draw, name = _KINDS[figure.kind], f"figure-{number}"
        if figure.kind == "heat-map":  # one ramp for all: places are panels as any further axis
            found.append(draw(FigureData(results, figure, name)))
            continue
        places = results.by_place()
        found.append(_together([draw(FigureData(one, figure, name)) for one in places.values()], list(places)))
    return found


def _together(drawn: Sequence[Chart], places: Sequence[str]) -> Chart:
    """Join the charts of several places."""
    first = drawn[0]
    if len(drawn) == 1:
        return first
    named = list(zip(places, drawn, strict=True))
    axes = [replace(panel.axes, title=place) for place, chart in named for panel in chart.panels]
    low, high = min(one.x.low for one in axes), max(one.x.high for one in axes)
    alike = len({chart.about for chart in drawn}) == 1
    return replace(
        first,
        about=first.about if alike else " ".join(f"{capitalized(place)}: {chart.about}" for place, chart in named),
        panels=[replace(one, x=replace(one.x, low=low, high=high)) for one in axes],
        warnings=[f"{capitalized(place)}: {note}" for place, chart in named for note in chart.warnings],
    )


def _line(view: FigureData) -> Chart:
    x, metric = view.figure.x, view.figure.y
    groups, levels = view.groups(x), view.levels(x)
    numbers = [view.number(x, label) for label in levels]
    if levels and all(number is not None and (number > 0 or not view.log("x")) for number in numbers):
        at = {label: float(number) for label, number in zip(levels, numbers, strict=True) if number is not None}
        scale = numbers_axis(with_unit(x, view.axis(x).unit), at.values(), log=view.log("x"), air=0.03)
        if not scale.log and 0 <= min(at.values()) <= 0.25 * max(at.values()):
            scale = Scale(scale.label, low=0.0, high=scale.high)
    else:
        at = {label: float(index) for index, label in enumerate(levels)}
        scale = names_axis(view, x)
    marks: list[Mark] = []
    theirs, apart = _published_lines(view, groups, at)
    marks += theirs
    for style, group in enumerate(groups):
        dots = sorted((view.dot(at[point.labels[x]], point, metric) for point in group.points), key=lambda dot: dot.x)
        marks.append(Trace(tuple(dots), style))
    panel = Axes(scale, values_axis(view, with_unit(metric, view.unit(metric)), marks), tuple(marks))
    return chart(view, metric, [panel], groups, "line", paper=bool(theirs), apart=apart)


def _published_lines(view: FigureData, groups: Sequence[Group], at: Mapping[str, float]) -> tuple[list[Trace], bool]:
    """Return the paper's lines, and whether it has one per series or one for all."""
    x, metric = view.figure.x, view.figure.y
    apart = view.apart(groups, metric)
    lines = []
    for style, labels in enumerate([group.labels for group in groups] if apart else [{}], 0 if apart else len(groups)):
        found = [(at[label], view.publishes(metric, labels | {x: label})) for label in at]
        dots = [
            Dot(place, value, tip=view.paper_words(metric, value))
            for place, value in sorted(found)
            if value is not None
        ]
        if dots:
            lines.append(Trace(tuple(dots), style, published=True))
    return lines, apart


def _bar(view: FigureData) -> Chart:
    x, metric = view.figure.x, view.figure.y
    groups, levels = view.groups(x), view.levels(x)
    apart = view.apart(groups, metric)
    slots: list[tuple[int, Group | None, bool]] = []  # style, group, published
    for style, group in enumerate(groups):
        slots.append((style, group, False))
        if apart and any(view.publishes(metric, group.labels | {x: label}) is not None for label in levels):
            slots.append((style, group, True))
    if not apart and any(view.publishes(metric, {x: label}) is not None for label in levels):
        slots.append((len(groups), None, True))
    width = 0.8 / max(len(slots), 1)
    place = {label: index for index, label in enumerate(levels)}
    marks: list[Mark] = []
    for slot, (style, owner, theirs) in enumerate(slots):
        edges = (-0.4 + slot * width + width * 0.06, -0.4 + (slot + 1) * width - width * 0.06)
        labels = owner.labels if owner else {}
        if theirs:
            for label, index in place.items():
                value = view.publishes(metric, labels | {x: label})
                if value is not None:
                    dot = Dot(index, value, tip=view.paper_words(metric, value))
                    marks.append(Bar(index + edges[0], index + edges[1], dot, style, published=True))
            continue
        for point in owner.points if owner else ():
            index = place[point.labels[x]]
            middle = index + (edges[0] + edges[1]) / 2
            marks.append(Bar(index + edges[0], index + edges[1], view.dot(middle, point, metric), style))
    panel = Axes(
        names_axis(view, x), values_axis(view, with_unit(metric, view.unit(metric)), marks, bars=True), tuple(marks)
    )
    return chart(view, metric, [panel], groups, "bar", paper=any(slot[2] for slot in slots), apart=apart)


def _heat_map(view: FigureData) -> Chart:
    x, y, metric = view.figure.x, view.figure.y, view.figure.value or ""
    groups = view.groups(x, y)
    shown = [mean for point in view.points if (mean := view.mean(point, metric)) is not None]
    low, high = min(shown, default=0.0), max(shown, default=0.0)
    panels, paper = [], False
    for group in groups:
        cells: list[Mark] = []
        there = {(point.labels[x], point.labels[y]): point for point in group.points}
        for column, x_label in enumerate(view.levels(x)):
            for row, y_label in enumerate(view.levels(y)):
                point = there.get((x_label, y_label))
                mean = view.mean(point, metric) if point else None
                share = None if mean is None else (mean - low) / (high - low) if high > low else 0.5
                value = view.publishes(metric, group.labels | {x: x_label, y: y_label})
                found = view.summary(point, metric) if point else None
                text = NONE if mean is None else short(mean, 3)
                text = f"> {text}" if found and found.unfinished else text
                tip = f"{x_label}, {y_label}: {described(found) if found else 'no value'}"
                paper |= value is not None
                says = f"({short(value, 3)})" if value is not None else ""
                cells.append(HeatCell(column, row, share, text, says, tip))
        panels.append(Axes(names_axis(view, x), names_axis(view, y), tuple(cells), group.label))
    note = f"Mean of {words(metric)}, {trials(view, metric)}."
    if paper:
        note += f" In brackets: {view.experiment.origin(metric)}."
    ramp = Ramp(with_unit(metric, view.unit(metric)), short(low, 3), short(high, 3)) if shown else None
    warnings = missing(view, metric)
    return Chart(
        view.name,
        view.title(f"{words(metric)} over {words(x)} and {words(y)}"),
        note,
        panels,
        warnings=warnings,
        ramp=ramp,
        stacked=True,
    )


_KINDS: dict[str, Callable[[FigureData], Chart]] = {
    "line": _line,
    "bar": _bar,
    "box": distributions.box,
    "cdf": distributions.cdf,
    "heat-map": _heat_map,
    "time-series": distributions.time_series,
}
