# SPDX-License-Identifier: MIT
"""Draws where nodes went: a map to scale of their ways, with access points, other nodes and walls."""

from __future__ import annotations

import math
from collections.abc import Iterator

from lab.drawing import WIDTH
from lab.drawing.shapes import XY, Dots, Drawing, Path, Shape, Shapes
from lab.numbers import plain
from lab.report.maps import BELOW, DOT, LINES, RADIUS, Labels, Map, Track, dashes, dotted, fitted, legend, symbol, tint
from lab.shared.types import Plan

_TOP = 34.0
_APART = 0.5  # px: nearer points are drawn as one


def draw(plan: Plan) -> Drawing | None:
    """Return the map; None if no node moves."""
    paper = fitted(plan, _TOP)
    if paper is None or not paper.ways:
        return None
    moving = {track.node for track in paper.ways}
    resting = [node for node in plan.nodes if node.name in paper.starts_m and node.name not in moving]
    labels = Labels(paper.left, paper.right, paper.bottom, paper.top)
    labels.avoid([paper.at(paper.starts_m[node.name]) for node in resting], DOT)
    for wall in paper.walls():
        labels.avoid(dotted(wall), DOT)
    for track in paper.ways:
        labels.avoid([paper.at(part[end]) for part in track.parts for end in (0, -1)], DOT)
        for part in track.parts:
            labels.avoid(dotted([paper.at(point) for point in part]), LINES)
    shapes: list[Shape] = [*paper.ground()]
    for track in paper.ways:
        shapes += _way(track, paper)
    for node in resting:
        at = paper.at(paper.starts_m[node.name])
        shapes += [*symbol(node, at, plan), *labels.near([at], [node.name])]
    for track in paper.ways:
        shapes += _ends(track, paper, labels)
    entries = [("circle", "start"), ("dot", "end")]
    entries += [("square", "access point")] if any(node.kind == "ap" for node in resting) else []
    entries += [("wall", "wall")] if plan.medium and plan.medium.walls else []
    shapes += legend(entries)
    return Drawing(WIDTH, math.ceil(paper.bottom + BELOW), f"where nodes of {plan.topology} went", shapes)


def _way(track: Track, paper: Map) -> Shapes:
    """Draw the lines of a way, and dotted ones for jumps."""
    colour = tint(paper.plan, track.node)
    dash = dashes(paper.plan, track.node)
    tip = f"{track.node}: {plain(track.length_m)} m"
    for index, part in enumerate(track.parts):
        points = tuple(_thinned([paper.at(point) for point in part]))
        if len(points) > 1:
            yield Path(points, colour, dash=dash, width=1.8, tip=tip)
        if index:
            yield Dots(points[:1], RADIUS / 2, fill=colour)
            yield Path((paper.at(track.parts[index - 1][-1]), points[0]), colour, dash="1 4", width=1.2, tip="a jump")


def _thinned(points: list[XY]) -> Iterator[XY]:
    last: XY | None = None
    for index, here in enumerate(points):
        if last is None or index == len(points) - 1 or math.dist(last, here) > _APART:
            yield here
            last = here


def _ends(track: Track, paper: Map, labels: Labels) -> Shapes:
    """Draw a circle where a way begins, a dot where it ends, and the node's name there."""
    begin, end = paper.at(track.parts[0][0]), paper.at(track.parts[-1][-1])
    colour = tint(paper.plan, track.node)
    yield Dots((begin,), 1.5 * RADIUS, colour, "paper", tip=f"{track.node} at the start")
    yield Dots((end,), RADIUS, colour, colour, tip=f"{track.node} at the end")
    yield from labels.near([end], [track.node])
