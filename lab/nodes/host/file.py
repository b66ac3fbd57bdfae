# SPDX-License-Identifier: MIT
"""A wired host."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from lab.model.node import Ip, Mac, Node


class Host(Node):
    """A computer with wired links only."""

    kind: Literal["host"] = Field(description="host: a computer with wired links only.")
    ip: Ip | None = Field(
        None, description="IPv4 address of its first interface, such as 10.0.0.1/8. Default: the next free one."
    )
    mac: Mac | None = Field(None, description="MAC address of its first interface. Default: generated.")

    @property
    def wired_mac(self) -> str | None:
        return self.mac

    @property
    def given_ip(self) -> str | None:
        return self.ip
