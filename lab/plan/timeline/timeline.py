# SPDX-License-Identifier: MIT
"""Merges the timelines of topology and workload by time; of simultaneous events the topology's come first."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, field
from typing import Any, TypeVar

from lab import units
from lab.errors import suggestion, unknown
from lab.model.document import Keys
from lab.model.event import EVENTS
from lab.model.event import Event as EventModel
from lab.model.topology import Topology
from lab.model.workload import Workload
from lab.plan.network.network import PlannedNetwork, unknown_position
from lab.plan.problems import Problems, ValidatedFile
from lab.plan.timeline.movement import Courses, Position
from lab.plan.workload.placeholders import Names
from lab.shared.mobility_types import Way
from lab.shared.types import Event, Link, Node, Process, radios

S = TypeVar("S")


@dataclass(frozen=True)
class _Written:
    """An event and its location in a file."""

    source: ValidatedFile[Any]
    keys: Keys
    model: EventModel
    kind: str


@dataclass
class _State:
    """What events have changed so far."""

    courses: Courses
    of_events: dict[type, Any] = field(default_factory=dict)


@dataclass
class _Scene:
    """What events may ask about the plan; see ``lab.model.event.Scene``."""

    network: PlannedNetwork
    names: Names
    process_ids: dict[str, list[str]]
    problems: Problems
    event: _Written
    changed: _State

    def nodes(self, name: str, key: str, fits: Callable[[Node], object] = bool) -> list[Node]:
        found = self.names.nodes_of(name)
        if found is None:
            known = [one for one in self.names.known() if any(map(fits, self.names.nodes_of(one) or ()))]
            meant = suggestion(name, known) or self.names.suggestion(name)
            self.refuse(f'unknown node "{name}"{meant}; known: {", ".join(known) or "none"}', key)
        return found or []

    def access_points(self) -> list[Node]:
        return [one for one in radios(self.network.nodes) if one.kind == "ap"]

    def link(self, name: str, key: str) -> Link | None:
        turned = "-".join(reversed(name.split("-")))
        links = {link.name: link for link in self.network.links}
        found = links.get(name) or links.get(turned)
        if found is None:
            self.refuse(unknown("link", name, links, "known links"), key)
        return found

    def state(self, state_type: type[S]) -> S:
        found: S = self.changed.of_events.setdefault(state_type, state_type())
        return found

    def position(self, node: Node) -> Position | None:
        return self.changed.courses.position_m(node, self.event.model.at)

    def place(self, name: str, key: str) -> Position | None:
        known = self.network.source.model.positions
        if name not in known:
            self.refuse(unknown_position(name, known), key)
        return known.get(name)

    def move(self, node: Node, to_m: Position, speed_m_s: float | None) -> None:
        if node.name in self.changed.courses.ways:
            where = self.network.source.document.where(("mobility",))
            self.refuse(f"{node.name} moves by itself ({where}); to move it, take it out of mobility:", "move")
            return
        self.changed.courses.move(node, self.event.model.at, to_m, speed_m_s)

    def has_medium(self) -> bool:
        return self.network.source.model.medium is not None

    def processes(self, name: str, key: str) -> list[str]:
        if name not in self.process_ids:
            self.refuse(unknown("process", name, self.process_ids, "known processes"), key)
        return self.process_ids.get(name, [])

    def fill(self, argv: list[str], node: Node, key: str) -> list[str]:
        source, keys = self.event.source, self.event.keys
        return [
            self.names.fill(word, node, self.problems.at(source, (*keys, key, index)))
            for index, word in enumerate(argv)
        ]

    def refuse(self, message: str, key: str) -> None:
        self.problems.add(self.event.source, (*self.event.keys, key), message)


@dataclass
class _Alone(_Scene):
    """The scene of a topology by itself: a workload can still add processes, bind roles and set positions."""

    roles: Collection[str] = ()  # roles that a workload may bind; to which nodes is not known

    def nodes(self, name: str, key: str, fits: Callable[[Node], object] = bool) -> list[Node]:
        return [] if name in self.roles else super().nodes(name, key, fits)

    def processes(self, name: str, key: str) -> list[str]:
        return []

    def fill(self, argv: list[str], node: Node, key: str) -> list[str]:
        return argv

    def position(self, node: Node) -> Position | None:
        return super().position(node) or (0.0, 0.0, 0.0)

    def move(self, node: Node, to_m: Position, speed_m_s: float | None) -> None:
        placed = super().position(node) is not None  # otherwise a move of the workload may come before
        super().move(node, to_m, speed_m_s if placed else None)


def check_alone(
    topology: ValidatedFile[Topology],
    network: PlannedNetwork,
    names: Names,
    roles: Collection[str],
    ways: Iterable[Way],
    problems: Problems,
) -> None:
    """Report mistakes in the timeline of a topology that it has with any workload.

    ``roles``: those that it offers; ``ways``: of nodes that move by themselves.
    """
    state = _State(Courses(ways={way.node: way.waypoints for way in ways}))
    for event in sorted(_written(topology, topology.model.timeline), key=lambda event: event.model.at):
        scene = _Alone(network, names, {}, problems, event, state, roles)
        for _ in event.model.resolve(scene):
            pass


def resolve(
    topology: ValidatedFile[Topology],
    workload: ValidatedFile[Workload],
    network: PlannedNetwork,
    names: Names,
    processes: list[Process],
    ways: Iterable[Way],
    problems: Problems,
    doubtful: Collection[str] = (),
) -> tuple[list[Event], Courses]:
    """Return all events in order of time, and how nodes move: by events, and by themselves on ``ways``.

    ``doubtful`` are names of processes with a mistake: events may name them.
    """
    ids: dict[str, list[str]] = {name: [] for name in doubtful}
    for process in processes:
        ids.setdefault(process.name, []).append(process.id)
    written = _written(topology, topology.model.timeline) + _written(workload, workload.model.timeline)
    written.sort(key=lambda event: event.model.at)
    found: list[Event] = []
    state = _State(Courses(ways={way.node: way.waypoints for way in ways}))
    for event in written:
        _check_time(event, workload, problems)
        scene = _Scene(network, names, ids, problems, event, state)
        where = event.source.document.where(event.keys)
        found += [
            Event(event.model.at, event.kind, target, params, where) for target, params in event.model.resolve(scene)
        ]
    return found, state.courses


def _written(source: ValidatedFile[Any], timeline: list[EventModel]) -> list[_Written]:
    return [
        _Written(source, ("timeline", index), model, EVENTS.name_of(type(model)))
        for index, model in enumerate(timeline)
    ]


_OTHERS_EVENTS = "make duration: longer, or run without these events: --set topology.timeline=[]"


def _check_time(event: _Written, workload: ValidatedFile[Workload], problems: Problems) -> None:
    """Report an event at or after the end of the run."""
    end = workload.model.duration
    if event.model.at < end:
        return
    at, length = units.DURATION.format(event.model.at), units.DURATION.format(end)
    where = workload.document.where(("duration",))
    relation = "after" if event.model.at > end else "at"
    problems.add(
        event.source,
        (*event.keys, "at"),
        f"{at} is {relation} the end of the run (duration: {length}, {where})",
        _OTHERS_EVENTS if event.source is not workload else None,
    )
