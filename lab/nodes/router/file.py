# SPDX-License-Identifier: MIT
"""A router."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Literal

from pydantic import Field

from lab.model.addressing import Server
from lab.model.base import ANY_VALUE, Texts
from lab.model.node import Mac


class Router(Server):
    """A computer that forwards packets between its segments, each of which has a subnet of its own."""

    routes_packets: ClassVar[bool] = True

    kind: Literal["router"] = Field(
        description="router: forwards packets between its segments. With a router, each segment has its own subnet."
    )
    mac: Mac | None = Field(None, description="MAC address of its first interface. Default: generated.")
    other_values: ClassVar[Mapping[str, Mapping[str, str]]] = {
        "nat": {ANY_VALUE: "write the segments to which it hides the others, such as [s1]"},
    }

    nat: Texts = Field(
        [],
        description="Segments, as in subnets:, to which it hides all others behind its address there (masquerading). "
        "Their nodes have no routes to the hidden ones.",
    )

    @property
    def wired_mac(self) -> str | None:
        return self.mac
