# SPDX-License-Identifier: MIT
"""Draws where nodes went: a map to scale of their ways, with access points, other nodes and walls; y upwards."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise

from lab.drawing import WIDTH
from lab.drawing.palette import DASHES, PALETTE, series
from lab.drawing.shapes import Dots, Path, Place, Scene, Shape, Shapes, Text, box
from lab.drawing.words import text_width
from lab.numbers import distinct, plain, ticks
from lab.plan.timeline.movement import Courses, place
from lab.shared.types import Node, Plan

_MOVE = "move"  # the event
_LEFT, _RIGHT, _TOP, _BOTTOM = 58, 24, 34, 48
_HEIGHT_MOST, _HEIGHT_LEAST = 460, 90
_AIR = 0.06  # around what is drawn, of its extent
_RADIUS = 4.0
_APART = 0.5  # px: nearer points are drawn as one
_LINE = 12.0  # height of a label
_GRID = 4.0  # px: how exactly the places of lines and markers are known to labels
# how bad it is for a label to cover a marker, each point of a line, a name, and to leave the map
_DOT, _LINES, _NAME, _BEYOND = 20, 1, 50, 1000


Parts = tuple[tuple[Place, ...], ...]


@dataclass(frozen=True)
class Track:
    """The way of a node: parts without a jump, each of places in the plane, in m."""

    node: str
    parts: Parts

    @property
    def length_m(self) -> float:
        """How far it went, without jumps."""
        return sum(math.dist(a, b) for part in self.parts for a, b in pairwise(part))


def tracks(plan: Plan) -> list[Track]:
    """Return the ways of all nodes that move by themselves or by events, in the plan's order."""
    found: dict[str, Parts] = {
        way.node: ((*((at.x_mm / 1000, at.y_mm / 1000) for at in way.waypoints),),) for way in plan.mobility
    }
    courses = Courses()
    for event in plan.events:
        if event.kind == _MOVE:
            to_m, speed_m_s = place(event.params["position_m"]), event.params.get("speed_m_s")
            courses.move(plan.node(event.target), event.at_ns, to_m, speed_m_s)
    found |= {name: tuple(_parts(plan.node(name), courses, plan.duration_ns)) for name in courses.legs}
    return [Track(node.name, found[node.name]) for node in plan.nodes if node.name in found]


def _parts(node: Node, courses: Courses, end_ns: int) -> Iterator[tuple[Place, ...]]:
    """Yield the parts of a way that is made of moves; a jump begins another part."""
    legs = courses.legs[node.name]
    part: list[Place] = [place(node.position_m)[:2]] if node.position_m else []
    for index, leg in enumerate(legs):
        over_ns = min(legs[index + 1].start_ns if index + 1 < len(legs) else end_ns, end_ns)
        if leg.end_ns == leg.start_ns:
            if part:
                yield tuple(part)
            part = [leg.end_m[:2]]
        else:
            part.append(leg.position_m(over_ns)[:2])
    yield tuple(part)


@dataclass(frozen=True)
class _Map:
    """Where a place in m is on paper."""

    low: Place
    high: Place
    scale: float  # px per m
    left: float

    def at(self, point: Iterable[float]) -> Place:
        """Return the place on paper."""
        x, y, *_ = point
        return self.left + (x - self.low[0]) * self.scale, _TOP + (self.high[1] - y) * self.scale

    @property
    def bottom(self) -> float:
        """The lower end of the map."""
        return _TOP + (self.high[1] - self.low[1]) * self.scale

    @property
    def right(self) -> float:
        """Its right end."""
        return self.left + (self.high[0] - self.low[0]) * self.scale


