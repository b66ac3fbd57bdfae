# SPDX-License-Identifier: MIT
"""An Ethernet switch."""

from __future__ import annotations

from typing import ClassVar, Literal

from pydantic import Field

from lab.model.node import Node


class Switch(Node):
    """A learning Ethernet switch (Open vSwitch) without spanning tree: links between switches must not form a loop."""

    first_port: ClassVar[int] = 1
    addressed: ClassVar[bool] = False
    bridges: ClassVar[bool] = True

    kind: Literal["switch"] = Field(description="switch: a learning Ethernet switch (Open vSwitch).")
