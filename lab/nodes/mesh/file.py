# SPDX-License-Identifier: MIT
"""A mesh point.

Not modelled: 40 MHz, meshes of pure 802.11b.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import ClassVar, Literal

from pydantic import Field, model_validator

from lab.model import channels
from lab.model.addressing import Addressed
from lab.model.base import Flag, Integer, refuse
from lab.model.mesh_params import MeshParams
from lab.model.node import Mac, Passwd, Site, Ssid, Transmitter, WithRadio
from lab.model.raw_options import NetworkOptions, SupplicantOptions
from lab.shared.types import MeshPoint, Radio, RadioOption

_ROOT, _GATE = "mesh_hwmp_rootmode", "mesh_gate_announcements"  # iw's parameters
_RANN = 4  # root announcements (IEEE 802.11-2020 14.10.12)


class Mesh(Transmitter, WithRadio, Addressed):
    """A computer with a radio that forwards for others of its mesh (802.11s)."""

    noun: ClassVar[str] = "mesh point"
    first_port: ClassVar[int] = 1
    radio_number: ClassVar[int | None] = 0
    loses_power: ClassVar[bool] = True
    raw: ClassVar[tuple[str, ...]] = ("wpa_supplicant", "network")
    other_names: ClassVar[Mapping[str, str]] = {
        **Addressed.other_names,
        **dict.fromkeys(("ssid", "meshid", "mesh"), "mesh_id"),
        **dict.fromkeys(("mp_params", "mesh_param", "params"), "mesh_params"),
        "width": "a mesh is 20 MHz wide; remove this",
        "bssid": "mac",
    }

    kind: Literal["mesh"] = Field(description="mesh: a computer with a radio that is part of a mesh (802.11s).")
    mesh_id: Ssid = Field(description="Name of the mesh. Nodes with the same one, on the same channel, form one.")
    channel: Integer = Field(
        1,
        description="Channel, 20 MHz wide. 2.4 GHz: 1 to 13 (11 in some countries); 5 GHz: 36, 40, 44, 48, and in some "
        "countries 149, 153, 157, 161, 165.",
    )
    mode: Literal["g", "a", "n"] = Field(
        "g", description="802.11 amendment: g uses 2.4 GHz, a uses 5 GHz, n uses either (the channel decides)."
    )
    encrypt: Literal["open", "wpa3"] | None = Field(
        None, description="Encryption of its links: open, or wpa3 (SAE, and keys for each pair). Default: open."
    )
    passwd: Passwd | None = Field(None, description="Passphrase of a mesh with wpa3, 8 to 63 characters.")
    root: Flag = Field(
        False,
        description="Whether it announces itself as a root, so that all others keep a path to it (HWMP, RANN).",
    )
    gate: Flag = Field(
        False,
        description="Whether it bridges the mesh with its wired links, and announces that. It is then a root, too, and "
        "its address is that of the bridge, br0.",
    )
    mesh_params: MeshParams = Field(
        {},
        description="Parameters of the mesh in iw's words (iw dev … set mesh_param), such as {mesh_hwmp_rootmode: 3, "
        "mesh_rssi_threshold: -80}.",
    )
    awaited: Flag = Field(
        True,
        description="Whether the run begins only once it has a link with each mesh point that it hears well (with 10 "
        "dB SNR or more), or with one of the others (it fails after 30 s). false: for one that is refused, such as one "
        "with a wrong passphrase.",
    )
    wpa_supplicant: SupplicantOptions = Field(
        {}, description="Global options of wpa_supplicant that the lab has no key for, as those of a station."
    )
    network: NetworkOptions = Field(
        {}, description="Options of its network block in wpa_supplicant.conf, as those of a station."
    )
    mac: Mac | None = Field(None, description="MAC address of its radio. Default: generated.")

    @property
    def radio_mac(self) -> str | None:
        """The MAC address given to its radio."""
        return self.mac

    @property
    def bridges(self) -> bool:
        return self.gate

    @property
    def backhaul(self) -> str | None:
        return self.mesh_id

    @classmethod
    def value_hint(cls, key: str, word: str) -> str:
        """Say what a mesh has instead of other encryptions."""
        if key == "encrypt":
            return "; a mesh has SAE: write wpa3, or open"
        return super().value_hint(key, word)

    @model_validator(mode="after")
    def _protected(self) -> Mesh:
        if self.passwd is not None and self.encrypt != "wpa3":
            refuse("a passphrase needs encrypt: wpa3", key="passwd")
        if self.encrypt == "wpa3" and self.passwd is None:
            refuse("wpa3 needs a passphrase; write passwd: with 8 to 63 characters", key="encrypt")
        return self

    @model_validator(mode="after")
    def _once(self) -> Mesh:
        if self.root and _ROOT in self.mesh_params:
            refuse(f"mesh_params has {_ROOT}, which says how it is a root; remove one of them", key="root")
        if self.gate and _GATE in self.mesh_params:
            refuse(f"mesh_params has {_GATE}, which it sets; remove one of them", key="gate")
        return self

    def resolve(self, name: str, interface: str, mac: str, site: Site) -> Radio:
        """Return its radio."""
        site.check_channel(self.channel, self.mode, 20)
        frequency_mhz = channels.frequency_mhz(self.channel)
        return Radio(
            interface=interface,
            mac=mac,
            ssid=self.mesh_id,
            mode=self.mode,
            channel=self.channel,
            frequency_mhz=frequency_mhz,
            scan_mhz=[frequency_mhz],
            country=site.country,
            encrypt=self.encrypt or "open",
            passwd=self.passwd,
            awaited=self.awaited,
            mesh=MeshPoint(self.gate, list(self._params(site))),
        )

    def _params(self, site: Site) -> Iterator[RadioOption]:
        if self.root:
            yield site.option(_ROOT, _RANN, "root")
        for name, value in self.mesh_params.items():
            yield site.option(name, value, "mesh_params", name)
        if self.gate:  # last: the kernel makes a gate that is not yet a root one that sends RANN
            yield site.option(_GATE, 1, "gate")
