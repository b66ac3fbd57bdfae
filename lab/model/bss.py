# SPDX-License-Identifier: MIT
"""A network of an access point: one of those that its radio has on its channel (a BSS)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Annotated, Any, ClassVar

from pydantic import AfterValidator, Field, model_validator

from lab.model.base import ANY_VALUE, Flag, Integer, Text, refuse
from lab.model.cell import Cell
from lab.model.names import INTERFACE_LENGTH_MAX
from lab.model.node import PMF_NUMBERS, WITH_PASSPHRASE, Identity, Mac, Node, Passwd, Protected, Site, Ssid
from lab.model.raw_options import HostapdOptions
from lab.model.vlans import Vlan
from lab.shared.types import Eap, Radio, RadioOption, RadiusClient

_OPTIONS = {  # keys of an access point that are options of hostapd
    "hidden": ["ignore_broadcast_ssid"],
    "isolate": ["ap_isolate"],
    "dtim_period": ["dtim_period"],
    "multicast_to_unicast": ["multicast_to_unicast"],
    "rrm": ["rrm_neighbor_report", "rrm_beacon_report"],
    "btm": ["bss_transition"],
    "four_address": ["wds_sta"],
}
_PUSH_BUTTON: Mapping[str, int | str] = {"wps_state": 2, "eap_server": 1, "config_methods": "virtual_push_button"}
OF_HOSTAPD = (  # options that users may write next to the keys of the node
    "accept_mac_file",
    "ap_max_inactivity",
    "deny_mac_file",
    "disassoc_low_ack",
    "ht_capab",
    "macaddr_acl",
    "max_num_sta",
    "okc",
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
BAND_STEERING = dict.fromkeys(
    ("band_steering", "bandsteering", "bandsteer", "no_probe_resp_if_seen_on", "no_auth_if_seen_on"),
    "write hostapd: {no_probe_resp_if_seen_on: ap1-wlan2, no_auth_if_seen_on: ap1-wlan2} at the radio of 2.4 GHz, and "
    "hostapd: {track_sta_max_num: 100} at that of 5 GHz",
)
BSS_MOST = 8  # of a radio
_OF_RADIO = (
    "antenna_gain", "basic_rates", "beacon_interval", "channel", "edca", "guard_interval", "mode", "position",
    "txpower", "width", "wmm",
)  # fmt: skip


def _mobility_domain(text: str) -> str:
    """Check the two octets of a mobility domain identifier (IEEE 802.11-2020 9.4.2.46); return them in lower case."""
    if not re.fullmatch(r"[0-9A-Fa-f]{4}", text):
        example = DEFAULT_MOBILITY_DOMAIN
        refuse(f'"{text}" is not a valid mobility domain; write four hexadecimal digits, such as {example}')
    return text.lower()


class Bss(Protected):
    """A network of an access point."""

    other_names: ClassVar[Mapping[str, str]] = {
        **Node.other_names,
        **{name: f"write hostapd: {{{name}: …}}" for name in OF_HOSTAPD},
        **BAND_STEERING,
        **dict.fromkeys(_OF_RADIO, "all networks of a radio share it; write it next to bss:"),
        "mac": "bssid",
    }

    other_values: ClassVar[Mapping[str, Mapping[str, str]]] = {
        "users": {ANY_VALUE: "write names with their passwords: {alice: espresso}"},
        "radius": {ANY_VALUE: "write the name of a node of kind: radius, which has an address and a secret by itself"},
        "hostapd": {ANY_VALUE: "write single options, such as {dtim_period: 3, ap_isolate: true}"},
    }

    ssid: Ssid = Field(description="Name of the network. Access points with the same SSID form one network.")
    vlan: Vlan | None = Field(
        None,
        description="The VLAN of its stations, and of the access point's own address (ip:), if this is its first "
        "network. Default: none: untagged frames.",
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
    radius: Text | None = Field(
        None,
        description="With encrypt: 8021x, the RADIUS server that decides who may join, a node of kind: radius. The "
        "access point then has an address of its own and asks over the wire. Default: its own EAP server decides.",
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
    four_address: Flag = Field(
        False,
        description="Whether repeaters may join it: access points with a radio of kind: sta in wlans:, which bridges "
        "by 4-address frames (WDS). Other stations join as usual.",
    )
    wps: Flag = Field(
        False,
        description="Whether it has a push button (WPS): an event wps: presses it, and the station learns the "
        "passphrase. Needs encrypt: wpa2 or wpa2/wpa3.",
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
    bssid: Mac | None = Field(None, description="MAC address of its radio. Default: generated.")
    hostapd: HostapdOptions = Field(
        {},
        description="Options of hostapd that the lab has no key for, in its own words (hostapd.conf), such as "
        "{dtim_period: 2, ap_isolate: true}. They are the last lines of its configuration, so they override the lab's. "
        "true is 1, false 0, a list several lines. An option that hostapd refuses ends the run.",
    )

    @property
    def transition_domain(self) -> str | None:
        """The mobility domain in which stations make fast transitions, if they can."""
        return (self.mobility_domain or DEFAULT_MOBILITY_DOMAIN) if self.fast_transition else None

    def cell_of(self, **shared: Any) -> Cell:
        """Return the network; ``shared`` is what all networks of the radio have."""
        return Cell(
            ssid=self.ssid,
            encrypt=self.encrypt,
            passwd=self.passwd,
            pmf=self.pmf,
            hidden=self.hidden,
            mobility_domain=self.transition_domain,
            vlan=self.vlan or 0,
            four_address=self.four_address,
            **shared,
        )

    def on(self, radio: Radio, site: Site) -> Radio:
        """Return ``radio`` with this network; report one whose repeaters would have no interface."""
        members = max(1, site.members(self.ssid))
        last = f"{radio.interface}.sta{members}"  # hostapd's name for that of a repeater: by its association
        late = f"as the last of {members} to join, " if members > 1 else ""
        longer = len(last) - INTERFACE_LENGTH_MAX
        if self.four_address and longer > 0:
            site.refuse(
                f"{late}a repeater's interface would be {last}, and Linux allows {INTERFACE_LENGTH_MAX} "
                f"characters; write a name of the node that is {longer} shorter, or this in the radio's first network",
                "four_address",
            )
        return replace(
            radio,
            ssid=self.ssid,
            encrypt=self.encrypt or "open",
            passwd=self.passwd,
            mobility_domain=self.transition_domain,
            hostapd=list(self._options(site)),
            wps=self.wps,
            vlan=self.vlan or 0,
            eap=Eap("", None, self.certificate, self.users) if self.encrypt == "8021x" and not self.radius else None,
            radius=RadiusClient(self.radius) if self.radius else None,
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

    @model_validator(mode="after")
    def _push_button(self) -> Bss:
        """Refuse WPS where hostapd would silently turn it off."""
        if self.wps and self.encrypt not in ("wpa2", "wpa2/wpa3"):
            refuse("WPS hands out a passphrase of WPA2; write encrypt: wpa2 or wpa2/wpa3, or remove this", key="wps")
        if self.wps and self.hidden:
            refuse("a hidden network has no WPS; remove hidden: or this", key="wps")
        return self

    @model_validator(mode="after")
    def _decides(self) -> Bss:
        """Refuse two that decide who may join, or none."""
        for key in ("users", "radius"):
            if getattr(self, key) and self.encrypt != "8021x":
                refuse("needs encrypt: 8021x; write it, or remove this", key=key)
        if self.radius is not None and self.users:
            refuse(f"{self.radius} decides who may join; write users: there, or remove this", key="users")
        if self.radius is not None and self.certificate != "lab":
            refuse(f"stations see the certificate of {self.radius}; write this there", key="certificate")
        return self

    @model_validator(mode="after")
    def _transition(self) -> Bss:
        """Refuse fast transition in an open network: it saves the key handshake."""
        if self.four_address and self.vlan is not None:
            refuse("repeaters bridge to untagged frames; remove vlan: or this", key="four_address")
        if self.mobility_domain is not None and not self.fast_transition:
            refuse("a mobility domain needs fast_transition: true", key="mobility_domain")
        if self.fast_transition and self.encrypt not in (*WITH_PASSPHRASE, "8021x"):
            refuse(
                "fast transition needs an encrypted network; write encrypt: wpa2 or wpa3 and passwd:, or remove this",
                key="fast_transition",
            )
        return self
