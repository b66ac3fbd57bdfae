# SPDX-License-Identifier: MIT
"""The topology as a picture: nodes with positions to scale, wired ones in a row above, links with what they do."""

from __future__ import annotations

from html import escape

from lab.report.numbers import plain
from lab.report.svg import WIDTH
from lab.shared.types import Link, Node, Plan
from lab.show.kinds import colour, noun

_BOX_WIDTH, _BOX_HEIGHT = 108, 44
_ROW_TOP = 30
_FIELD_TOP, _FIELD_HEIGHT = 150, 150
_MARGIN = 70


def draw(plan: Plan) -> str:
    """The picture as an ``<svg>`` element."""
    places = _places(plan)
    height = max(y for _, y in places.values()) + _BOX_HEIGHT
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="plot" viewBox="0 0 {WIDTH} {height:.0f}" role="img" '
        f'aria-label="topology {escape(plan.topology)}">'
    ]
    parts += [_link(link, places) for link in plan.links]
    parts += [_node(node, *places[node.name]) for node in plan.nodes]
    return "".join(parts) + "</svg>\n"


def _places(plan: Plan) -> dict[str, tuple[float, float]]:
    """Centre of each node's box."""
    placed = [node for node in plan.nodes if node.position_m]
    others = [node for node in plan.nodes if not node.position_m]
    places = {}
    for index, node in enumerate(others):
        places[node.name] = (WIDTH * (index + 1) / (len(others) + 1), float(_ROW_TOP))
    if placed:
        places |= _field(placed, top=_FIELD_TOP if others else _ROW_TOP)
    return places


def _field(nodes: list[Node], top: float) -> dict[str, tuple[float, float]]:
    """Positions in the plane to scale; boxes that would cover each other are moved down."""
    xs = [node.position_m[0] for node in nodes if node.position_m]
    ys = [node.position_m[1] for node in nodes if node.position_m]
    across, along = max(xs) - min(xs), max(ys) - min(ys)
    scale = min((WIDTH - 2 * _MARGIN) / (across or 1), _FIELD_HEIGHT / along if along else float("inf"))
    left = (WIDTH - across * scale) / 2 if across else WIDTH / 2
    places: dict[str, tuple[float, float]] = {}
    for node in nodes:
        x, y, _ = node.position_m or [0.0, 0.0, 0.0]
        at = (left + (x - min(xs)) * scale, top + (y - min(ys)) * (scale if along else 0.0))
        while any(abs(at[0] - a) < _BOX_WIDTH + 6 and abs(at[1] - b) < _BOX_HEIGHT + 6 for a, b in places.values()):
            at = (at[0], at[1] + _BOX_HEIGHT + 12)
        places[node.name] = at
    return places


def _link(link: Link, places: dict[str, tuple[float, float]]) -> str:
    (x1, y1), (x2, y2) = places[link.node_a], places[link.node_b]
    middle = ((x1 + x2) / 2, (y1 + y2) / 2 - 6)
    line = f'<path d="M{x1:.1f} {y1:.1f}L{x2:.1f} {y2:.1f}" stroke="var(--soft)" stroke-width="1.5"/>'
    label = escape(describe(link))
    return line + f'<text x="{middle[0]:.1f}" y="{middle[1]:.1f}" class="mark" text-anchor="middle">{label}</text>'


def describe(link: Link) -> str:
    """What netem does on a link: ``5 ms, 25 Mbit/s``; empty where it does nothing."""
    netem = link.netem
    said = []
    if netem.delay_ns:
        jitter = f" \N{PLUS-MINUS SIGN} {plain(netem.jitter_ns / 1e6)}" if netem.jitter_ns else ""
        said.append(f"{plain(netem.delay_ns / 1e6)}{jitter} ms")
    if netem.rate_bps:
        said.append(f"{plain(netem.rate_bps / 1e6)} Mbit/s")
    if netem.loss_percent:
        said.append(f"{plain(netem.loss_percent)}% loss")
    if netem.reorder_percent:
        said.append(f"{plain(netem.reorder_percent)}% reordered")
    return ", ".join(said)


def _node(node: Node, x: float, y: float) -> str:
    left, top = x - _BOX_WIDTH / 2, y - _BOX_HEIGHT / 2
    stroke = f"var(--c{colour(node.kind)})"
    return (
        f'<g><title>{escape(_details(node))}</title><rect x="{left:.1f}" y="{top:.1f}" width="{_BOX_WIDTH}" '
        f'height="{_BOX_HEIGHT}" rx="7" fill="var(--paper)" stroke="{stroke}" stroke-width="2"/>'
        f'<text x="{x:.1f}" y="{y - 3:.1f}" class="panel" text-anchor="middle">{escape(node.name)}</text>'
        f'<text x="{x:.1f}" y="{y + 13:.1f}" class="mark" text-anchor="middle">{escape(_caption(node))}</text></g>'
    )


def _caption(node: Node) -> str:
    if node.radio and node.radio.channel:
        return f"channel {node.radio.channel}"
    return ", ".join(node.roles) or noun(node.kind)


def _details(node: Node) -> str:
    said = [node.name, noun(node.kind)]
    said += [node.ip] if node.ip else []
    if node.radio:
        said += [f"{node.radio.ssid}, mode {node.radio.mode}"] if node.radio.ssid else []
        said.append(node.radio.mac)
    if node.position_m:
        said.append("at " + ", ".join(f"{plain(axis)} m" for axis in node.position_m))
    return "; ".join(said)
