# SPDX-License-Identifier: MIT
"""A station."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, ClassVar, Literal

from pydantic import BeforeValidator, Field, model_validator

from lab.errors import suggestion
from lab.model import channels, rates
from lab.model.addressing import Addressed, Ip6OrWay, IpOrWay, given_ip, uses_subnets
from lab.model.adhoc import DEFAULT_CELL, AdHoc
from lab.model.base import ANY_VALUE, Flag, refuse
from lab.model.bgscan import AnyBgscan
from lab.model.cell import Cell
from lab.model.node import (
    PMF_NUMBERS,
    WITH_PASSPHRASE,
    WLANS_MOST,
    Identity,
    Mac,
    Node,
    Site,
    Ssid,
    Width,
    Wireless,
    WithRadio,
    Wlan,
    not_a_number,
    pmf_complaint,
    width_mhz,
)
from lab.model.raw_options import NetworkOptions, SupplicantOptions
from lab.shared.types import Eap, Radio, RadioOption


class StationRadio(Wireless):
    """Keys of a radio that joins a network (wpa_supplicant)."""

    joins: ClassVar[bool] = True
    raw: ClassVar[tuple[str, ...]] = ("wpa_supplicant", "network")
    other_names: ClassVar[Mapping[str, str]] = {
        **Node.other_names,
        **dict.fromkeys(("okc", "proactive_key_caching"), "write network: {proactive_key_caching: 1}"),
    }

    other_values: ClassVar[Mapping[str, Mapping[str, str]]] = {
        "eap": {
            **dict.fromkeys(("mschapv2", "ttls", "md5", "fast", "leap"), "write peap: MSCHAPv2 in a tunnel of TLS"),
            ANY_VALUE: "others are network: {eap: TTLS, phase2: '\"auth=PAP\"'}",
        },
        "network": {ANY_VALUE: "write single options, such as {priority: 5}; the network that it joins is ssid:"},
        "wpa_supplicant": {ANY_VALUE: "write single options, such as {autoscan: 'periodic:5'}"},
    }

    ssid: Ssid | None = Field(
        None, description="The network it joins. Optional if all access points have the same SSID."
    )
    mode: Literal["b", "g", "a", "n"] | None = Field(
        None,
        description="802.11 mode of its radio, if it is older than its network's: b in a network of mode g or n, g or "
        "a in one of mode n. Access point and stations then protect their frames from what it does not understand. "
        "Needs a medium:. Default: that of its network.",
    )
    width: Width | None = Field(
        None, description="20 MHz: it never uses 40 MHz, even if its network does. Default: as wide as its network."
    )
    adhoc: AdHoc | None = Field(
        None,
        description="Joins an ad hoc network instead, such as {ssid: meeting, channel: 5}; ssid:, encrypt: and "
        "passwd: apply only to networks with access points.",
    )
    bgscan: AnyBgscan | None = Field(
        None,
        description="When it scans for a better access point of its network and roams by itself: "
        "{short_interval: 5 s, signal: -65 dBm, long_interval: 60 s}, or wpa_supplicant's notation "
        "(simple:5:-65:60). Default: never; it stays until a roam event or until it loses its access point.",
    )
    eap: Literal["tls", "peap", "pwd"] | None = Field(
        None,
        description="In a network with 8021x, how it proves who it is: tls (by a certificate), peap (by a password, "
        "MSCHAPv2 in a tunnel) or pwd (by a password). Default: peap with passwd:, otherwise tls.",
    )
    identity: Identity | None = Field(
        None, description="In a network with 8021x, the name of its user. Default: the name of the node."
    )
    wps: Flag = Field(
        False,
        description="Whether it does not know the passphrase of its network, and joins it by an event wps: (the push "
        "button of WPS). The run does not wait for it.",
    )
    scan: Literal["network", "all"] = Field(
        "network",
        description="Which channels it scans: those of its network, or all, as a station that does not know where its "
        "network is; then a roam event scans all, too, which takes seconds (decision 0013).",
    )
    awaited: Flag = Field(
        True,
        description="Whether the run begins only once it is associated (it fails after 30 s). false: for a station "
        "that is refused, such as one with a wrong passphrase. No station out of range is awaited.",
    )
    power_save: Flag = Field(
        False,
        description="Whether it dozes when it neither sent nor received anything for 100 ms (mac80211's power save). "
        "Its access point keeps frames for it until it wakes after a beacon that announces them. Needs a medium:.",
    )
    wpa_supplicant: SupplicantOptions = Field(
        {},
        description="Global options of wpa_supplicant that the lab has no key for, in its own words "
        "(wpa_supplicant.conf), such as {autoscan: periodic:5}. true is 1, false 0, a list several lines. An option "
        "that wpa_supplicant refuses ends the run.",
    )
    network: NetworkOptions = Field(
        {},
        description="Options of its network block in wpa_supplicant.conf, in the same way. wpa_supplicant wants "
        """quotes around text: {bssid: "02:00:01:00:02:00", anonymous_identity: '"nobody"'}. They are the last lines """
        "of the block, so they override the lab's.",
    )
    mac: Mac | None = Field(None, description="MAC address of its radio. Default: generated.")

    @property
    def radio_mac(self) -> str | None:
        """The MAC address given to its radio."""
        return self.mac

    @model_validator(mode="after")
    def _learns(self) -> StationRadio:
        given = [key for key in ("encrypt", "passwd", "pmf", "network", "bgscan") if getattr(self, key)]
        if self.wps and given:
            refuse(
                "with wps: true, the station knows nothing of its network at first; remove one of them", key=given[0]
            )
        return self

    @model_validator(mode="after")
    def _without_ap(self) -> StationRadio:
        keys = ("ssid", "encrypt", "passwd", "pmf", "eap", "identity", "wps", "bgscan", "mode", "width", "power_save")
        given = [key for key in keys if getattr(self, key) not in (None, False)]
        if self.adhoc is not None and given:
            refuse(
                "needs a network with access points, but adhoc: is an open network without them; remove one",
                key=given[0],
            )
        return self

    def resolve(self, name: str, interface: str, mac: str, site: Site) -> Radio:
        """Return its radio; report an unknown network."""
        if self.adhoc is not None:
            return self._ad_hoc(self.adhoc, interface, mac, site)
        return self._member(name, interface, mac, site)

    def _ad_hoc(self, network: AdHoc, interface: str, mac: str, site: Site) -> Radio:
        site.check_channel(network.channel, network.mode, 20, "adhoc")
        frequency_mhz = channels.frequency_mhz(network.channel)
        return Radio(
            interface=interface,
            mac=mac,
            ssid=network.ssid,
            mode=network.mode,
            channel=network.channel,
            frequency_mhz=frequency_mhz,
            scan_mhz=[frequency_mhz],
            country=site.country,
            encrypt="open",
            passwd=None,
            ibss_bssid=network.bssid or DEFAULT_CELL,
            short_slots=network.short_slots,
        )

    def _member(self, name: str, interface: str, mac: str, site: Site) -> Radio:
        """Return the radio of a station; what it does not set itself comes from the access points of its network."""
        ssid = self._joined(name, site)
        cells = self._joinable(site.cells(ssid), site)
        first = cells[0] if cells else None
        encrypt: str | None = self.encrypt
        passwd = self.passwd
        if encrypt is None and first is not None:
            encrypt, passwd = first.encrypt, passwd or first.passwd
        eap = self._eap(name, ssid, encrypt, site)
        if passwd is not None and cells and encrypt not in (*WITH_PASSPHRASE, "8021x"):
            what = "has no passphrase (encrypt: owe)" if encrypt == "owe" else "is not encrypted"
            site.refuse(f"{ssid} {what}; remove this, or write encrypt: wpa2 at its access points", "passwd")
        without_ht = self.mode not in (None, "n") and any(cell.mode == "n" for cell in cells)
        wide_mhz = 20 if without_ht else min((cell.width_mhz for cell in cells), default=20)
        own_mhz = width_mhz(self.width) if self.width else wide_mhz
        if own_mhz > wide_mhz and cells:
            site.refuse(f"{ssid} is 20 MHz wide; write width: 40 MHz at its access points, or remove this", "width")
        return Radio(
            interface=interface,
            mac=mac,
            ssid=ssid,
            mode=self.mode or (first.mode if first is not None else "g"),
            channel=None,
            frequency_mhz=None,
            scan_mhz=sorted({mhz for cell in cells for mhz in _primary_mhz(cell, site)}),
            country=site.country,
            encrypt=encrypt or "open",
            passwd=passwd,
            # what all access points of its network support
            width_mhz=min(own_mhz, wide_mhz),
            short_gi=not without_ht and bool(cells) and all(cell.short_gi for cell in cells),
            without_ht=without_ht,
            without_ht40=own_mhz < wide_mhz,
            dsss_only=self.mode == "b" and any(cell.mode != "b" for cell in cells),
            power_save=self.power_save,
            eap=eap,
            wps=self.wps,
            scan_all=self.scan == "all",
            awaited=self.awaited,
            bgscan=str(self.bgscan) if self.bgscan is not None else None,
            mobility_domain=next((cell.mobility_domain for cell in cells if cell.mobility_domain), None),
            network=list(self._options(encrypt, cells, site)),
        )

    def _eap(self, name: str, ssid: str, encrypt: str | None, site: Site) -> Eap | None:
        """Return how it proves who it is; report what contradicts its network or itself."""
        if encrypt != "8021x":
            given = [key for key in ("eap", "identity", "certificate") if getattr(self, key) not in (None, "lab")]
            if given:
                site.refuse(f"{ssid} does not ask who joins; write encrypt: 8021x there, or remove this", given[0])
            return None
        method = self.eap or ("tls" if self.passwd is None else "peap")
        if method == "tls" and self.passwd is not None:
            site.refuse("eap: tls has a certificate instead of a password; remove one of them", "passwd")
        if method != "tls" and self.passwd is None:
            site.refuse(f"{method} needs a password; write passwd: with 8 to 63 characters", "eap")
        if method != "tls" and self.certificate != "lab":
            site.refuse(f"a station with {method} has no certificate; write eap: tls, or remove this", "certificate")
        return Eap(self.identity or name, method, self.certificate)

    def _options(self, encrypt: str | None, cells: list[Cell], site: Site) -> Iterator[RadioOption]:
        """Yield what its keys and those of its network are in the words of wpa_supplicant's network block."""
        adopted = next((cell.pmf for cell in cells), None) if self.encrypt is None else None
        pmf = self.pmf or adopted
        if pmf is not None and (wrong := pmf_complaint(pmf, encrypt)):
            site.refuse(wrong, "pmf")
        elif pmf is not None:
            yield site.option("ieee80211w", PMF_NUMBERS[pmf], "pmf")
        if any(cell.hidden for cell in cells):
            yield site.option("scan_ssid", 1, "ssid")

    def _joinable(self, cells: list[Cell], site: Site) -> list[Cell]:
        """Return the access points of its network that its mode can join; report a network without any."""
        wrong = any(channels.complaint(cell.channel, cell.mode, site.country) is not None for cell in cells)
        if self.mode is None or not cells or wrong:  # a wrong channel is reported where it is written
            return cells
        can = [rates.compatible(cell.mode, cell.frequency_mhz / 1000) for cell in cells]
        found = [cell for cell, modes in zip(cells, can, strict=True) if self.mode in modes]
        if not found:
            listed = " or ".join(dict.fromkeys(mode for modes in can for mode in modes))
            first = cells[0]
            site.refuse(
                f"a radio of mode {self.mode} cannot join {first.ssid}, which uses mode {first.mode} on channel "
                f"{first.channel}; write mode: {listed}, or remove this",
                "mode",
            )
            return cells
        newer = [cell for cell in found if cell.mode != self.mode]
        foreign = [rate for cell in newer for rate in cell.used_rates if rate not in rates.MODES[self.mode]]
        if foreign:
            site.refuse(
                f"a radio of mode {self.mode} does not have {foreign[0]}, which an access point of {found[0].ssid} "
                "requires by its rate: or basic_rates:; change those, or remove this",
                "mode",
            )
        return found

    def _joined(self, name: str, site: Site) -> str:
        """Return the network to join: the given one, or the only one."""
        known = list(dict.fromkeys(cell.ssid for cell in site.cells()))
        if self.ssid is None and not known:
            site.refuse("there is no access point; add one, such as ap1: {kind: ap, ssid: home}", "ssid")
            return ""
        if self.ssid is None and len(known) == 1:
            return known[0]
        if self.ssid is None:
            listed = ", ".join(known)
            site.refuse(f"there are several networks ({listed}); write ssid: for the network that {name} joins", "ssid")
            return ""
        if self.ssid not in known:
            listed = f"; known: {', '.join(known)}" if known else ""
            site.warn(
                f'no access point has the SSID "{self.ssid}"{suggestion(self.ssid, known)}{listed}; {name} starts '
                "unassociated",
                "ssid",
            )
        return self.ssid


