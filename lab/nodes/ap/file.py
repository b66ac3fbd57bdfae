# SPDX-License-Identifier: MIT
"""An access point."""

from __future__ import annotations

import re
from typing import Annotated, ClassVar, Literal

from pydantic import AfterValidator, Field, model_validator

from lab.model import channels, rates
from lab.model.base import Flag, Integer, Text, refuse
from lab.model.node import Cell, Mac, Site, Ssid, Width, Wireless, width_mhz
from lab.model.rates import FixedRate
from lab.shared.types import Radio


def _mobility_domain(text: str) -> str:
    """The two octets of a mobility domain identifier (IEEE 802.11-2020 9.4.2.46), in lower case."""
    if not re.fullmatch(r"[0-9A-Fa-f]{4}", text):
        refuse(f'"{text}" is no mobility domain; write four hexadecimal digits, such as {DEFAULT_MOBILITY_DOMAIN}')
    return text.lower()


def _time_units(text: str) -> str:
    """``100TU`` as ``100 TU``; refuses what hostapd does not take."""
    found = re.fullmatch(r"(\d+) ?TU", text)
    if not found:
        refuse(f'"{text}" is no beacon interval; write one in time units of 1024 us, such as 100 TU')
    if not 15 <= int(found[1]) <= 65_535:
        refuse(f"a beacon interval is 15 TU to 65535 TU, not {found[1]} TU")
    return f"{int(found[1])} TU"


DEFAULT_MOBILITY_DOMAIN = "a1b2"  # Mininet-WiFi's examples have it


