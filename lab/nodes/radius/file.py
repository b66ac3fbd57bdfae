# SPDX-License-Identifier: MIT
"""A RADIUS server."""

from __future__ import annotations

from typing import ClassVar, Literal

from pydantic import Field

from lab.model.addressing import Addressed
from lab.model.node import Identity, Mac, Passwd
from lab.model.raw_options import HostapdOptions


class RadiusServer(Addressed):
    """A computer that decides who may join networks with 802.1X."""

    noun: ClassVar[str] = "RADIUS server"
    authenticates: ClassVar[bool] = True

    kind: Literal["radius"] = Field(
        description="radius: a server that decides who may join the networks of access points with radius: (hostapd's "
        "RADIUS server)."
    )
    users: dict[Identity, Passwd] = Field(
        {},
        description="The passwords that it knows: {alice: espresso}. Default: those of the stations of its networks. "
        "Stations with a certificate of the lab need none.",
    )
    certificate: Literal["lab", "stranger"] = Field(
        "lab",
        description="Who signed its certificate: lab, an authority that all trust, made from the seed of the run; or "
        "stranger, which nobody trusts.",
    )
    hostapd: HostapdOptions = Field(
        {},
        description="Options of its hostapd that the lab has no key for, in its own words, such as "
        "{tls_session_lifetime: 3600}, as for access points.",
    )
    mac: Mac | None = Field(None, description="MAC address of its first interface. Default: generated.")

    @property
    def wired_mac(self) -> str | None:
        return self.mac
