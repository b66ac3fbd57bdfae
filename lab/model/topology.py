# SPDX-License-Identifier: MIT
"""Topology files: places, with what moves there and when."""

from __future__ import annotations

import ipaddress
from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, Literal, cast

from pydantic import AfterValidator, Field

from lab.errors import suggestion
from lab.model import groups
from lab.model.base import Choice, Later, Model, Text, refuse
from lab.model.groups import Nodes
from lab.model.links import Link
from lab.model.names import NodeName
from lab.model.node import Node
from lab.model.registry import kinds, pick_kind
from lab.model.timeline import AnyEvent
from lab.shared.kinds import NODES

if TYPE_CHECKING:
    from lab.model.medium import Medium

AnyNode = Annotated[Node, Choice(lambda value: pick_kind(NODES, value), lambda: kinds(NODES))]
AllNodes = Annotated[dict[NodeName, AnyNode], Field(min_length=1), AfterValidator(groups.expand)]


def _subnet(text: str) -> str:
    try:
        network = ipaddress.IPv4Network(text)
    except ValueError:
        refuse(f'"{text}" is no IPv4 network; write one like 10.0.0.0/8')
    if network.prefixlen > 30:
        refuse(f'"{text}" has no room for two nodes; write a wider one, such as 10.0.0.0/8')
    return text


def _country(text: str) -> str:
    if len(text) != 2 or not (text.isascii() and text.isalpha() and text.isupper()):
        refuse(f'"{text}" is no country code; write two capital letters, such as DE')
    return text


PERFECT = "perfect"


def _medium(value: Any) -> str:
    """Whether radios are on the stock medium or on one that is described."""
    if isinstance(value, dict):
        return "described"
    if value != PERFECT:
        shown = "nothing" if value is None else f'"{value}"'
        refuse(
            f"{shown} is no medium{suggestion(str(value), [PERFECT])}; write {PERFECT}, or keys and values "
            "({} takes every default)"
        )
    return PERFECT


def _described() -> Any:
    from lab.model.medium import Medium

    return Medium


if TYPE_CHECKING:
    AnyMedium = Medium | None
else:
    AnyMedium = Annotated[
        Any,
        Choice(_medium, lambda: {PERFECT: Literal[PERFECT], "described": Annotated[Any, Later(_described)]}),
        AfterValidator(lambda value: None if value == PERFECT else value),
    ]


class Topology(Model):
    """Nodes, the links between them and what happens to them."""

    name: Text = Field(description="Its name, usually that of the file.")
    about: Text = Field("", description="One sentence on what it is for.")
    country: Annotated[Text, AfterValidator(_country)] = Field(
        "DE", description="Whose radio rules hold (ISO 3166-1 alpha-2), for all nodes: one place, one law."
    )
    subnet: Annotated[Text, AfterValidator(_subnet)] = Field(
        "10.0.0.0/8", description="Where hosts and stations get their addresses from, in order of listing."
    )
    nodes: AllNodes = Field(description="The nodes by name.")
    links: list[Link] = Field([], description="The wired links.")
    medium: AnyMedium = Field(
        cast(Any, PERFECT),
        validate_default=True,
        description="What radios hear of each other: perfect (everything, at once, at any distance) "
        "or an 802.11 medium with the keys below; {} takes every default.",
    )
    timeline: list[AnyEvent] = Field([], description="What happens, and when.")

    @property
    def groups(self) -> Mapping[str, tuple[str, ...]]:
        """Names written with ``count:``, and the nodes that each of them means."""
        return self.nodes.groups if isinstance(self.nodes, Nodes) else {}