class StationWlan(StationRadio, Wlan):
    """A further radio of a station."""

    kind: Literal["sta"] = Field("sta", description="sta: a radio that joins a network.")
    ip: IpOrWay | None = Field(
        None,
        description="IPv4 address, in another subnet than those of the other interfaces; dhcp: from a DHCP server of "
        "its network's segment; none. Default: none; in a topology of several subnets, the next free one of its "
        "network's subnet.",
    )
    ip6: Ip6OrWay | None = Field(
        None,
        description="IPv6 address in the ip6: of its network's subnet, such as 2001:db8:1::5; slaac, dhcp or none, as "
        "for a node. Default: the number of its IPv4 address in that subnet.",
    )

    @property
    def given_ip(self) -> str | None:
        """The IP address given to it."""
        return given_ip(self.ip)


class Station(StationRadio, WithRadio, Addressed):
    """A computer with a radio that joins a network (wpa_supplicant)."""

    other_names: ClassVar[Mapping[str, str]] = {
        **StationRadio.other_names,
        "dhcp": "a client of DHCP is ip: dhcp; hosts and routers can be servers",
    }
    noun: ClassVar[str] = "station"
    first_port: ClassVar[int] = 1
    radio_number: ClassVar[int | None] = 0

    kind: Literal["sta"] = Field(description="sta: a computer with a radio (wpa_supplicant).")
    wlans: Annotated[list[StationWlan], BeforeValidator(not_a_number)] = Field(
        [],
        max_length=WLANS_MOST,
        description="Further radios, each with the keys of one: [{ssid: office}]. Their interfaces are NAME-wlan1, "
        "NAME-wlan2, …, by which events, snr: and reports name them.",
    )

    @property
    def further(self) -> Sequence[Wlan]:
        """Its radios after the first."""
        return self.wlans

    @property
    def uses_subnets(self) -> bool:
        return super().uses_subnets or any(uses_subnets(one.ip, one.ip6) for one in self.wlans)


def _primary_mhz(cell: Cell, site: Site) -> Iterator[int]:
    """Yield where the primary channel of a network may be.

    At 5 GHz hostapd exchanges it with the secondary one if another network has that for its primary channel.
    """
    yield cell.frequency_mhz
    above = channels.ht40_secondary(cell.channel) == "+"
    secondary_mhz = cell.frequency_mhz + (20 if above else -20)
    taken = any(other.frequency_mhz == secondary_mhz for other in site.cells())
    if cell.width_mhz == 40 and channels.band(cell.channel) == "5" and taken:
        yield secondary_mhz