def draw(plan: Plan) -> Scene | None:
    """Return the map; None if no node moves."""
    moving = tracks(plan)
    if not moving:
        return None
    names = {track.node for track in moving}
    resting = [node for node in plan.nodes if node.position_m and node.name not in names]
    walls = [(wall.from_m, wall.to_m) for wall in plan.medium.walls] if plan.medium else []
    points = [point for track in moving for part in track.parts for point in part]
    points += [place(node.position_m)[:2] for node in resting if node.position_m]
    points += [(x, y) for wall in walls for x, y in wall]
    paper = _fitted(points)
    shapes: list[Shape] = [*_axes(paper)]
    shapes += [Path((paper.at(begin), paper.at(end)), "ink", width=3, tip="wall") for begin, end in walls]
    labels = _Labels(paper)
    for node in resting:
        labels.avoid([paper.at(place(node.position_m or ()))], _DOT)
    for track in moving:
        labels.avoid([paper.at(part[end]) for part in track.parts for end in (0, -1)], _DOT)
        for part in track.parts:
            labels.avoid(_dotted([paper.at(point) for point in part]), _LINES)
    for number, track in enumerate(moving):
        shapes += _way(track, number, paper)
    for node in resting:
        shapes += _resting(node, paper, labels)
    for number, track in enumerate(moving):
        shapes += _ends(track, number, paper, labels)
    shapes += _legend(paper.left, bool(walls), any(node.kind == "ap" for node in resting))
    return Scene(WIDTH, math.ceil(paper.bottom + _BOTTOM), f"where nodes of {plan.topology} went", shapes)


def _fitted(points: list[Place]) -> _Map:
    """Return a map that shows all points, to the same scale in both directions."""
    lows = [min(point[axis] for point in points) for axis in (0, 1)]
    highs = [max(point[axis] for point in points) for axis in (0, 1)]
    air = max(_AIR * max(high - low for low, high in zip(lows, highs, strict=True)), 0.5)
    width, height = (high - low + 2 * air for low, high in zip(lows, highs, strict=True))
    scale = min((WIDTH - _LEFT - _RIGHT) / width, _HEIGHT_MOST / height)
    short = max(_HEIGHT_LEAST / scale - height, 0.0) / 2  # of a way along one line
    low, high = (lows[0] - air, lows[1] - air - short), (highs[0] + air, highs[1] + air + short)
    return _Map(low, high, scale, _LEFT + (WIDTH - _LEFT - _RIGHT - width * scale) / 2)


def _axes(paper: _Map) -> Shapes:
    (low_x, low_y), (high_x, high_y) = paper.low, paper.high
    across = ticks(low_x, high_x, max(2, int((paper.right - paper.left) / 80)))
    for value, text in zip(across, distinct(across), strict=True):
        x, _ = paper.at((value, low_y))
        yield Path(((x, _TOP), (x, paper.bottom)), "grid", width=1)
        yield Text(x, paper.bottom + 17, text, "tick", "middle")
    along = ticks(low_y, high_y, max(2, int((paper.bottom - _TOP) / 60)))
    for value, text in zip(along, distinct(along), strict=True):
        _, y = paper.at((low_x, value))
        yield Path(((paper.left, y), (paper.right, y)), "grid", width=1)
        yield Text(paper.left - 8, y + 4, text, "tick", "end")
    yield Path(box(paper.left, _TOP, paper.right, paper.bottom), "soft", closed=True, width=1)
    yield Text((paper.left + paper.right) / 2, paper.bottom + 36, "x, m", "axis", "middle")
    yield Text(paper.left - 44, (_TOP + paper.bottom) / 2, "y, m", "axis", "middle", turn=-90)


