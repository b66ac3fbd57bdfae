# SPDX-License-Identifier: MIT
"""Base class of all events."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Annotated, Any, Protocol, TypeVar

from pydantic import Field

from lab.model.base import Model, Moment
from lab.model.one_of import OneOf, by_key
from lab.registry import Room

if TYPE_CHECKING:
    from lab.shared import types as plan

S = TypeVar("S")


class Scene(Protocol):
    """What an event can ask about the network that it affects.

    If a lookup fails, it reports the mistake, about the event's ``key``, and returns nothing.
    """

    def nodes(self, name: str, key: str, fits: Callable[[plan.Node], object] = bool) -> list[plan.Node]:
        """Return the node of that name, or the nodes of that role; messages about an unknown one list what ``fits``."""

    def access_points(self) -> list[plan.Node]:
        """Return the radios that are access points, each as a node."""

    def link(self, name: str, key: str) -> plan.Link | None:
        """Return the wired link of that name."""

    def state(self, state_type: type[S]) -> S:
        """Return what earlier events have noted in that class of theirs; at first it has no content."""

    def position(self, node: plan.Node) -> tuple[float, float, float] | None:
        """Return the position of the node at the time of the event, in m."""

    def place(self, name: str, key: str) -> tuple[float, float, float] | None:
        """Return the coordinates of a name of positions:, in m."""

    def move(self, node: plan.Node, to_m: tuple[float, float, float], speed_m_s: float | None) -> None:
        """Move the node there from then on."""

    def has_medium(self) -> bool:
        """Return whether the topology has a medium other than the perfect one."""

    def processes(self, name: str, key: str) -> list[str]:
        """Return the ids of the processes of that name."""

    def fill(self, argv: list[str], node: plan.Node, key: str) -> list[str]:
        """Return the arguments for that node, with placeholders such as ``{server.ip}`` replaced."""

    def refuse(self, message: str, key: str) -> None:
        """Report a mistake."""


Resolved = Iterator[tuple[str, dict[str, Any]]]


class Event(Model):
    """Something that happens at a time. The key that names the kind holds the target."""

    at: Moment = Field(description="When it happens, from the start of the run.")

    @abstractmethod
    def resolve(self, scene: Scene) -> Resolved:
        """Yield target and parameters (in base units) for the plan, one pair for each target."""

    @classmethod
    def summary(cls, params: Mapping[str, Any]) -> str:
        """Return what it does to its target, from the parameters in the plan."""
        return ", ".join(f"{key}: {value}" for key, value in params.items())


EVENTS = Room("events", Event, part="file")
AnyEvent = Annotated[Event, OneOf(EVENTS, by_key)]


def summary(kind: str, params: Mapping[str, Any]) -> str:
    """Return what an event of a plan or record does to its target."""
    found = EVENTS.get(kind) if kind in EVENTS.known() else Event  # its stack may have been removed since the run
    return found.summary(params)


def stations(scene: Scene, name: str, key: str, verb: str) -> Iterator[plan.Node]:
    """Yield the stations of that name which have access points; report other nodes. ``verb``: what stations do."""
    for node in scene.nodes(name, key, lambda node: node.kind == "sta"):
        if node.kind != "sta":
            article = "an" if node.kind[0] in "aeiou" else "a"
            scene.refuse(f"{node.name} is not a station (it is {article} {node.kind}); only stations {verb}", key)
        elif node.radio is not None and node.radio.alone:
            scene.refuse(f"{node.name} is in an ad hoc network, which has no access points", key)
        else:
            yield node
