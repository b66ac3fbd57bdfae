# SPDX-License-Identifier: MIT
"""A RADIUS server."""

from __future__ import annotations

import re
from typing import Annotated, Any, ClassVar, Literal

from pydantic import AfterValidator, Field, model_validator

from lab.model.addressing import Addressed
from lab.model.base import Text, refuse
from lab.model.node import Identity, Mac, Passwd
from lab.model.raw_options import HostapdOptions

FREERADIUS = "freeradius"
_PATH = re.compile(r"[\w.-]+(/[\w.-]+)*", re.ASCII)


def _config(files: dict[str, str]) -> dict[str, str]:
    for path in files:
        if not _PATH.fullmatch(path) or ".." in path.split("/"):
            refuse(f'"{path}" is not a path in /etc/freeradius/3.0; write one such as mods-available/eap', path)
    return files


class RadiusServer(Addressed):
    """A computer that decides who may join networks with 802.1X."""

    noun: ClassVar[str] = "RADIUS server"
    authenticates: ClassVar[bool] = True

    kind: Literal["radius"] = Field(
        description="radius: a server that decides who may join the networks of access points with radius: (hostapd's "
        "RADIUS server, or FreeRADIUS)."
    )
    program: Literal["hostapd", "freeradius"] = Field(
        "hostapd",
        description="What it runs: hostapd, or freeradius, with the image freeradius. The lab writes clients, users, "
        "certificates and the EAP module over Debian's configuration.",
    )
    config: Annotated[dict[Text, Text], AfterValidator(_config)] = Field(
        {},
        description="With program: freeradius, files of yours instead of the lab's or Debian's, by their paths in "
        "/etc/freeradius/3.0: {mods-config/files/authorize: my-users}, as paths from the folder of this file.",
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

    @model_validator(mode="before")
    @classmethod
    def _image_of(cls, written: Any) -> Any:
        if isinstance(written, dict) and written.get("program") == FREERADIUS:
            return {"image": FREERADIUS, **written}
        return written

    @model_validator(mode="after")
    def _one_program(self) -> RadiusServer:
        """Refuse what only the other program has."""
        if self.config and self.program != FREERADIUS:
            refuse("needs program: freeradius; hostapd takes its options in hostapd:", key="config")
        if self.hostapd and self.program == FREERADIUS:
            refuse("freeradius is not hostapd; write its files in config:, or remove this", key="hostapd")
        return self

    def files(self) -> list[str]:
        """Return the names of its text files."""
        return list(self.config.values())

    @property
    def wired_mac(self) -> str | None:
        return self.mac
