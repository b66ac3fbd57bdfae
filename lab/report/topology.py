# SPDX-License-Identifier: MIT
"""Draws the topology: a map of the nodes that have a position, the others in rows above it; links, and who hears whom.

Linked nodes in rows are near each other: a row has the neighbours of the row below.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from pathlib import Path as FilePath
from statistics import fmean

from lab.drawing import WIDTH, svg
from lab.drawing.shapes import XY, Drawing, Path, Shape, Shapes, Text, box
from lab.drawing.words import shortened, wrapped
from lab.errors import InputError, writing
from lab.report.maps import (
    BELOW,
    DOT,
    LINES,
    RADIUS,
    Labels,
    dashes,
    details,
    dotted,
    fitted,
    legend,
    networks,
    stroke,
    symbol,
    tint,
)
from lab.shared.medium_types import noticed_mb
from lab.shared.types import Link, Netem, Node, Plan, Radio
from lab.show.words import noun, shape, vlans

_BOX_WIDTH, _BOX_HEIGHT, _CAPTION = 108, 44, 14  # a box with one line under the name, and each further one
_CAPTIONS_MOST = 5
_ROOM = _BOX_WIDTH - 8
_LABEL_WIDTH = 170  # of a label on the map at most, if a node has several networks
_LEGEND = 34.0  # height
_ROW_TOP, _ROW_HEIGHT, _ROW_MOST = 58.0, 92.0, 7
_FROM_BUSY = 0.65  # where a label is on a line, from the end with more lines
_PAIRS_MOST = 6  # of more pairs that hear each other, only the best of each station
_BULGE, _BULGE_MOST, _CURVE_STEPS = 0.3, 110.0, 16  # of a line around a node between its ends

Pair = tuple[str, str, str]  # two radios, and at which SNR they hear each other


def draw(plan: Plan) -> Drawing:
    """Return the picture."""
    pairs, meaning = heard(plan)
    paper = fitted(plan, _LEGEND)
    rows = _rows(plan, set(paper.starts_m) if paper else set())
    if paper and rows:
        paper = replace(paper, top=_ROW_TOP + sum(_height(plan, row) for row in rows) - _BOX_HEIGHT)
    points: dict[str, XY] = {name: paper.at(start) for name, start in paper.starts_m.items()} if paper else {}
    boxes = _boxes(plan, rows, points)
    points |= boxes
    outlines = {name: _outline(plan.node(name), at) for name, at in boxes.items()}
    labels = Labels(paper.left, paper.right, paper.bottom) if paper else Labels(0.0, WIDTH, math.inf)
    for name, at in points.items():
        labels.avoid([at], DOT)
        if name in boxes:
            labels.take(outlines[name])
    lines = [(stroke("radio", _course(a, b, points), f"{a}, {b}: {label}"), label) for a, b, label in pairs]
    for link in plan.links:
        both, label = (points[link.node_a], points[link.node_b]), _label(plan, link)
        lines.append((stroke("link", both, f"{link.name}: {label or shape(link.netem)}"), label))
    for line, _ in lines:
        labels.avoid(dotted(line.points), LINES)
    for wall in paper.walls() if paper else ():
        labels.avoid(dotted(wall), DOT)
    shapes: list[Shape] = [*(paper.ground() if paper else ())]
    shapes += [line for line, _ in lines]
    for node in plan.nodes:
        at = points[node.name]
        if node.name in boxes:
            shapes += _node(node, at, plan)
        else:
            shapes += [*symbol(node, at, plan), *(labels.near([at], _name(node)) or labels.near([at], [node.name]))]
    busy = Counter(end for line, _ in lines for end in (line.points[0], line.points[-1]))
    for line, text in lines:
        if text:
            shapes += labels.near(_along(line, outlines.values(), busy), [text], below=LINES)
    shapes += legend(_entries(plan, meaning, placed=bool(paper)))
    height = paper.bottom + BELOW if paper else max(y for line in _outlines(shapes) for _, y in line) + 6
    return Drawing(WIDTH, math.ceil(height), f"topology {plan.topology}", shapes)


def write(plan: Plan, path: FilePath) -> None:
    """Write the picture to a file; raise InputError if its name is of another format, HostError if that fails."""
    if path.suffix.lower() not in (".svg", ""):
        raise InputError(f"{path} is not the name of an SVG file; write --svg {path.with_suffix('.svg')}")
    with writing(path, "choose another file with --svg"):
        path.write_text(svg(draw(plan), standalone=True), encoding="utf-8", newline="")


def heard(plan: Plan) -> tuple[list[Pair], str]:
    """Return pairs of radios that are joined by a line, and what the line means.

    These are the radios that hear each other at the start; if they are many, the best ones of each station's network.
    Without a medium, every radio hears every other one; then these are the stations and access points of a network.
    """
    if plan.medium is None:
        associated = [(a.name, b.name, "") for a, b in combinations(plan.nodes, 2) if _associate(a, b)]
        return (associated, "one network") if 0 < len(associated) <= _PAIRS_MOST else ([], "")
    names = plan.medium.names()
    snr_db = {
        (names[link.transmitter], names[link.receiver]): snr_mb / 100
        for link, snr_mb in plan.medium.levels(plan.medium.links)
    }
    found: dict[tuple[str, str], list[float]] = {}
    for a, b in combinations(plan.radios(), 2):
        if a.home == b.home:
            continue
        both = [snr_db.get(ends, -math.inf) for ends in ((a.name, b.name), (b.name, a.name))]
        if max(both) >= _least_db(a, b):
            found[a.home, b.home] = max(found.get((a.home, b.home), both), both, key=max)
    meaning = "hear each other, at this SNR at the start" if found else ""
    if sum(not _in_mesh(plan, pair) for pair in found) > _PAIRS_MOST:
        found, meaning = dict(_best(plan, found)), "best radio of its network, at this SNR at the start"
    levels = {pair: dict.fromkeys(f"{level:.0f}" for level in both) for pair, both in found.items()}
    return [(*pair, f"{' / '.join(texts)} dB") for pair, texts in levels.items()], meaning


def _best(plan: Plan, found: Mapping[tuple[str, str], list[float]]) -> Iterable[tuple[tuple[str, str], list[float]]]:
    """Yield, for each station, the best of the pairs in which it is with another one of its network; all of meshes."""
    yield from ((pair, both) for pair, both in found.items() if _in_mesh(plan, pair))
    for node in plan.nodes:
        own = [pair for pair in found if node.name in pair and _associate(*map(plan.node, pair))]
        if node.kind not in ("ap", "mesh") and own:
            best = max(own, key=lambda pair: max(found[pair]))
            yield best, found[best]


def _in_mesh(plan: Plan, pair: tuple[str, str]) -> bool:
    a, b = map(plan.node, pair)
    return bool(a.radio and a.radio.mesh) and _associate(a, b)


def _associate(a: Node, b: Node) -> bool:
    """Return whether radios of two nodes may exchange data."""
    return any(_exchange(one, other) for one in a.radios() for other in b.radios())


def _exchange(a: Node, b: Node) -> bool:
    """Return whether two radios may exchange data: a station and its access point, or two of a mesh or an IBSS."""
    if not (a.radio and b.radio and (a.network(b.radio.ssid) or b.network(a.radio.ssid))):
        return False
    return (a.kind == "ap") != (b.kind == "ap") or (a.kind == b.kind and a.radio.alone and b.radio.alone)


def _least_db(a: Node, b: Node) -> float:
    """Return the SNR from which on two radios notice frames; infinite if they are never on one channel.

    One that scans is on the channels of its access points; without any, on all.
    """
    one, other = (
        {node.radio.frequency_mhz} if node.radio.frequency_mhz else {*node.radio.scan_mhz}
        for node in (a, b)
        if node.radio
    )
    common = one & other if one and other else one | other or {0}
    return min((noticed_mb(frequency_mhz) / 100 for frequency_mhz in common), default=math.inf)


def _rows(plan: Plan, placed: set[str]) -> list[list[str]]:
    """Return the nodes without a position in rows; the first one is the lowest."""
    near: dict[str, list[str]] = defaultdict(list)
    joined = [(link.node_a, link.node_b) for link in plan.links]
    joined += [(a.name, b.name) for a, b in combinations(plan.nodes, 2) if _associate(a, b)]
    for a, b in joined:
        near[a].append(b)
        near[b].append(a)
    stations = [node.name for node in plan.nodes if node.radio and node.kind != "ap"]
    roots = placed or set(stations) or {max((node.name for node in plan.nodes), key=lambda name: len(near[name]))}
    layers = [sorted(roots)]
    known = set(roots)
    while layers[-1]:
        layers.append(sorted({other for name in layers[-1] for other in near[name]} - known))
        known |= set(layers[-1])
    layers[1] += [node.name for node in plan.nodes if node.name not in known]
    order = {node.name: node.index for node in plan.nodes}
    listed = [sorted(layer, key=order.__getitem__) for layer in (layers[1:] if placed else layers)]
    return [layer[first : first + _ROW_MOST] for layer in listed for first in range(0, len(layer), _ROW_MOST)]


def _boxes(plan: Plan, rows: Sequence[Sequence[str]], placed: Mapping[str, XY]) -> dict[str, XY]:
    """Return the centres of the boxes of nodes in rows, from left to right as their neighbours in the rows below."""
    found: dict[str, XY] = {}
    y = _ROW_TOP + sum(_height(plan, row) for row in rows)
    for row in rows:
        y -= _height(plan, row)
        below = {**placed, **found}
        ends = [(link.node_a, link.node_b) for link in plan.links]
        xs = {name: [below[b if a == name else a][0] for a, b in ends
                     if name in (a, b) and (b if a == name else a) in below] for name in row}  # fmt: skip
        across = sorted(row, key=lambda name: fmean(xs[name]) if xs[name] else WIDTH / 2)
        for index, name in enumerate(across):
            found[name] = (WIDTH * (index + 1) / (len(row) + 1), y)
    return found


def _course(a: str, b: str, points: Mapping[str, XY]) -> tuple[XY, ...]:
    """Return the line between two nodes: a curve if another node is on the straight one."""
    (x1, y1), (x2, y2) = points[a], points[b]
    length = math.dist(points[a], points[b])
    if not any(_on_line(at, points[a], points[b]) for name, at in points.items() if name not in (a, b)):
        return points[a], points[b]
    bulge = min(_BULGE * length, _BULGE_MOST)
    across, down = (y2 - y1) / length * bulge, (x1 - x2) / length * bulge
    up = 1 if down < 0 or (down == 0 and across < 0) else -1
    middle = (x1 + x2) / 2 + up * across, (y1 + y2) / 2 + up * down
    return tuple(
        (
            (1 - t) ** 2 * x1 + 2 * t * (1 - t) * middle[0] + t**2 * x2,
            (1 - t) ** 2 * y1 + 2 * t * (1 - t) * middle[1] + t**2 * y2,
        )
        for t in (step / _CURVE_STEPS for step in range(_CURVE_STEPS + 1))
    )


def _on_line(point: XY, begin: XY, end: XY) -> bool:
    """Return whether a node at this point is on the line between two others."""
    length = math.dist(begin, end)
    if length < RADIUS:
        return False
    dx, dy = (end[0] - begin[0]) / length, (end[1] - begin[1]) / length
    along = (point[0] - begin[0]) * dx + (point[1] - begin[1]) * dy
    aside = abs((point[0] - begin[0]) * dy - (point[1] - begin[1]) * dx)
    return RADIUS < along < length - RADIUS and aside < 2 * RADIUS


def _along(line: Path, boxes: Iterable[Sequence[XY]], busy: Mapping[XY, int]) -> list[XY]:
    """Return the points of a line that its label may be at, the best ones first: towards the end with fewer lines."""
    seen = [
        (x, y)
        for x, y in dotted(line.points)
        if not any(left < x < right and top < y < bottom for (left, top), _, (right, bottom), _ in boxes)
    ]
    by_busy = seen if busy[line.points[0]] >= busy[line.points[-1]] else seen[::-1]
    where = 0.5 if busy[line.points[0]] == busy[line.points[-1]] else _FROM_BUSY
    outwards = sorted(range(len(seen)), key=lambda number: abs(number - (len(seen) - 1) * where))
    return [by_busy[number] for number in outwards]


def _outlines(shapes: Iterable[Shape]) -> Iterable[Sequence[XY]]:
    return (((shape.x, shape.y),) if isinstance(shape, Text) else shape.points for shape in shapes)


def _entries(plan: Plan, meaning: str, *, placed: bool) -> Iterable[tuple[str, str]]:
    """Yield the legend; ``meaning``: of the lines between radios."""
    if placed and any(node.kind == "ap" for node in plan.nodes):
        yield "square", "access point"
    if plan.links:
        yield "link", "link"
    if meaning:
        yield "radio", meaning
    if plan.medium and plan.medium.walls:
        yield "wall", "wall"


def _label(plan: Plan, link: Link) -> str:
    """Return what a link does to packets, and the VLANs that it carries; empty if nothing and none."""
    return ", ".join(filter(None, [shape(link.netem) if link.netem != Netem() else "", vlans(plan, link)]))


def _height(plan: Plan, row: Iterable[str]) -> float:
    """Return the height of a row of boxes, with what is between it and the one below."""
    return _ROW_HEIGHT + _CAPTION * max(len(_captions(plan.node(name))) - 1 for name in row)


def _outline(node: Node, at: XY) -> tuple[XY, ...]:
    """Return the box of a node, which has its name at ``at``."""
    x, y = at
    bottom = y + _BOX_HEIGHT / 2 + _CAPTION * (len(_captions(node)) - 1)
    return box(x - _BOX_WIDTH / 2, y - _BOX_HEIGHT / 2, x + _BOX_WIDTH / 2, bottom)


def _node(node: Node, at: XY, plan: Plan) -> Shapes:
    x, y = at
    dash = dashes(plan, node.name)
    yield Path(_outline(node, at), tint(plan, node.name), "paper", closed=True, dash=dash, width=2, tip=details(node))
    yield Text(x, y - 3, shortened(node.name, _ROOM, "panel"), "panel", "middle")
    for number, caption in enumerate(_captions(node)):
        yield Text(x, y + 13 + _CAPTION * number, caption, "mark", "middle")


def _captions(node: Node) -> list[str]:
    """Return the lines under the name of a node in a box."""
    several = networks(node)
    if several:
        lines = [line for text in several for line in wrapped(text, _ROOM, "mark")]
        return lines if len(lines) <= _CAPTIONS_MOST else [shortened(text, _ROOM, "mark") for text in several]
    if node.radio and node.radio.channel:
        return [_channel(node.radio)]
    return [shortened(", ".join(node.roles) or noun(node.kind), _ROOM, "mark")]


def _name(node: Node) -> list[str]:
    """Return the lines of the label of a node on the map."""
    several = networks(node)
    if several:
        return [node.name, *(shortened(text, _LABEL_WIDTH, "mark") for text in several)]
    return [f"{node.name}, {_channel(node.radio)}" if node.radio and node.radio.channel else node.name]


def _channel(radio: Radio) -> str:
    return f"VLAN {radio.vlan}, ch. {radio.channel}" if radio.vlan else f"channel {radio.channel}"