class AccessPoint(Wireless):
    """An access point (hostapd) that bridges its radio and its wired ports."""

    first_port: ClassVar[int] = 2  # port 1 is the radio, as in Mininet-WiFi
    addressed: ClassVar[bool] = False
    bridges: ClassVar[bool] = True
    radio_number: ClassVar[int | None] = 1
    mac_key: ClassVar[tuple[str, str]] = ("bssid", "BSSID")

    kind: Literal["ap"] = Field(description="ap: an access point (hostapd) that bridges its radio and wired ports.")
    ssid: Ssid = Field(description="Name of the network. Access points with one SSID are one network.")
    mode: Literal["b", "g", "a", "n"] = Field(
        "g", description="802.11 amendment: b and g use 2.4 GHz, a uses 5 GHz, n either (by its channel)."
    )
    channel: Integer = Field(
        1,
        description="Its channel (of 40 MHz: the primary one). 2.4 GHz: 1 to 13 (in some countries to 11); "
        "5 GHz: 36, 40, 44, 48.",
    )
    beacon_interval: Annotated[Text, AfterValidator(_time_units)] = Field(
        "100 TU",
        description="From beacon to beacon: 15 TU to 65535 TU, of 1024 us each (hostapd's beacon_int).",
    )
    width: Width = Field(
        "20 MHz",
        description="Width of its channel; 40 MHz in mode n only. The second half is above channels 1 to 7, 36, 44, "
        "149 and 157, below the others. hostapd scans first and stays at 20 MHz where another network is in the way.",
    )
    guard_interval: Literal["short", "long"] = Field(
        "long", description="Between symbols of mode n: long (800 ns), or short (400 ns) where the peer can do it."
    )
    wmm: Flag | None = Field(
        None,
        description="Whether it has WMM, four access categories with EDCA. If nothing is said: in mode n, which "
        "cannot do without.",
    )
    fast_transition: Flag = Field(
        False,
        description="Whether stations come from and go to its neighbours by fast BSS transition over the air "
        "(802.11r, Mininet-WiFi's ieee80211r): without the four-way handshake. Needs encrypt: wpa2 or wpa3. Who cannot "
        "do it joins as ever.",
    )
    mobility_domain: Annotated[Text, AfterValidator(_mobility_domain)] | None = Field(
        None,
        description="Access points of one SSID between which transitions are fast have the same four hexadecimal "
        f"digits here. If nothing is said: {DEFAULT_MOBILITY_DOMAIN}.",
    )
    basic_rates: list[FixedRate] = Field(
        [],
        description="The rates that all stations must have, such as [1 Mbit/s]: beacons go at the lowest, ACK, CTS and "
        "BlockAck at the highest not above that of the frame they answer. If nothing is said: as hostapd has them "
        "(mode b: 1 and 2; g: 1, 2, 5.5 and 11; a: 6, 12 and 24 Mbit/s).",
    )
    bssid: Mac | None = Field(None, description="MAC address of its radio. If nothing is said: one is made.")

    @property
    def radio_mac(self) -> str | None:
        """The address given to its radio."""
        return self.bssid

    @property
    def cell(self) -> Cell:
        """Its network."""
        domain = self.mobility_domain or DEFAULT_MOBILITY_DOMAIN
        return Cell(
            ssid=self.ssid,
            mode=self.mode,
            channel=self.channel,
            width_mhz=width_mhz(self.width),
            short_gi=self.guard_interval == "short",
            encrypt=self.encrypt,
            passwd=self.passwd,
            mobility_domain=domain if self.fast_transition else None,
        )

    def resolve(self, name: str, mac: str, site: Site) -> Radio:
        """Its radio; reports a channel or a basic rate that it cannot have."""
        cell = self.cell
        site.check_channel(cell.channel, cell.mode, cell.width_mhz)
        self._check_basic_rates(site)
        return Radio(
            interface=self.interface(name),
            mac=mac,
            ssid=cell.ssid,
            mode=cell.mode,
            channel=cell.channel,
            frequency_mhz=cell.frequency_mhz,
            scan_mhz=[],
            country=site.country,
            encrypt=self.encrypt or "open",
            passwd=self.passwd,
            width_mhz=cell.width_mhz,
            ht40_secondary=channels.ht40_secondary(cell.channel) if cell.width_mhz == 40 else None,
            short_gi=cell.short_gi,
            wmm=bool(self.wmm) and self.mode != "n",
            mobility_domain=cell.mobility_domain,
            basic_rates=list(dict.fromkeys(self.basic_rates)),
            beacon_interval_tu=int(self.beacon_interval.split()[0]),
        )

    def _check_basic_rates(self, site: Site) -> None:
        """Report rates that its mode does not have; of a wrong channel the band is not known."""
        if channels.complaint(self.channel, self.mode, site.country) is not None:
            return
        has = rates.legacy(self.mode, self.cell.frequency_mhz / 1000)
        for index, rate in enumerate(self.basic_rates):
            if rate not in has:
                message = f"mode {self.mode} has no basic rate {rate}; choose from {', '.join(has)}"
                site.refuse(message, "basic_rates", index)

    @model_validator(mode="after")
    def _mode_n(self) -> AccessPoint:
        """What only mode n has, and what it cannot be without."""
        if self.mode == "n":
            if self.wmm is False:
                refuse("mode n needs WMM; leave this out, or choose another mode", key="wmm")
            return self
        if self.width != "20 MHz":
            refuse(f"mode {self.mode} is 20 MHz wide; write mode: n for {self.width}, or leave this out", key="width")
        if self.guard_interval != "long":
            refuse(
                f"mode {self.mode} has the long guard interval only; write mode: n for short ones, or leave this out",
                key="guard_interval",
            )
        return self

    @model_validator(mode="after")
    def _transition(self) -> AccessPoint:
        """Keys are what makes a transition slow, so there must be some."""
        if self.mobility_domain is not None and not self.fast_transition:
            refuse("a mobility domain needs fast_transition: true beside it", key="mobility_domain")
        if self.fast_transition and self.encrypt not in ("wpa2", "wpa3"):
            refuse(
                "an open network has no keys that a fast transition could spare; write encrypt: wpa2 or wpa3 and "
                "passwd:, or leave this out",
                key="fast_transition",
            )
        return self
