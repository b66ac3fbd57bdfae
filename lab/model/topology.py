# SPDX-License-Identifier: MIT
"""Topology files: nodes, links, the medium, and what changes over time."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, cast

from pydantic import AfterValidator, Field, WrapValidator

from lab import units
from lab.errors import suggestion
from lab.model import groups
from lab.model.addressing import Network, Subnets
from lab.model.base import ANY_VALUE, INCLUDE, Choice, Later, Model, Position, Quantity, Text, Texts, refuse
from lab.model.countries import COUNTRIES
from lab.model.event import AnyEvent
from lab.model.groups import Nodes
from lab.model.links import Link
from lab.model.names import NodeName, Title
from lab.model.node import GUEST_MOST_BYTES, NODES, Node
from lab.model.one_of import OneOf, by_kind
from lab.model.uncertain import UncertainParameters
from lab.model.what_if import WhatIf

if TYPE_CHECKING:
    from lab.model.medium import Medium
    from lab.model.mobility import Mobility

AnyNode = Annotated[Node, OneOf(NODES, by_kind), WrapValidator(groups.vary)]
GUEST_LEAST_BYTES = 256 << 20
_ALGORITHM = re.compile(r"[A-Za-z0-9_-]{1,32}", re.ASCII)
AllNodes = Annotated[dict[NodeName, AnyNode], Field(min_length=1), AfterValidator(groups.expand)]


def _rate_control(text: str) -> str:
    if not _ALGORITHM.fullmatch(text):
        refuse(f'"{text}" is not a valid name of a rate control; write one such as minstrel_ht')
    return text


_FROM, _TO = datetime(1980, 1, 1, tzinfo=UTC), datetime(2100, 1, 1, tzinfo=UTC)


def _start(text: str) -> str:
    """Check a date, or a date and time of UTC; return it as ISO 8601 has it."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        refuse(f'"{text}" is not a valid date; write one such as 2026-11-27, or "2026-11-27 08:00:00"')
    if moment.tzinfo is not None:
        refuse("a start is always UTC; leave out the time zone")
    moment = moment.replace(tzinfo=UTC)
    if not _FROM <= moment < _TO:
        refuse(f'"{text}" must be from 1980 to 2099')
    return moment.isoformat()


def start_ns(text: str) -> int:
    """Return a checked start in nanoseconds since 1970."""
    return int(datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp()) * 1_000_000_000


def _country(text: str) -> str:
    if len(text) != 2 or not (text.isascii() and text.isalpha() and text.isupper()):
        refuse(f'"{text}" is not a valid country code; write two capital letters, such as DE')
    if text not in COUNTRIES:
        refuse(f'no radio regulations are known for "{text}"; write a code of ISO 3166-1, such as DE, GB or US')
    return text


PERFECT = "perfect"


def _medium(value: Any) -> str:
    if isinstance(value, dict):
        return "described"
    if value != PERFECT:
        shown = "nothing" if value is None else f'"{value}"' if value is not True else '"true"'
        refuse(
            f"{shown} is not a valid medium{suggestion(str(value), [PERFECT])}; write {PERFECT}, or a mapping "
            "({} takes every default)"
        )
    return PERFECT


def _described() -> Any:
    from lab.model.medium import Medium

    return Medium


def _mobility() -> Any:
    from lab.model.mobility import AnyMobility

    return AnyMobility


if TYPE_CHECKING:
    AnyMedium = Medium | None
    AnyMobility = Mobility
else:
    AnyMobility = Annotated[Any, Later(_mobility)]
    AnyMedium = Annotated[
        Any,
        Choice(_medium, lambda: {PERFECT: Literal[PERFECT], "described": Annotated[Any, Later(_described)]}),
        AfterValidator(lambda value: None if value == PERFECT else value),
    ]


