# SPDX-License-Identifier: MIT
"""Any number of lines over the time of a run: in one panel, in a panel each, or summarised.

Lines have the colours that their nodes have on the maps of the report. More than LINES_AT_MOST get a panel
each. Very many become thin grey ones; above them are their median, and the two that are highest and lowest on average.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from statistics import fmean, median

from lab.drawing import Figure, Line, Panel
from lab.drawing.palette import of_node
from lab.drawing.words import text_width
from lab.record.record import Record
from lab.show.words import colours
from lab.views.parts.lines import rules, run_range

LINES_AT_MOST = 6  # in one panel; more cannot be distinguished
PANELS_AT_MOST = 24
_COLUMNS = 3, 2  # 2 if names are long
_NAME = 210.0  # width that a name has in three columns
_PANEL_HEIGHT = 196
_BINS = 300  # at most, of the median
_MEDIAN, _HIGHEST, _LOWEST = 0, 1, 2  # colours


def over_time(
    record: Record,
    name: str,
    title: str,
    about: str,
    lines: Sequence[Line],
    *,
    y_label: str,
    from_zero: bool = True,
    one_named: bool = False,
    height: int = 260,
) -> Figure:
    """Return the figure of any number of lines; ``csv/<name>-over-time.csv`` has their values.

    Args:
        record: the record of the run.
        name: the name of the figure's files.
        title: the result.
        about: what is shown.
        lines: all lines. Their colours are replaced by those of their nodes.
        y_label: the label of the y axis.
        from_zero: y starts at 0.
        one_named: the legend names also a single line.
        height: of a figure with one panel.
    """
    lines = _coloured(record, lines)
    panel = Panel("virtual time, s", y_label, run_range(record), rules=rules(record), from_zero=from_zero)
    if LINES_AT_MOST < len(lines) <= PANELS_AT_MOST:
        panels = [
            replace(
                panel,
                title=line.label,
                lines=[replace(line, dashed=False)],
                rules=[replace(rule, label="") for rule in rules(record, _nodes(record, line.label))],
            )
            for line in lines
        ]
        columns = _COLUMNS[any(text_width(line.label, "panel") > _NAME for line in lines)]
        return Figure(name, title, about, panels, height=_PANEL_HEIGHT, columns=columns)
    drawn = shown(lines, f"{name}-over-time", one_named=one_named)
    panel = replace(panel, lines=[replace(line, dashed=bool(drawn.legend)) for line in drawn.lines])
    return Figure(name, title, about + drawn.note, [panel], drawn.legend, height=height)


def _coloured(record: Record, lines: Sequence[Line]) -> list[Line]:
    """Return the lines in the colours and in the order of their nodes if these differ, else in those of the peers."""
    known = colours(record.plan)
    named = [_nodes(record, line.label) for line in lines]
    first, last = ([known[nodes[which]] for nodes in named if nodes] for which in (0, -1))
    chosen = max(first, last, key=lambda colours: len({of_node(colour) for colour in colours}))
    distinct = len({of_node(colour) for colour in chosen}) == len(lines)
    if distinct or len(chosen) == len(lines) > LINES_AT_MOST:
        found = [replace(line, colour=colour) for line, colour in zip(lines, chosen, strict=True)]
        return sorted(found, key=lambda line: line.colour or 0) if chosen is first else found
    return [replace(line, colour=index) for index, line in enumerate(lines)]


def _nodes(record: Record, label: str) -> list[str]:
    """Return the nodes that a label names, by their names, their addresses or the names of their processes."""
    nodes = {node.name: node.name for node in record.plan.nodes}
    nodes |= {node.ip.partition("/")[0]: node.name for node in record.plan.nodes if node.ip}
    nodes |= {name: source["node"] for name, source in record.data["sources"].items()}
    return [nodes[word] for word in re.split(r" |(?<=\d):\d+(?:-|$)", label) if word in nodes]


@dataclass(frozen=True)
class Shown:
    """What a figure shows of its lines; ``note`` goes to the end of its ``about``."""

    lines: list[Line]
    legend: list[tuple[str, int | None]]
    note: str = ""


def shown(lines: Sequence[Line], csv: str, *, one_named: bool = False) -> Shown:
    """Return the lines and their legend.

    Args:
        lines: all lines, in any number; their colours are ignored if there are many.
        csv: name of the file in ``csv/`` that has all values of all lines.
        one_named: the legend names also a single line.
    """
    if len(lines) > LINES_AT_MOST:
        return _summarised(lines, csv)
    named = len(lines) > 1 or one_named
    return Shown(list(lines), [(line.label, line.colour) for line in lines] if named else [])


def _summarised(lines: Sequence[Line], csv: str) -> Shown:
    by_mean = sorted((line for line in lines if line.y), key=lambda line: fmean(line.y))
    ends = [replace(by_mean[0], colour=_LOWEST), replace(by_mean[-1], colour=_HIGHEST)] if by_mean else []
    grey = [replace(line, colour=None) for line in by_mean[1:-1]]
    middle = _median(by_mean)
    legend: list[tuple[str, int | None]] = [(middle.label, _MEDIAN)]
    if ends:
        legend += [(f"highest mean: {ends[1].label}", _HIGHEST), (f"lowest mean: {ends[0].label}", _LOWEST)]
    legend.append(("each of the others", None))
    note = f"; point at a grey line for its name; all values are in csv/{csv}.csv"
    return Shown([*grey, *ends, middle], legend, note)


def _median(lines: Sequence[Line]) -> Line:
    """Return the median of the lines over time: of the mean that each has in an interval, if it has a value there."""
    label = f"median of {len(lines)}"
    times = [x for line in lines for x in line.x]
    if not times:
        return Line(label, [], [], _MEDIAN)
    begin, end = min(times), max(times)
    apart = [after - before for line in lines for before, after in pairwise(line.x)]
    width = max(median(apart) if apart else 0.0, (end - begin) / _BINS) or 1.0
    bins: dict[int, dict[int, list[float]]] = {}
    for number, line in enumerate(lines):
        for x, y in zip(line.x, line.y, strict=True):
            if math.isfinite(y):
                # to the nearest: round times of samples are in the middle of an interval, not at its edge
                bins.setdefault(round((x - begin) / width), {}).setdefault(number, []).append(y)
    # at the end of an interval a few lines may have one more sample: they are not the median
    usual = median(map(len, bins.values())) if bins else 0
    places = sorted(place for place, each in bins.items() if 2 * len(each) >= usual)
    values = [median(fmean(each) for each in bins[place].values()) for place in places]
    return Line(
        label, [begin + place * width for place in places], values, _MEDIAN, step=lines[0].step, gap=3.5 * width
    )
