# SPDX-License-Identifier: MIT
"""Topology files: places, with what moves there and when."""

from __future__ import annotations

import ipaddress
from typing import Annotated

from pydantic import AfterValidator, Field

from lab.model.base import Choice, Model, Text, refuse
from lab.model.links import Link
from lab.model.names import NodeName
from lab.model.nodes.base import Node
from lab.model.registry import kinds, pick_kind
from lab.model.timeline import AnyEvent

NODES = "lab.model.nodes"

AnyNode = Annotated[Node, Choice(lambda value: pick_kind(NODES, value), lambda: kinds(NODES))]


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
    nodes: dict[NodeName, AnyNode] = Field(min_length=1, description="The nodes by name.")
    links: list[Link] = Field([], description="The wired links.")
    timeline: list[AnyEvent] = Field([], description="What happens, and when.")
