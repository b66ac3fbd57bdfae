# SPDX-License-Identifier: MIT
"""Movements of ns-2, as CMU's setdest, BonnMotion (NSFile) and SUMO write them.

    $node_(0) set X_ 83.36
    $ns_ at 10.0 "$node_(0) setdest 44.9 143.7 5.5"    goes there (m), at that speed (m/s)
    $ns_ at 20.0 "$node_(0) set Y_ 12.0"               jumps

A destination replaces one that has not been reached. Lines about god, comments and other settings of Tcl are skipped.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field

from lab.mobility._trace import HEIGHT_M, WAYPOINTS_MOST, TraceError, number, time
from lab.shared.mobility_types import Waypoint
from lab.shared.positions import position_at

_SLOWEST_M_S = 1e-9  # a slower node moves less than 1 mm in the longest time that a trace may have
_AT = re.compile(r'\$\w+\s+at\s+(?P<at>\S+)\s+(?:"(?P<what>[^"]*)"|\{(?P<braced>[^}]*)\})\s*;?\s*(?:#.*)?')
_NODE = re.compile(r"\$\w+\((?P<node>\d{1,6})\)\s+(?P<what>.*?)\s*;?\s*(?:#.*)?")
_SET = re.compile(r"set\s+(?P<axis>[XYZ])_\s+(?P<value>\S+)")
_DESTINATION = re.compile(r"setdest\s+(?P<x>\S+)\s+(?P<y>\S+)\s+(?P<speed>\S+)")
_SKIPPED = re.compile(r"#.*|set\s.*|\$god_\s.*|puts\s.*|")


@dataclass
class _Order:
    """What a node does at a time."""

    at_s: float
    line: int
    node: int
    axis: str = ""  # that it jumps on, to ``value_m``
    value_m: float = 0.0
    to_m: tuple[float, float] = (0.0, 0.0)
    speed_m_s: float = 0.0


@dataclass
class _Node:
    """The way of a node, as far as it is known."""

    way: list[Waypoint] = field(default_factory=lambda: [_at(0.0, (0.0, 0.0, HEIGHT_M))])

    def do(self, order: _Order) -> None:
        """Follow an order; they come by time."""
        at_ns = round(order.at_s * 1e9)
        here = position_at(self.way, at_ns)
        while self.way[-1].at_ns > at_ns:  # a destination that it will not reach
            self.way.pop()
        if self.way[-1].at_ns < at_ns:
            self.way.append(_at(order.at_s, here))
        if order.axis:
            there = tuple(order.value_m if axis == order.axis else at for axis, at in zip("XYZ", here, strict=True))
            self._jump(order.at_s, there)
        elif order.speed_m_s >= _SLOWEST_M_S:
            takes_s = math.dist(here[:2], order.to_m) / order.speed_m_s
            self.way.append(_at(order.at_s + takes_s, (*order.to_m, here[2])))

    def _jump(self, at_s: float, to_m: tuple[float, ...]) -> None:
        waypoint = _at(at_s, to_m)
        if len(self.way) == 1 and not waypoint.at_ns:
            self.way = [waypoint]  # where it begins
        else:
            self.way.append(waypoint)


def _at(at_s: float, position_m: tuple[float, ...]) -> Waypoint:
    x, y, z = (round(1000 * at) for at in position_m)
    return Waypoint(round(at_s * 1e9), x, y, z)


def read(text: str) -> dict[int, list[Waypoint]]:
    """Return the waypoints of each node, by its number.

    Raises:
        TraceError: If a line is not valid in such a file.
    """
    orders = []
    for line, written in enumerate(text.split("\n"), 1):
        order = _order(written.strip(), line)
        if order is not None:
            orders.append(order)
        if len(orders) > WAYPOINTS_MOST:
            raise TraceError(line, f"the file has more than {WAYPOINTS_MOST} movements")
    if not orders:
        raise TraceError(1, "has no movements of nodes")
    nodes: dict[int, _Node] = {}
    for order in sorted(orders, key=lambda order: order.at_s):
        nodes.setdefault(order.node, _Node()).do(order)
    return {number: node.way for number, node in sorted(nodes.items())}


def _order(text: str, line: int) -> _Order | None:
    """Return what a line orders; None: nothing that moves a node."""
    at_s = 0.0
    scheduled = _AT.fullmatch(text)
    if scheduled:
        at_s = time(scheduled["at"], line)
        text = (scheduled["what"] if scheduled["what"] is not None else scheduled["braced"]).strip()
    if _SKIPPED.fullmatch(text):
        return None
    node = _NODE.fullmatch(text)
    what = node["what"] if node else ""
    jump, destination = _SET.fullmatch(what), _DESTINATION.fullmatch(what)
    if node and jump:
        return _Order(at_s, line, int(node["node"]), jump["axis"], number(jump["value"], "position in m", line))
    if node and destination:
        x, y = (number(destination[axis], "position in m", line) for axis in "xy")
        speed = number(destination["speed"], "speed in m/s", line)
        if speed < 0:
            raise TraceError(line, f"a speed of {destination['speed']} m/s is below 0")
        return _Order(at_s, line, int(node["node"]), to_m=(x, y), speed_m_s=speed)
    raise TraceError(line, f'"{text[:60]}" is not a line of a movement file of ns-2, such as $node_(0) set X_ 12.5')
