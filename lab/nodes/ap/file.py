# SPDX-License-Identifier: MIT
"""An access point."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Annotated, ClassVar, Literal

from pydantic import AfterValidator, Field, model_validator

from lab.model import channels, rates
from lab.model.base import Flag, Integer, Text, refuse
from lab.model.cell import Cell
from lab.model.edca import Edca
from lab.model.node import PMF_NUMBERS, WITH_PASSPHRASE, Identity, Mac, Passwd, Site, Ssid, Width, Wireless, width_mhz
from lab.model.openflow import OpenFlowBridge
from lab.model.rates import FixedRate
from lab.model.raw_options import HostapdOptions
from lab.model.vlans import Vlan
from lab.shared.types import Eap, Radio, RadioOption


def _mobility_domain(text: str) -> str:
    """Check the two octets of a mobility domain identifier (IEEE 802.11-2020 9.4.2.46); return them in lower case."""
    if not re.fullmatch(r"[0-9A-Fa-f]{4}", text):
        example = DEFAULT_MOBILITY_DOMAIN
        refuse(f'"{text}" is not a valid mobility domain; write four hexadecimal digits, such as {example}')
    return text.lower()


def _time_units(text: str) -> str:
    """Return ``100TU`` as ``100 TU``; refuse values that hostapd does not accept."""
    found = re.fullmatch(r"(\d+) ?TU", text)
    if not found:
        refuse(f'"{text}" is not a valid beacon interval; write one in time units of 1024 us, such as 100 TU')
    if not 15 <= int(found[1]) <= 65_535:
        refuse(f"a beacon interval must be 15 TU to 65535 TU, not {found[1]} TU")
    return f"{int(found[1])} TU"


_OPTIONS = {  # keys of an access point that are options of hostapd
    "hidden": ["ignore_broadcast_ssid"],
    "isolate": ["ap_isolate"],
    "dtim_period": ["dtim_period"],
    "multicast_to_unicast": ["multicast_to_unicast"],
    "rrm": ["rrm_neighbor_report", "rrm_beacon_report"],
    "btm": ["bss_transition"],
}
_PUSH_BUTTON: Mapping[str, int | str] = {"wps_state": 2, "eap_server": 1, "config_methods": "virtual_push_button"}
_OF_HOSTAPD = (  # options that users may write next to the keys of the node
    "accept_mac_file",
    "ap_max_inactivity",
    "deny_mac_file",
    "disassoc_low_ack",
    "ht_capab",
    "macaddr_acl",
    "max_num_sta",
    "no_probe_resp_if_max_sta",
    "preamble",
    "rsn_pairwise",
    "skip_inactivity_poll",
    "supported_rates",
    "uapsd_advertisement_enabled",
    "vendor_elements",
    "wpa_group_rekey",
    "wpa_pairwise",
)
DEFAULT_MOBILITY_DOMAIN = "a1b2"  # as in Mininet-WiFi's examples


class AccessPoint(Wireless, OpenFlowBridge):
    """An access point (hostapd) that bridges its radio and its wired ports."""

    noun: ClassVar[str] = "access point"
    first_port: ClassVar[int] = 2  # port 1 is the radio, as in Mininet-WiFi
    addressed: ClassVar[bool] = False
    bridges: ClassVar[bool] = True
    radio_number: ClassVar[int | None] = 1
    mac_key: ClassVar[tuple[str, str]] = ("bssid", "BSSID")
    raw: ClassVar[tuple[str, ...]] = ("hostapd",)
    other_names: ClassVar[Mapping[str, str]] = {
        **Wireless.other_names,
        **{name: f"write hostapd: {{{name}: …}}" for name in _OF_HOSTAPD},
    }

    kind: Literal["ap"] = Field(description="ap: an access point (hostapd) that bridges its radio and wired ports.")
    ssid: Ssid = Field(description="Name of the network. Access points with the same SSID form one network.")
    mode: Literal["b", "g", "a", "n"] = Field(
        "g", description="802.11 mode: b and g use 2.4 GHz, a uses 5 GHz, n uses the band of its channel."
    )
    vlan: Vlan | None = Field(
        None,
        description="The VLAN of its stations, and of its own address (ip:). Default: none: untagged frames.",
    )
    channel: Integer = Field(
        1,
        description="Channel (at 40 MHz: the primary channel). 2.4 GHz: 1 to 13 (in some countries to 11); "
        "5 GHz: 36, 40, 44, 48.",
    )
    beacon_interval: Annotated[Text, AfterValidator(_time_units)] = Field(
        "100 TU",
        description="Time between beacons: 15 TU to 65535 TU, of 1024 us each (hostapd's beacon_int).",
    )
    dtim_period: Integer | None = Field(
        None,
        ge=1,
        le=255,
        description="Broadcast and multicast frames follow every so many beacons if a station dozes (hostapd's "
        "dtim_period), 1 to 255. Default: 2.",
    )
    hidden: Flag = Field(
        False,
        description="Whether its beacons leave out the SSID. Stations of its network then ask for it by name.",
    )
    isolate: Flag = Field(
        False, description="Whether it forwards nothing between its own stations (hostapd's ap_isolate)."
    )
    multicast_to_unicast: Flag = Field(
        False,
        description="Whether it sends multicast and broadcast IP packets to each station by itself, as unicast frames "
        "with their rates, ACKs and retries.",
    )
    users: dict[Identity, Passwd] = Field(
        {},
        description="With encrypt: 8021x, the passwords that its EAP server (hostapd's own) knows: {alice: espresso}. "
        "Default: those of the stations of its network. Whoever has a certificate of the lab needs none.",
    )
    rrm: Flag = Field(
        False,
        description="Whether it takes part in radio measurements (802.11k): stations can ask it for its neighbours, "
        "the access points with its SSID, and it can ask them what they hear.",
    )
    btm: Flag = Field(
        False,
        description="Whether it takes part in BSS transition management (802.11v): events steer: suggest other access "
        "points to its stations.",
    )
    wps: Flag = Field(
        False,
        description="Whether it has a push button (WPS): an event wps: presses it, and the station learns the "
        "passphrase. Needs encrypt: wpa2 or wpa2/wpa3.",
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
    fast_transition: Flag = Field(
        False,
        description="Whether stations roam between this access point and its neighbours by fast BSS transition over "
        "the air (802.11r, Mininet-WiFi's ieee80211r), without the four-way handshake. Needs encrypt: wpa2 or wpa3. "
        "Stations without 802.11r join as usual.",
    )
    mobility_domain: Annotated[Text, AfterValidator(_mobility_domain)] | None = Field(
        None,
        description="Four hexadecimal digits, the same at all access points of one SSID between which fast "
        f"transitions are possible. Default: {DEFAULT_MOBILITY_DOMAIN}.",
    )
    basic_rates: list[FixedRate] = Field(
        [],
        description="Rates that all stations must support, such as [1 Mbit/s]. Beacons use the lowest; ACK, CTS and "
        "BlockAck use the highest that is not above the rate of the frame they answer. Default: hostapd's "
        "(mode b: 1 and 2; g: 1, 2, 5.5 and 11; a: 6, 12 and 24 Mbit/s).",
    )
    bssid: Mac | None = Field(None, description="MAC address of its radio. Default: generated.")
    hostapd: HostapdOptions = Field(
        {},
        description="Options of hostapd that the lab has no key for, in its own words (hostapd.conf), such as "
        "{dtim_period: 2, ap_isolate: true}. They are the last lines of its configuration, so they override the lab's. "
        "true is 1, false 0, a list several lines. An option that hostapd refuses ends the run.",
    )

    @property
    def radio_mac(self) -> str | None:
        """The MAC address given to its radio."""
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
            pmf=self.pmf,
            hidden=self.hidden,
            mobility_domain=domain if self.fast_transition else None,
            vlan=self.vlan or 0,
            used_rates=(*self.basic_rates, *filter(None, [self.settings["rate"]])),
            settings=self.settings,
        )

    def resolve(self, name: str, mac: str, site: Site) -> Radio:
        """Return its radio; report a channel or basic rate that is not allowed."""
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
            edca=self.edca.resolve() if self.edca is not None else [],
            mobility_domain=cell.mobility_domain,
            basic_rates=list(dict.fromkeys(self.basic_rates)),
            beacon_interval_tu=int(self.beacon_interval.split()[0]),
            hostapd=list(self._options(site)),
            wps=self.wps,
            vlan=cell.vlan,
            eap=Eap("", None, self.certificate, self.users) if self.encrypt == "8021x" else None,
        )

    def _options(self, site: Site) -> Iterator[RadioOption]:
        """Yield what its keys are in hostapd's words, unless they are at their defaults."""
        if self.pmf is not None:
            yield site.option("ieee80211w", PMF_NUMBERS[self.pmf], "pmf")
        if self.wps:
            yield from (site.option(option, value, "wps") for option, value in _PUSH_BUTTON.items())
        for key, options in _OPTIONS.items():
            value = getattr(self, key)
            if value not in (None, False):
                yield from (site.option(option, int(value), key) for option in options)

    def _check_basic_rates(self, site: Site) -> None:
        """Report rates that its mode does not have; without a valid channel the band is unknown."""
        if channels.complaint(self.channel, self.mode, site.country) is not None:
            return
        has = rates.legacy(self.mode, self.cell.frequency_mhz / 1000)
        for index, rate in enumerate(self.basic_rates):
            if rate not in has:
                message = f"mode {self.mode} has no basic rate {rate}; choose from {', '.join(has)}"
                site.refuse(message, "basic_rates", index)

    @model_validator(mode="after")
    def _mode_n(self) -> AccessPoint:
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
    def _push_button(self) -> AccessPoint:
        """Refuse WPS where hostapd would silently turn it off."""
        if self.wps and self.encrypt not in ("wpa2", "wpa2/wpa3"):
            refuse("WPS hands out a passphrase of WPA2; write encrypt: wpa2 or wpa2/wpa3, or remove this", key="wps")
        if self.wps and self.hidden:
            refuse("a hidden network has no WPS; remove hidden: or this", key="wps")
        return self

    @model_validator(mode="after")
    def _categories(self) -> AccessPoint:
        if self.edca is not None and not self.wmm and self.mode != "n":
            refuse("EDCA needs WMM; write wmm: true or mode: n too, or remove this", key="edca")
        return self

    @model_validator(mode="after")
    def _transition(self) -> AccessPoint:
        """Refuse fast transition in an open network: it saves the key handshake."""
        if self.mobility_domain is not None and not self.fast_transition:
            refuse("a mobility domain needs fast_transition: true", key="mobility_domain")
        if self.users and self.encrypt != "8021x":
            refuse("needs encrypt: 8021x; write it, or remove this", key="users")
        if self.fast_transition and self.encrypt not in (*WITH_PASSPHRASE, "8021x"):
            refuse(
                "fast transition needs an encrypted network; write encrypt: wpa2 or wpa3 and passwd:, or remove this",
                key="fast_transition",
            )
        return self
