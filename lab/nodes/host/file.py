# SPDX-License-Identifier: MIT
"""A wired host."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from lab.model.addressing import Server
from lab.model.node import Mac


class Host(Server):
    """A computer with wired links only."""

    kind: Literal["host"] = Field(description="host: a computer with wired links only.")
    mac: Mac | None = Field(None, description="MAC address of its first interface. Default: generated.")

    @property
    def wired_mac(self) -> str | None:
        return self.mac
