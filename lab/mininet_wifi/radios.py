# SPDX-License-Identifier: MIT
"""Radios of nodes, with the attributes and methods of Mininet-WiFi's.

Before the network is built, they have what the script has said. Then they ask wpa_supplicant and hostapd, whose answers
are what the script's own ``iw`` would show.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal, Protocol

from lab.guest.hostap_config import wpa_supplicant_conf
from lab.guest.network.nodes import LabIntf
from lab.mininet_wifi import words
from lab.mininet_wifi.errors import NotBuilt, ScriptError, caller, unavailable
from lab.mininet_wifi.waiting import looked
from lab.shared import types

_JOIN_NS = 5_000_000_000  # in virtual time: to scan a channel and to associate takes 0.2 s
_NOT_ASSOCIATED = 0  # the rssi of a radio without an access point, in Mininet-WiFi


class RadioOwner(Protocol):
    """What radios need of the network."""

    def ask_daemon(self, radio: str, request: str) -> str:
        """Return what wpa_supplicant or hostapd answers for a radio; empty if it does not run."""

    def await_event(self, radio: str, event: str, within_ns: int) -> bool:
        """Wait for an event of that daemon from now on; return whether it came."""

    def radio_with(self, mac: str) -> WirelessIntf | None:
        """Return the radio of an access point with that BSSID."""

    def radios(self) -> Iterator[WirelessIntf]:
        """Return all radios."""


class WirelessIntf(LabIntf):
    """A radio of a node: ``sta1.wintfs[0]``. ``plan``: what it has become; None before the network is built."""

    id: int
    node: Any
    plan: types.Radio | None
    ssid: str
    mode: str
    txpower: float
    antennaGain: float
    antennaHeight: float
    range: float
    encrypt: str | None
    passwd: str | None
    _channel: int | None

    def __init__(self, node: Any, number: int, name: str) -> None:
        """Take over what the script says of it; ``become`` makes it an interface."""
        params = node.params
        self.node, self.id, self.name, self.plan, self.link = node, number, name, None, None
        self.mac = words.of_radio(params, "mac", number)
        self.ip, _, self.prefixLen = (words.of_radio(params, "ip", number) or "").partition("/")
        self.ssid, self.mode = (words.of_radio(params, key, number) or "" for key in ("ssid", "mode"))
        self.mode = self.mode or "g"
        self.encrypt, self.passwd = (words.of_radio(params, key, number) for key in ("encrypt", "passwd"))
        channel = words.of_radio(params, "channel", number) or "1"
        self._channel = int(channel) if channel.isdecimal() else None
        self.txpower = float(words.of_radio(params, "txpower", number) or words.TXPOWER_DBM)
        self.antennaGain = float(words.of_radio(params, "antennaGain", number) or words.ANTENNA_GAIN_DBI)
        self.antennaHeight = words.height_m(params)
        self.range = float(words.of_radio(params, "range", number) or 0)

    def become(self, made: LabIntf, radio: types.Radio, range_m: float) -> None:
        """Become the interface that has been made."""
        self.__dict__.update(made.__dict__)
        self.plan, self.ssid, self.mode, self._channel = radio, radio.ssid, radio.mode, radio.channel
        self.encrypt, self.passwd = radio.encrypt, radio.passwd
        self.txpower = self.txpower if radio.txpower_dbm is None else radio.txpower_dbm
        self.antennaGain = self.antennaGain if radio.antenna_gain_dbi is None else radio.antenna_gain_dbi
        self.range = round(range_m, 2)

    def __getattr__(self, name: str) -> Any:
        """Explain what is missing."""
        if name.startswith("__"):
            raise AttributeError(name)
        if self.__dict__.get("plan") is None:
            raise NotBuilt(f"{name} of {self.__dict__.get('name')} is known once the network is built", caller())
        raise AttributeError(f"the lab's radios have no {name}; docs/mininet-wifi.md says what they have")

    @property
    def radio(self) -> str:
        """The name of the radio in a topology: that of its node, or of the interface after the first one."""
        return self.node.name if self.id == 0 else self.name

    def _net(self) -> RadioOwner:
        net: RadioOwner = self.node.net
        return net

    def _ask(self, request: str) -> dict[str, str]:
        looked()  # in a loop that waits, virtual time must pass
        answer = self._net().ask_daemon(self.radio, request) if self.plan is not None else ""
        return dict(line.split("=", 1) for line in answer.splitlines() if "=" in line)

    # A station's

    @property
    def rssi(self) -> int:
        """The level of its access point, in dBm; 0 without one."""
        return int(self._ask("SIGNAL_POLL").get("RSSI", _NOT_ASSOCIATED))

    @property
    def associatedTo(self) -> WirelessIntf | Literal[""]:
        """The radio of its access point; empty without one."""
        status = self._ask("STATUS")
        found = self._net().radio_with(status.get("bssid", "")) if status.get("wpa_state") == "COMPLETED" else None
        return found or ""

    @property
    def apsInRange(self) -> dict[str, int]:
        """The level of each access point that its last scan found, in dBm."""
        found = {}
        for line in self._net().ask_daemon(self.radio, "SCAN_RESULTS").splitlines()[1:]:
            bssid, _, level, *_ = line.split("\t")
            if (ap := self._net().radio_with(bssid)) is not None:
                found[ap.node.name] = int(level)
        return found

    def associate(self, ap: WirelessIntf) -> None:
        """Join an access point, as ``iw connect`` does: it leaves the one that it has first."""
        if self.plan is None or ap.plan is None:
            raise NotBuilt(f"{self.name} can join {ap.name} once the network is built", caller())
        ask = self._net().ask_daemon
        ask(self.radio, "DISCONNECT")
        for line in [*joining(self.plan, ap.plan), f"bssid={ap.mac}"]:
            ask(self.radio, f"SET_NETWORK 0 {line.replace('=', ' ', 1)}")
        ask(self.radio, "SELECT_NETWORK 0")
        self._net().await_event(self.radio, "CTRL-EVENT-CONNECTED", _JOIN_NS)

    def disconnect(self, *_ap: Any) -> None:
        """Leave the access point, and stay without one."""
        self._net().ask_daemon(self.radio, "DISCONNECT")

    # An access point's

    @property
    def associatedStations(self) -> list[WirelessIntf]:
        """The radios of stations that have this access point."""
        return [one for one in self._net().radios() if one.node.kind == "sta" and one.associatedTo is self]

    # Both

    @property
    def channel(self) -> int | None:
        """The channel; of a station: that of its access point."""
        mhz = self._mhz()
        return words.channel(mhz) if mhz else self._channel

    @property
    def freq(self) -> float:
        """The frequency, in GHz."""
        mhz = self._mhz() or (self.plan and self.plan.frequency_mhz) or words.mhz(self._channel or 1)
        return mhz / 1000

    def _mhz(self) -> int:
        return int(self._ask("STATUS").get("freq", 0))

    def setTxPower(self, txpower: float) -> None:
        """Change its power, in dBm."""
        self.node.setTxPower(txpower, self.name)

    def setRange(self, range: float) -> None:
        """Change its power to that which reaches so far, in m."""
        self.node.setRange(range, self.name)

    def setChannel(self, channel: int) -> None:
        """Have an access point change its channel, and announce it to its stations."""
        if self.plan is None:
            self.node.params["channel"] = self._channel = int(channel)
        elif self.node.kind != "ap":
            raise unavailable("way to change the channel of a station", "change that of its access point")
        else:
            self._net().ask_daemon(self.radio, f"CHAN_SWITCH 5 {words.mhz(int(channel))}")
            self._net().await_event(self.radio, "AP-CSA-FINISHED", _JOIN_NS)

    setAPChannel = setChannel


def joining(station: types.Radio, ap: types.Radio) -> list[str]:
    """Return the lines of wpa_supplicant.conf by which a radio joins the network of an access point."""
    from dataclasses import replace

    # a station that has a passphrase keeps it, also if it is wrong
    passwd = station.passwd if station.encrypt == ap.encrypt and station.passwd else ap.passwd
    mhz = [ap.frequency_mhz] if ap.frequency_mhz else []
    meant = replace(
        station, ssid=ap.ssid, encrypt=ap.encrypt, passwd=passwd, scan_mhz=mhz, mobility_domain=ap.mobility_domain,
        network=[],
    )  # fmt: skip
    return [line.strip() for line in wpa_supplicant_conf(meant).splitlines() if line.startswith("\t")]


def refuse_change(what: str) -> ScriptError:
    """Return the error about something that is said before the network is built."""
    return ScriptError(f"{what} is set before net.build(), or where the node is added", caller())
