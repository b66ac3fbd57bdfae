# SPDX-License-Identifier: MIT
"""Draws the topology: nodes with positions to scale (y upwards), others in a row above, links with their parameters."""

from __future__ import annotations

import math

from lab.drawing import WIDTH
from lab.drawing.shapes import Path, Place, Scene, Shape, Shapes, Text
from lab.drawing.words import shortened
from lab.numbers import plain
from lab.shared.types import Link, Node, Plan
from lab.show.kinds import colour, noun

_BOX_WIDTH, _BOX_HEIGHT = 108, 44
_RADIUS, _CORNER_STEPS = 7, 4
_ROW_TOP = 30
_FIELD_TOP, _FIELD_HEIGHT = 150, 150
_MARGIN = 70


def draw(plan: Plan) -> Scene:
    """Return the picture."""
    places = _places(plan)
    height = max(y for _, y in places.values()) + _BOX_HEIGHT
    shapes: list[Shape] = [shape for link in plan.links for shape in _link(link, places)]
    shapes += [shape for node in plan.nodes for shape in _node(node, *places[node.name])]
    return Scene(WIDTH, math.ceil(height), f"topology {plan.topology}", shapes)


def _places(plan: Plan) -> dict[str, tuple[float, float]]:
    """Return the centre of each node's box."""
    placed = [node for node in plan.nodes if node.position_m]
    others = [node for node in plan.nodes if not node.position_m]
    places = {}
    for index, node in enumerate(others):
        places[node.name] = (WIDTH * (index + 1) / (len(others) + 1), float(_ROW_TOP))
    if placed:
        places |= _field(placed, top=_FIELD_TOP if others else _ROW_TOP)
    return places


def _field(nodes: list[Node], top: float) -> dict[str, tuple[float, float]]:
    """Return positions to scale; boxes that would overlap are moved down."""
    xs = [node.position_m[0] for node in nodes if node.position_m]
    ys = [node.position_m[1] for node in nodes if node.position_m]
    across, along = max(xs) - min(xs), max(ys) - min(ys)
    scale = min((WIDTH - 2 * _MARGIN) / (across or 1), _FIELD_HEIGHT / along if along else float("inf"))
    left = (WIDTH - across * scale) / 2 if across else WIDTH / 2
    places: dict[str, tuple[float, float]] = {}
    for node in nodes:
        x, y, _ = node.position_m or [0.0, 0.0, 0.0]
        at = (left + (x - min(xs)) * scale, top + (max(ys) - y) * (scale if along else 0.0))
        while any(abs(at[0] - a) < _BOX_WIDTH + 6 and abs(at[1] - b) < _BOX_HEIGHT + 6 for a, b in places.values()):
            at = (at[0], at[1] + _BOX_HEIGHT + 12)
        places[node.name] = at
    return places


def _link(link: Link, places: dict[str, Place]) -> Shapes:
    (x1, y1), (x2, y2) = places[link.node_a], places[link.node_b]
    yield Path(((x1, y1), (x2, y2)), "soft", width=1.5)
    if label := describe(link):
        yield Text((x1 + x2) / 2, (y1 + y2) / 2 - 6, label, "mark", "middle")


def describe(link: Link) -> str:
    """Return the parameters of a link: ``5 ms, 25 Mbit/s``; empty if there are none."""
    netem = link.netem
    parts = []
    if netem.delay_ns:
        jitter = f" \N{PLUS-MINUS SIGN} {plain(netem.jitter_ns / 1e6)}" if netem.jitter_ns else ""
        parts.append(f"{plain(netem.delay_ns / 1e6)}{jitter} ms")
    if netem.rate_bps:
        parts.append(f"{plain(netem.rate_bps / 1e6)} Mbit/s")
    if netem.loss_percent:
        parts.append(f"{plain(netem.loss_percent)}% loss")
    if netem.reorder_percent:
        parts.append(f"{plain(netem.reorder_percent)}% reordered")
    return ", ".join(parts)


def _node(node: Node, x: float, y: float) -> Shapes:
    corners = _rounded(x - _BOX_WIDTH / 2, y - _BOX_HEIGHT / 2, x + _BOX_WIDTH / 2, y + _BOX_HEIGHT / 2)
    yield Path(corners, colour(node.kind), "paper", closed=True, width=2, tip=_details(node))
    room = _BOX_WIDTH - 8
    yield Text(x, y - 3, shortened(node.name, room, "panel"), "panel", "middle")
    yield Text(x, y + 13, shortened(_caption(node), room, "mark"), "mark", "middle")


def _rounded(left: float, top: float, right: float, bottom: float) -> tuple[Place, ...]:
    """Return a rectangle with rounded corners."""
    centres = (
        (right - _RADIUS, top + _RADIUS),
        (right - _RADIUS, bottom - _RADIUS),
        (left + _RADIUS, bottom - _RADIUS),
        (left + _RADIUS, top + _RADIUS),
    )
    places = []
    for corner, (x, y) in enumerate(centres):
        for step in range(_CORNER_STEPS + 1):
            angle = math.pi / 2 * (corner - 1 + step / _CORNER_STEPS)
            places.append((x + _RADIUS * math.cos(angle), y + _RADIUS * math.sin(angle)))
    return tuple(places)


def _caption(node: Node) -> str:
    if node.radio and node.radio.channel:
        return f"channel {node.radio.channel}"
    return ", ".join(node.roles) or noun(node.kind)


def _details(node: Node) -> str:
    parts = [node.name, noun(node.kind)]
    parts += [node.ip] if node.ip else []
    if node.radio:
        parts += [f"{node.radio.ssid}, mode {node.radio.mode}"] if node.radio.ssid else []
        parts.append(node.radio.mac)
    if node.position_m:
        parts.append("at " + ", ".join(f"{plain(axis)} m" for axis in node.position_m))
    return "; ".join(parts)
