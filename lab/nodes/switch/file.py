# SPDX-License-Identifier: MIT
"""An Ethernet switch."""

from __future__ import annotations

from typing import ClassVar, Literal

from pydantic import Field, model_validator

from lab.model.base import refuse
from lab.model.openflow import OpenFlowBridge


class Switch(OpenFlowBridge):
    """An Ethernet switch (Open vSwitch) that learns addresses, or that OpenFlow programs."""

    first_port: ClassVar[int] = 1
    addressed: ClassVar[bool] = False

    kind: Literal["switch"] = Field(description="switch: a learning Ethernet switch (Open vSwitch).")

    @model_validator(mode="after")
    def _own_vlan(self) -> Switch:
        if self.vlan is not None and self.ip is None:
            refuse("is that of its own address (ip:); for a port, write vlan: in the link", key="vlan")
        return self