class Topology(Model):
    """Nodes, the links between them and the events of a run."""

    other_names: ClassVar[Mapping[str, str]] = {
        **dict.fromkeys(
            ("roles", "duration", "processes", "probes", "metrics", "checks", "files"),
            "it belongs in a workload, which is a separate file",
        ),
        **dict.fromkeys(
            ("wlans", "stations", "accesspoints", "aps", "hosts", "switches"),
            "each node is an entry of nodes:, such as sta1: {kind: sta}",
        ),
        "propagation": "it belongs in medium:",
        **dict.fromkeys(("date", "time", "clock"), "start"),
    }

    name: Title = Field(description="Name, usually that of the file.")
    about: Text = Field("", description="What it is for, in one sentence.")
    include: Texts = Field([], description=INCLUDE)
    country: Annotated[Text, AfterValidator(_country)] = Field(
        "DE", description="Country whose radio regulations apply to all nodes (ISO 3166-1 alpha-2)."
    )
    subnet: Network = Field(
        "10.0.0.0/8", description="Network from which hosts and stations get their addresses, in file order."
    )
    subnets: Subnets = Field(
        {},
        description="Subnets by segment, in a topology with several: {s1: 10.1.0.0/24, ap2: {ip: 10.2.0.0/24, ip6: "
        "2001:db8:2::/64}}. A segment is what switches and access points bridge; any of them names it, or a link "
        "between two other nodes, or the SSID of an ad hoc network. Default: with a router, each segment has a /24 of "
        "subnet:; without one, all nodes are in that.",
    )
    start: Annotated[Text, AfterValidator(_start)] = Field(
        "2026-01-01",
        description='What the clocks of all nodes show when the guest boots, in UTC: 2026-11-27, or "2026-11-27 '
        '08:00:00". Programs that check certificates need a date at which these are valid. Default: 2026-01-01.',
    )
    console_level: Literal["error", "warning", "notice", "info", "debug"] = Field(
        "warning",
        description="Least important messages of the guest's kernel that go to console.log: info for pr_info, debug "
        "for all.",
    )
    rate_control: Annotated[Text, AfterValidator(_rate_control)] | None = Field(
        None,
        description="The algorithm by which all radios without rate: choose their rates, by its name in the kernel. It "
        "may be that of a module (modules: of a workload). Default: minstrel_ht.",
    )
    memory: Annotated[int, Quantity(units.SIZE, least=GUEST_LEAST_BYTES, most=GUEST_MOST_BYTES)] | None = Field(
        None,
        description="Memory of the guest, for all nodes together, 256 MiB to 256 GiB. Default: 1 GiB, or more if there "
        "are many nodes and processes, or nodes with an image.",
    )
    nodes: AllNodes = Field(description="The nodes, by name.")
    positions: dict[Text, Position] = Field(
        {}, description="Positions by name, such as {desk: [4 m, 0 m, 1 m]}, for position: of nodes."
    )
    links: list[Link] = Field([], description="The wired links.")
    medium: AnyMedium = Field(
        cast(Any, PERFECT),
        validate_default=True,
        description="How radios hear each other: perfect (every frame, instantly, at any distance) "
        "or an 802.11 medium with the keys below; {} takes every default.",
    )
    mobility: list[AnyMobility] = Field(
        [],
        description="How nodes move by themselves: entries with a model:, which name the nodes. The seed of the run "
        "decides what is random; each node has its own random numbers, so others can be added. Needs a medium: to "
        "have an effect.",
    )
    timeline: list[AnyEvent] = Field([], description="Events, and when they happen.")
    uncertain: UncertainParameters = Field({})
    what_if: WhatIf = Field({})

    other_values: ClassVar[Mapping[str, Mapping[str, str]]] = {
        "nodes": {ANY_VALUE: "begin each node with its name: sta1: {kind: sta}"},
        "subnets": {ANY_VALUE: "begin each subnet with a switch, an access point or a link in it: {s1: 10.1.0.0/24}"},
    }

    @property
    def groups(self) -> Mapping[str, tuple[str, ...]]:
        """Names written with ``count:``, and the nodes of each."""
        return self.nodes.groups if isinstance(self.nodes, Nodes) else {}
