# SPDX-License-Identifier: MIT
"""An access point."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Annotated, Any, ClassVar, Literal

from pydantic import AfterValidator, BeforeValidator, Field, model_validator

from lab.model import channels, rates
from lab.model.base import Choice, Flag, Integer, Text, refuse
from lab.model.bss import BAND_STEERING, BSS_MOST, OF_HOSTAPD, Bss
from lab.model.cell import Cell
from lab.model.document import Keys
from lab.model.edca import Edca
from lab.model.names import INTERFACE_LENGTH_MAX
from lab.model.node import (
    WLANS_MOST,
    Node,
    Site,
    Width,
    Wireless,
    WithRadio,
    Wlan,
    not_a_number,
    width_mhz,
)
from lab.model.openflow import OpenFlowBridge
from lab.model.rates import FixedRate
from lab.nodes.sta.file import StationRadio
from lab.shared.types import Radio


def _some_rates(found: list[str]) -> list[str]:
    if not found:
        refuse("names no rate; write for example [1 Mbit/s], or leave it out for hostapd's")
    return found


def _time_units(text: str) -> str:
    """Return ``100TU`` as ``100 TU``; refuse values that hostapd does not accept."""
    found = re.fullmatch(r"(\d+) ?TU", text)
    if not found:
        refuse(f'"{text}" is not a valid beacon interval; write one in time units of 1024 us, such as 100 TU')
    if not 15 <= int(found[1]) <= 65_535:
        refuse(f"a beacon interval must be 15 TU to 65535 TU, not {found[1]} TU")
    return f"{int(found[1])} TU"


class AccessPointRadio(Bss, Wireless):
    """Keys of a radio with which hostapd makes an access point."""

    mac_key: ClassVar[tuple[str, str]] = ("bssid", "BSSID")
    raw: ClassVar[tuple[str, ...]] = ("hostapd",)
    other_names: ClassVar[Mapping[str, str]] = {
        **Node.other_names,
        **{name: f"write hostapd: {{{name}: …}}" for name in OF_HOSTAPD},
        **BAND_STEERING,
    }

    mode: Literal["b", "g", "a", "n"] = Field(
        "g", description="802.11 mode: b and g use 2.4 GHz, a uses 5 GHz, n uses the band of its channel."
    )
    channel: Integer = Field(
        1,
        description="Channel (at 40 MHz: the primary channel). 2.4 GHz: 1 to 13 (in some countries to 11); "
        "5 GHz: 36, 40, 44, 48, and in some countries 149, 153, 157, 161, 165.",
    )
    beacon_interval: Annotated[Text, AfterValidator(_time_units)] = Field(
        "100 TU",
        description="Time between beacons: 15 TU to 65535 TU, of 1024 us each (hostapd's beacon_int).",
    )
    width: Width = Field(
        "20 MHz",
        description="Channel width; 40 MHz in mode n only. The secondary channel is above channels 1 to 7, 36, 44, "
        "149 and 157, below the others. hostapd scans first: at 2.4 GHz it stays at 20 MHz if it would disturb another "
        "network, at 5 GHz it exchanges the two channels if the secondary one is another network's.",
    )
    guard_interval: Literal["short", "long"] = Field(
        "long", description="Guard interval in mode n: long (800 ns), or short (400 ns) if the peer supports it."
    )
    wmm: Flag | None = Field(
        None,
        description="Whether it uses WMM (EDCA with four access categories). Default: in mode n, which requires it.",
    )
    edca: Edca | None = Field(
        None,
        description="EDCA parameters: {voice: {txop_limit: 1504 us}}. It announces them to its stations, which use "
        "them, and uses them itself (the standard would let it differ). Needs WMM and a medium:. At 5 GHz, Linux keeps "
        "to the rules of the country: in DE and most of Europe, AIFSN and windows are not below, and TXOP limits not "
        "above, what ETSI EN 301 893 says; in the US there are no such rules. Default: hostapd's.",
    )
    basic_rates: Annotated[list[FixedRate], AfterValidator(_some_rates)] = Field(
        [],
        description="Rates that all stations must support, such as [1 Mbit/s]. Beacons use the lowest; ACK, CTS and "
        "BlockAck use the highest that is not above the rate of the frame they answer. Default: hostapd's "
        "(mode b: 1 and 2; g: 1, 2, 5.5 and 11; a: 6, 12 and 24 Mbit/s).",
    )
    bss: list[Bss] = Field(
        [],
        max_length=BSS_MOST - 1,
        description="Further networks of its radio, each with its own SSID and security on the same channel: [{ssid: "
        "guests, isolate: true}]. Their interfaces are NAME-wlan1-1, NAME-wlan1-2, …, bridged as the first one is.",
    )

    @property
    def radio_mac(self) -> str | None:
        """The MAC address given to its radio."""
        return self.bssid

    @property
    def radio_cells(self) -> list[Cell]:
        """Its networks, the first one first."""
        shared = {
            "mode": self.mode,
            "channel": self.channel,
            "width_mhz": width_mhz(self.width),
            "short_gi": self.guard_interval == "short",
            "used_rates": (*self.basic_rates, *filter(None, [self.settings["rate"]])),
            "settings": self.settings,
        }
        return [network.cell_of(**shared) for network in (self, *self.bss)]

    def resolve(self, name: str, interface: str, mac: str, site: Site) -> Radio:
        """Return its radio; report a channel or basic rate that is not allowed."""
        cell = self.radio_cells[0]
        site.check_channel(cell.channel, cell.mode, cell.width_mhz)
        self._check_basic_rates(site)
        radio = Radio(
            interface=interface,
            mac=mac,
            ssid=cell.ssid,
            mode=cell.mode,
            channel=cell.channel,
            frequency_mhz=cell.frequency_mhz,
            scan_mhz=[],
            country=site.country,
            encrypt=None,
            passwd=None,
            width_mhz=cell.width_mhz,
            ht40_secondary=channels.ht40_secondary(cell.channel) if cell.width_mhz == 40 else None,
            short_gi=cell.short_gi,
            wmm=bool(self.wmm) and self.mode != "n",
            edca=self.edca.resolve() if self.edca is not None else [],
            basic_rates=list(dict.fromkeys(self.basic_rates)),
            beacon_interval_tu=int(self.beacon_interval.split()[0]),
        )
        return replace(
            self.on(radio, site), bss=[self._further(number, radio, site) for number in range(len(self.bss))]
        )

    def _further(self, index: int, radio: Radio, site: Site) -> Radio:
        """Return the interface of a network after the first one."""
        network, here = self.bss[index], site.at("bss", index)
        interface = f"{radio.interface}-{index + 1}"
        if len(interface) > INTERFACE_LENGTH_MAX:
            here.refuse(f"the interface would be {interface}, and Linux allows {INTERFACE_LENGTH_MAX} characters; "
                        "write a shorter name of the node")  # fmt: skip
        if network.ssid in [earlier.ssid for earlier in (self, *self.bss[:index])]:
            here.refuse(f'the radio already has the network "{network.ssid}"; write another SSID', "ssid")
        mac = here.mac(network.bssid, index + 1)
        made = network.on(replace(radio, interface=interface, mac=mac), here)
        return replace(made, hostapd=[*made.hostapd, *here.raw("hostapd", network.hostapd)])

    def _check_basic_rates(self, site: Site) -> None:
        """Report rates that its mode does not have; without a valid channel the band is unknown."""
        if channels.complaint(self.channel, self.mode, site.country) is not None:
            return
        has = rates.legacy(self.mode, self.radio_cells[0].frequency_mhz / 1000)
        for index, rate in enumerate(self.basic_rates):
            if rate not in has:
                message = f"mode {self.mode} has no basic rate {rate}; choose from {', '.join(has)}"
                site.refuse(message, "basic_rates", index)

    @model_validator(mode="after")
    def _mode_n(self) -> AccessPointRadio:
        """Check keys that only mode n has, and those that it requires."""
        if self.mode == "n":
            if self.wmm is False:
                refuse("mode n needs WMM; remove this, or choose another mode", key="wmm")
            return self
        if self.width != "20 MHz":
            refuse(f"mode {self.mode} is 20 MHz wide; write mode: n for {self.width}, or remove this", key="width")
        if self.guard_interval != "long":
            refuse(
                f"mode {self.mode} has only the long guard interval; write mode: n for the short one, or remove this",
                key="guard_interval",
            )
        return self

    @model_validator(mode="after")
    def _categories(self) -> AccessPointRadio:
        if self.edca is not None and not self.wmm and self.mode != "n":
            refuse("EDCA needs WMM; write wmm: true or mode: n too, or remove this", key="edca")
        return self


class AccessPointWlan(AccessPointRadio, Wlan):
    """A further radio of an access point: another access point."""

    kind: Literal["ap"] = Field("ap", description="ap: an access point, bridged with the first one.")


class RepeaterWlan(StationRadio, Wlan):
    """A further radio of an access point that joins the network of another one, and so repeats it."""

    kind: Literal["sta"] = Field(description="sta: it joins another access point with four_address: true, and bridges.")

    def resolve(self, name: str, interface: str, mac: str, site: Site) -> Radio:
        """Return its radio; report a network that cannot be repeated."""
        radio = super().resolve(name, interface, mac, site)
        cells = site.cells(radio.ssid)
        if radio.alone or (cells and not any(cell.four_address for cell in cells)):
            site.refuse(f"a repeater bridges by 4-address frames; write four_address: true at the access points of "
                        f"{radio.ssid}", "ssid")  # fmt: skip
        elif len(cells) == 1 and site.own_cells(radio.ssid):
            site.refuse(f"only {name} itself has the network {radio.ssid}; name that of another access point", "ssid")
        elif site.own_cells(radio.ssid) and "bssid" not in self.network:
            site.refuse(f'it could join {name} itself; write network: {{bssid: "…"}} with the BSSID of the other '
                        "access point, or another ssid:", "ssid")  # fmt: skip
        return replace(radio, four_address=True)


def _kind_of_wlan(value: Any) -> str:
    """Return the kind of a radio after the first; refuse unknown ones."""
    kind = str(value.get("kind", "ap")) if isinstance(value, dict) else "ap"
    if kind not in ("ap", "sta"):
        refuse(f'"{kind}" is not a radio of an access point; write ap, or sta for a repeater')
    return kind


_AnyWlan = Annotated[
    AccessPointWlan | RepeaterWlan, Choice(_kind_of_wlan, lambda: {"ap": AccessPointWlan, "sta": RepeaterWlan})
]


class AccessPoint(AccessPointRadio, WithRadio, OpenFlowBridge):
    """An access point (hostapd) that bridges its radios and its wired ports."""

    noun: ClassVar[str] = "access point"
    first_port: ClassVar[int] = 2  # port 1 is the radio, as in Mininet-WiFi
    addressed: ClassVar[bool] = False
    radio_number: ClassVar[int | None] = 1
    loses_power: ClassVar[bool] = True

    kind: Literal["ap"] = Field(description="ap: an access point (hostapd) that bridges its radio and wired ports.")
    wlans: Annotated[list[_AnyWlan], BeforeValidator(not_a_number)] = Field(
        [],
        max_length=WLANS_MOST,
        description="Further radios, each with the keys of one: [{ssid: home, mode: a, channel: 36}]. Their interfaces "
        "are NAME-wlan2, NAME-wlan3, …, by which events, snr: and reports name them. One with kind: sta joins the "
        "network of another access point with four_address: true, and bridges: the node is a repeater.",
    )

    @property
    def further(self) -> Sequence[Wlan]:
        """Its radios after the first."""
        return self.wlans

    @property
    def servers(self) -> list[tuple[Keys, str]]:
        """The RADIUS servers of its networks, and the keys that name them."""
        radios: list[tuple[Keys, AccessPointRadio]] = [((), self)]
        further = enumerate(self.wlans)
        radios += [(("wlans", number), one) for number, one in further if isinstance(one, AccessPointRadio)]
        networks: list[tuple[Keys, Bss]] = [(keys, radio) for keys, radio in radios]
        networks += [((*keys, "bss", index), one) for keys, radio in radios for index, one in enumerate(radio.bss)]
        return [((*keys, "radius"), one.radius) for keys, one in networks if one.radius is not None]

    @property
    def has_address(self) -> bool:
        return bool(self.servers) or super().has_address

    @property
    def cells(self) -> list[Cell]:
        """The networks of all its radios, those of the first one first."""
        return [cell for radio in (self, *self.wlans) for cell in radio.radio_cells]

    @property
    def uplinks(self) -> list[str]:
        return [one.ssid for one in self.wlans if isinstance(one, RepeaterWlan) and one.ssid]

    @model_validator(mode="after")
    def _repeats(self) -> AccessPoint:
        if (self.is_programmed or self.fail_mode) and any(isinstance(one, RepeaterWlan) for one in self.wlans):
            refuse(
                "an access point that OpenFlow programs is not a repeater; remove the radio of kind: sta", key="wlans"
            )
        return self