def _way(track: Track, number: int, paper: _Map) -> Shapes:
    """Draw the lines of a way, and dotted ones for jumps."""
    tint = series(number)
    tip = f"{track.node}: {plain(track.length_m)} m"
    for index, part in enumerate(track.parts):
        places = tuple(_thinned([paper.at(point) for point in part]))
        if len(places) > 1:
            yield Path(places, tint, dash=DASHES[number // len(PALETTE) % len(DASHES)], width=1.6, tip=tip)
        if index:
            yield Dots(places[:1], _RADIUS / 2, fill=tint)
            yield Path((paper.at(track.parts[index - 1][-1]), places[0]), tint, dash="1 4", width=1.2, tip="a jump")


def _thinned(places: list[Place]) -> Iterator[Place]:
    last: Place | None = None
    for index, here in enumerate(places):
        if last is None or index == len(places) - 1 or math.dist(last, here) > _APART:
            yield here
            last = here


def _dotted(places: list[Place]) -> Iterator[Place]:
    """Yield points along a line, near enough for a label not to fit between two of them."""
    for (x1, y1), (x2, y2) in pairwise(places):
        steps = max(1, math.ceil(math.dist((x1, y1), (x2, y2)) / _GRID))
        for step in range(steps):
            yield x1 + (x2 - x1) * step / steps, y1 + (y2 - y1) * step / steps


def _ends(track: Track, number: int, paper: _Map, labels: _Labels) -> Shapes:
    """Draw a circle where a way begins, a dot where it ends, and the node's name there."""
    begin, end = paper.at(track.parts[0][0]), paper.at(track.parts[-1][-1])
    tint = series(number)
    yield Dots((begin,), 1.5 * _RADIUS, tint, "paper", tip=f"{track.node} at the start")
    yield Dots((end,), _RADIUS, tint, tint, tip=f"{track.node} at the end")
    yield labels.beside(end, track.node, tint)


def _resting(node: Node, paper: _Map, labels: _Labels) -> Shapes:
    x, y = paper.at(node.position_m or ())
    corners = box(x - _RADIUS, y - _RADIUS, x + _RADIUS, y + _RADIUS)
    yield Path(corners, "ink", "ink" if node.kind == "ap" else "paper", closed=True, tip=node.name)
    yield labels.beside((x, y), node.name, "ink")


class _Labels:
    """Places names beside points, so that they cover each other as little as possible."""

    def __init__(self, paper: _Map) -> None:
        self._paper = paper
        self._taken: list[tuple[float, float, float, float]] = []
        self._avoided: Counter[tuple[int, int]] = Counter()  # how bad it is to cover each cell of a grid

    def avoid(self, points: Iterable[Place], badness: int) -> None:
        """Cover these points only if everything else is worse."""
        for cell in {(round(x / _GRID), round(y / _GRID)) for x, y in points}:
            self._avoided[cell] += badness

    def beside(self, point: Place, text: str, tint: int | str) -> Text:
        """Return a name at the first free place: beside, above, below, at a corner."""
        x, y = point
        width = text_width(text, "mark")
        boxes = [
            (x + 9, y - _LINE / 2),
            (x - 9 - width, y - _LINE / 2),
            (x - width / 2, y - 9 - _LINE),
            (x - width / 2, y + 9),
            (x + 7, y - 7 - _LINE),
            (x + 7, y + 7),
            (x - 7 - width, y - 7 - _LINE),
            (x - 7 - width, y + 7),
        ]
        left, top = min(boxes, key=lambda corner: self._covered(corner, width))
        self._taken.append((left, top, left + width, top + _LINE))
        return Text(left, top + _LINE - 2, text, "mark", colour=tint)

    def _covered(self, corner: Place, width: float) -> int:
        """Return how bad a place for a label is."""
        left, top = corner
        right, bottom = left + width, top + _LINE
        inside = (
            left >= self._paper.left and right <= self._paper.right and top >= _TOP and bottom <= self._paper.bottom
        )
        hit = sum(left < x2 and x1 < right and top < y2 and y1 < bottom for x1, y1, x2, y2 in self._taken)
        across = range(math.floor(left / _GRID), math.ceil(right / _GRID) + 1)
        down = range(math.floor(top / _GRID), math.ceil(bottom / _GRID) + 1)
        marks = sum(self._avoided[x, y] for x in across for y in down)
        return _NAME * hit + marks + (0 if inside else _BEYOND)


def _legend(left: float, walls: bool, access_points: bool) -> Shapes:
    x, y = left + 1.5 * _RADIUS, 14.0
    entries = [("start", "circle"), ("end", "dot")]
    entries += [("access point", "square")] if access_points else []
    entries += [("wall", "line")] if walls else []
    for label, look in entries:
        if look == "line":
            yield Path(((x - 6, y), (x + 6, y)), "ink", width=3)
        elif look == "square":
            yield Path(box(x - _RADIUS, y - _RADIUS, x + _RADIUS, y + _RADIUS), "ink", "ink", closed=True)
        else:
            hollow = look == "circle"
            yield Dots(((x, y),), 1.5 * _RADIUS if hollow else _RADIUS, "soft", "paper" if hollow else "soft")
        yield Text(x + 10, y + 4, label, "mark")
        x += 34 + text_width(label, "mark")
