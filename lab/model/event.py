# SPDX-License-Identifier: MIT
"""What every event has."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Protocol

from pydantic import Field

from lab.model.base import Model, Moment

if TYPE_CHECKING:
    from lab.shared import types as plan


class Scene(Protocol):
    """What an event may ask about the network it happens to.

    Lookups report a mistake themselves, about the event's ``key``, and then find nothing.
    """

    def nodes(self, name: str, key: str) -> list[plan.Node]:
        """The node of that name, or the nodes of that role."""

    def link(self, name: str, key: str) -> plan.Link | None:
        """The wired link of that name."""

    def netem(self, link: plan.Link) -> plan.Netem:
        """What the link does at the time of the event."""

    def set_netem(self, link: plan.Link, netem: plan.Netem) -> None:
        """What it does from then on."""

    def position(self, node: plan.Node) -> tuple[float, float, float] | None:
        """Where the node is at the time of the event, in m."""

    def move(self, node: plan.Node, to_m: tuple[float, float, float], speed_m_s: float | None) -> None:
        """Let it go there from then on."""

    def has_medium(self) -> bool:
        """Whether radios are on a medium of the topology's, not on the perfect one."""

    def processes(self, name: str, key: str) -> list[str]:
        """Ids of the processes of that name."""

    def fill(self, argv: list[str], node: plan.Node, key: str) -> list[str]:
        """Arguments with ``{server.ip}`` and the like filled in, for that node."""

    def refuse(self, message: str, key: str) -> None:
        """Report a mistake."""


Resolved = Iterator[tuple[str, dict[str, Any]]]


class Event(Model):
    """Something that happens at a time. The key that names the kind holds the target."""

    at: Moment = Field(description="When it happens, from the start of the run.")

    @abstractmethod
    def resolve(self, scene: Scene) -> Resolved:
        """Targets and parameters (in base units) as the plan has them: one pair for each target."""
