# SPDX-License-Identifier: MIT
"""What both maps of a report share: scale and orientation (y upwards), axes, walls, looks of nodes, where names are."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from lab.drawing import WIDTH
from lab.drawing.palette import DASHES, PALETTE, of_node
from lab.drawing.shapes import XY, Dots, Path, Shapes, Text, box
from lab.drawing.words import text_width
from lab.numbers import distinct, plain, ticks
from lab.plan.timeline.movement import Courses, xyz
from lab.shared.types import Node, Plan
from lab.show.words import colours, noun

BELOW = 48  # height of the x axis
RADIUS = 5.0  # of a node
_MOVE = "move"  # the event
_LEFT, _RIGHT = 58, 24
_HEIGHT_MOST, _HEIGHT_LEAST = 460, 150
_AIR = 0.08  # around what is drawn, of its extent
_LINE, _FURTHER = 12.0, 14.0  # height of a label, and of each further line of it
_MARGIN = 3.0  # around a box
_GRID = 4.0  # px: how exactly the points of lines and markers are known to labels
# how bad it is for a label to cover a marker, each point of a line, a name, and to leave the map
DOT, LINES, _NAME, _BEYOND = 20, 1, 50, 1000

Parts = tuple[tuple[XY, ...], ...]


@dataclass(frozen=True)
class Track:
    """The way of a node: parts without a jump, each of points in the plane, in m."""

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
            to_m, speed_m_s = xyz(event.params["position_m"]), event.params.get("speed_m_s")
            courses.move(plan.node(event.target), event.at_ns, to_m, speed_m_s)
    found |= {name: tuple(_parts(plan.node(name), courses, plan.duration_ns)) for name in courses.legs}
    return [Track(node.name, found[node.name]) for node in plan.nodes if node.name in found]


def _parts(node: Node, courses: Courses, end_ns: int) -> Iterator[tuple[XY, ...]]:
    """Yield the parts of a way that is made of moves; a jump begins another part."""
    legs = courses.legs[node.name]
    part: list[XY] = [xyz(node.position_m)[:2]] if node.position_m else []
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
class Map:
    """A plan to scale: where points in m are on paper, and where nodes are at the start."""

    plan: Plan
    ways: Sequence[Track]
    starts_m: dict[str, XY]
    low: XY
    high: XY
    scale: float  # px per m
    left: float
    top: float

    def at(self, point: Iterable[float]) -> XY:
        """Return the point on paper."""
        x, y, *_ = point
        return self.left + (x - self.low[0]) * self.scale, self.top + (self.high[1] - y) * self.scale

    @property
    def bottom(self) -> float:
        """The lower end of the map."""
        return self.top + (self.high[1] - self.low[1]) * self.scale

    @property
    def right(self) -> float:
        """Its right end."""
        return self.left + (self.high[0] - self.low[0]) * self.scale

    def ground(self) -> Shapes:
        """Draw axes with a grid, and walls."""
        yield from _axes(self)
        for wall in self.walls():
            yield stroke("wall", wall, "wall")

    def walls(self) -> list[tuple[XY, XY]]:
        """Return the ends of walls on paper."""
        return [(self.at(begin), self.at(end)) for begin, end in _walls(self.plan)]


def fitted(plan: Plan, top: float) -> Map | None:
    """Return the map that shows all points of a plan, from start to end, below ``top``; None without positions."""
    ways = tracks(plan)
    starts_m: dict[str, XY] = {node.name: xyz(node.position_m)[:2] for node in plan.nodes if node.position_m}
    starts_m |= {track.node: track.parts[0][0] for track in ways}
    if not starts_m:
        return None
    points = [*starts_m.values(), *(point for track in ways for part in track.parts for point in part)]
    points += [(x, y) for wall in _walls(plan) for x, y in wall]
    lows = [min(point[axis] for point in points) for axis in (0, 1)]
    highs = [max(point[axis] for point in points) for axis in (0, 1)]
    air = max(_AIR * max(high - low for low, high in zip(lows, highs, strict=True)), 0.5)
    width, height = (high - low + 2 * air for low, high in zip(lows, highs, strict=True))
    scale = min((WIDTH - _LEFT - _RIGHT) / width, _HEIGHT_MOST / height)
    short = max(_HEIGHT_LEAST / scale - height, 0.0) / 2  # of points on one line
    low, high = (lows[0] - air, lows[1] - air - short), (highs[0] + air, highs[1] + air + short)
    return Map(plan, ways, starts_m, low, high, scale, _LEFT + (WIDTH - _LEFT - _RIGHT - width * scale) / 2, top)


def _walls(plan: Plan) -> list[tuple[list[float], list[float]]]:
    return [(wall.from_m, wall.to_m) for wall in plan.medium.walls] if plan.medium else []


def _axes(paper: Map) -> Shapes:
    (low_x, low_y), (high_x, high_y) = paper.low, paper.high
    across = ticks(low_x, high_x, max(2, int((paper.right - paper.left) / 80)))
    for value, text in zip(across, distinct(across), strict=True):
        x, _ = paper.at((value, low_y))
        yield Path(((x, paper.top), (x, paper.bottom)), "grid", width=1)
        yield Text(x, paper.bottom + 17, text, "tick", "middle")
    along = ticks(low_y, high_y, max(2, int((paper.bottom - paper.top) / 60)))
    for value, text in zip(along, distinct(along), strict=True):
        _, y = paper.at((low_x, value))
        yield Path(((paper.left, y), (paper.right, y)), "grid", width=1)
        yield Text(paper.left - 8, y + 4, text, "tick", "end")
    yield Path(box(paper.left, paper.top, paper.right, paper.bottom), "soft", closed=True, width=1)
    yield Text((paper.left + paper.right) / 2, paper.bottom + 36, "x, m", "axis", "middle")
    yield Text(paper.left - 44, (paper.top + paper.bottom) / 2, "y, m", "axis", "middle", turn=-90)


def tint(plan: Plan, node: str) -> int:
    """Return the colour of a node, which is the same in all pictures of a plan."""
    return of_node(colours(plan)[node])


def dashes(plan: Plan, node: str) -> str:
    """Return the dashes of a node's lines, which differ for nodes of the same colour."""
    return DASHES[colours(plan)[node] // len(PALETTE) % len(DASHES)]


def symbol(node: Node, at: XY, plan: Plan) -> Shapes:
    """Draw a node: a square for an access point, a dot for another radio, a circle for others.

    If its colour is that of an earlier node, it has a hole, or the circle a dot.
    """
    x, y = at
    colour, tip = tint(plan, node.name), details(node)
    if node.kind == "ap":
        yield Path(box(x - RADIUS, y - RADIUS, x + RADIUS, y + RADIUS), colour, colour, closed=True, tip=tip)
    else:
        yield Dots((at,), RADIUS, colour, colour if node.radio else "paper", tip=tip)
    if dashes(plan, node.name):
        yield Dots((at,), RADIUS / 2, fill="paper" if node.radio else colour)


def details(node: Node) -> str:
    """Return what a node is, for the pointer."""
    parts = [node.name, noun(node.kind)]
    parts += [node.ip] if node.ip else []
    if node.radio:
        for radio in (one.radio for one in node.radios() if one.radio):
            ssids = " and ".join(one.ssid for one in radio.networks())
            parts += [f"{ssids}, mode {radio.mode}"] if ssids else []
            parts.append(radio.mac)
    if node.position_m:
        parts.append("at " + ", ".join(f"{plain(axis)} m" for axis in node.position_m))
    return "; ".join(parts)


def networks(node: Node) -> list[str]:
    """Return the channel and the SSIDs of each radio, in a few words; nothing if the node has only one network."""
    found = [one.radio for one in node.radios() if one.radio]
    if sum(len(radio.networks()) for radio in found) < 2:
        return []
    if not any(radio.ssid for radio in found):  # monitors
        return [f"channels {', '.join(str(radio.channel) for radio in found)}"]
    return [
        f"{f'ch. {radio.channel}:' if radio.channel else 'joins'} {', '.join(one.ssid for one in radio.networks())}"
        for radio in found
    ]


def dotted(points: Sequence[XY]) -> Iterator[XY]:
    """Yield points along a line, near enough for a label not to fit between two of them."""
    for (x1, y1), (x2, y2) in pairwise(points):
        steps = max(1, math.ceil(math.dist((x1, y1), (x2, y2)) / _GRID))
        for step in range(steps):
            yield x1 + (x2 - x1) * step / steps, y1 + (y2 - y1) * step / steps


class Labels:
    """Places names next to points, so that they cover each other as little as possible."""

    def __init__(self, left: float, right: float, bottom: float, top: float = 20.0) -> None:
        self._bounds = left, top, right, bottom
        self._taken: list[tuple[float, float, float, float]] = []
        self._avoided: Counter[tuple[int, int]] = Counter()  # how bad it is to cover each cell of a grid

    def avoid(self, points: Iterable[XY], badness: int) -> None:
        """Cover these points only if everything else is worse."""
        for cell in {(round(x / _GRID), round(y / _GRID)) for x, y in points}:
            self._avoided[cell] += badness

    def take(self, corners: Sequence[XY]) -> None:
        """Keep a rectangle free, with a margin."""
        (left, top), (right, bottom) = corners[0], corners[2]
        self._taken.append((left - _MARGIN, top - _MARGIN, right + _MARGIN, bottom + _MARGIN))

    def near(self, points: Sequence[XY], lines: Sequence[str], below: int = _NAME) -> list[Text]:
        """Return a label at the best place near one of these points; nothing if all are this bad."""
        size = max(text_width(line, "mark") for line in lines), _LINE + _FURTHER * (len(lines) - 1)
        corners = [corner for point in points for corner in _around(point, *size)]
        best, least = None, below
        for corner in corners:
            bad = self._covered(corner, *size, least)
            if bad < least:
                best, least = corner, bad
            if not bad:
                break
        if best is None:
            return []
        left, top = best
        self._taken.append((left, top, left + size[0], top + size[1]))
        return [
            Text(left, top + _LINE - 2 + _FURTHER * number, line, "mark", colour="ink")
            for number, line in enumerate(lines)
        ]

    def _covered(self, corner: XY, width: float, height: float, enough: int) -> int:
        """Return how bad a place for a label is, or only that it is as bad as ``enough``."""
        left, top = corner
        right, bottom = left + width, top + height
        first, highest, last, lowest = self._bounds
        bad = 0 if left >= first and right <= last and top >= highest and bottom <= lowest else _BEYOND
        for x1, y1, x2, y2 in self._taken:
            if left < x2 and x1 < right and top < y2 and y1 < bottom:
                bad += _NAME
                if bad >= enough:
                    return bad
        down = range(math.floor(top / _GRID), math.ceil(bottom / _GRID) + 1)
        for x in range(math.floor(left / _GRID), math.ceil(right / _GRID) + 1):
            if bad >= enough:
                return bad
            bad += sum(self._avoided.get((x, y), 0) for y in down)
        return bad


def _around(point: XY, width: float, height: float) -> list[XY]:
    """Return the corners of a label next to a point: to the right, left, above, below, at a corner."""
    x, y = point
    return [
        (x + 9, y - height / 2),
        (x - 9 - width, y - height / 2),
        (x - width / 2, y - 9 - height),
        (x - width / 2, y + 9),
        (x + 7, y - 7 - height),
        (x + 7, y + 7),
        (x - 7 - width, y - 7 - height),
        (x - 7 - width, y + 7),
    ]


_DOT_SAMPLES = {"dot": "soft", "circle": "paper"}
_LINE_SAMPLES = {
    "wall": Path((), "ink", width=3),
    "link": Path((), "ink", width=1.5),
    "radio": Path((), "soft", width=1.5, dash="4 3"),
}


def stroke(look: str, points: Sequence[XY], tip: str = "") -> Path:
    """Return a line that looks like one of the legend: ``wall``, ``link`` or ``radio``."""
    like = _LINE_SAMPLES[look]
    return Path(tuple(points), like.stroke, width=like.width, dash=like.dash, tip=tip)


def legend(entries: Iterable[tuple[str, str]]) -> Shapes:
    """Draw (look, label) pairs in a row at the top."""
    x, y = 12.0, 14.0
    for look, label in entries:
        if look in _LINE_SAMPLES:
            yield stroke(look, ((x - 8, y), (x + 8, y)))
        elif look == "square":
            yield Path(box(x - RADIUS, y - RADIUS, x + RADIUS, y + RADIUS), "soft", "soft", closed=True)
        else:
            yield Dots(((x, y),), RADIUS, "soft", _DOT_SAMPLES[look])
        yield Text(x + 14, y + 4, label, "mark", colour="ink")
        x += 40 + text_width(label, "mark")
