# SPDX-License-Identifier: MIT
"""The radios of a topology, resolved: their own settings, and those taken from their network."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from lab.errors import suggestion
from lab.model import channels, rates
from lab.model.adhoc import DEFAULT_CELL, AdHoc
from lab.model.document import Keys
from lab.model.nodes import ap, monitor, sta
from lab.model.nodes.base import Wireless, WithRadio, unreadable
from lab.model.topology import Topology
from lab.plan.network.addresses import Macs, made_mac
from lab.plan.problems import Problems, Source
from lab.shared.types import Radio


@dataclass
class Radios:
    """Resolves radios. ``indexes`` are the numbers of all nodes, from 1."""

    source: Source[Topology]
    problems: Problems
    macs: Macs
    indexes: Mapping[str, int]

    @property
    def topology(self) -> Topology:
        """The topology that they belong to."""
        return self.source.model

    def radio(self, name: str, model: WithRadio) -> Radio:
        """Return the radio of a node."""
        given = model.radio_mac
        mac = given or made_mac(self.indexes[name], None)
        access_point = isinstance(model, ap.AccessPoint)
        key, what = ("bssid", "BSSID") if access_point else ("mac", "MAC address")
        self.macs.claim(mac, name, ("nodes", name, key) if given else ("nodes", name), what)
        radio = replace(self._made(name, model, mac), antenna_gain_dbi=model.antenna_gain)
        if not isinstance(model, Wireless):
            return radio
        if model.rate is not None:
            self._check_rate(name, model.rate, radio)
        if model.rts_threshold is not None:
            self._check_rts_threshold(name)
        if model.approximate:
            self._check_approximate(name, radio)
        return replace(
            radio,
            txpower_dbm=model.txpower,
            rate=model.rate,
            rts_threshold_bytes=model.rts_threshold,
            approximate=model.approximate,
        )

    def _made(self, name: str, model: WithRadio, mac: str) -> Radio:
        """Return the radio of a node of that kind."""
        if isinstance(model, ap.AccessPoint):
            return self._access_point(name, model, mac)
        if isinstance(model, monitor.Monitor):
            return self._monitor(name, model, mac)
        assert isinstance(model, sta.Station)
        return self._ad_hoc(name, model, model.adhoc, mac) if model.adhoc else self._station(name, model, mac)

    def _check_rts_threshold(self, name: str) -> None:
        """Report a threshold that would have no effect."""
        if self.topology.medium is None:
            self.problems.add(
                self.source,
                ("nodes", name, "rts_threshold"),
                "has no effect on the perfect medium, which has no RTS; write medium: {} in the topology, or remove "
                "this",
            )

    def _check_approximate(self, name: str, radio: Radio) -> None:
        """Report a node that could not get damaged frames, or could not decode them."""
        keys = ("nodes", name, "approximate")
        if self.topology.medium is None:
            self.problems.add(
                self.source,
                keys,
                "has no effect on the perfect medium, which damages no frames; write medium: {} in the topology, or "
                "remove this",
            )
        elif (why := unreadable(radio.ssid, radio.encrypt)) is not None:
            self.problems.add(self.source, keys, why)

    def _check_rate(self, name: str, rate: str, radio: Radio) -> None:
        """Report a fixed rate that its network does not have, or that would have no effect."""
        keys = ("nodes", name, "rate")
        if self.topology.medium is None:
            self.problems.add(
                self.source,
                keys,
                "has no effect on the perfect medium, which has no rates; write medium: {} in the topology, or remove "
                "this",
            )
        modes = [radio.mode] if radio.ibss_bssid else [cell.mode for cell in self._cells(radio.ssid)]
        wrong = next((mode for mode in modes if rate not in rates.MODES[mode]), None)
        if wrong is not None:
            self.problems.add(
                self.source,
                keys,
                f"{radio.ssid} uses mode {wrong}, which has no {rate}; write one of {rates.listed(wrong)}",
            )

    def _cells(self, ssid: str) -> list[ap.AccessPoint]:
        """Return the access points of a network."""
        nodes = self.topology.nodes.values()
        return [node for node in nodes if isinstance(node, ap.AccessPoint) and node.ssid == ssid]

    def _access_point(self, name: str, model: ap.AccessPoint, mac: str) -> Radio:
        self._check_channel(("nodes", name), model.channel, model.mode, _width_mhz(model))
        self._check_basic_rates(name, model)
        return Radio(
            interface=f"{name}-wlan{model.radio_number}",
            mac=mac,
            ssid=model.ssid,
            mode=model.mode,
            channel=model.channel,
            frequency_mhz=channels.frequency_mhz(model.channel),
            scan_mhz=[],
            country=self.topology.country,
            encrypt=model.encrypt or "open",
            passwd=model.passwd,
            width_mhz=_width_mhz(model),
            ht40_secondary=channels.ht40_secondary(model.channel) if _width_mhz(model) == 40 else None,
            short_gi=model.guard_interval == "short",
            wmm=bool(model.wmm) and model.mode != "n",
            mobility_domain=mobility_domain(model),
            basic_rates=list(dict.fromkeys(model.basic_rates)),
            beacon_interval_tu=int(model.beacon_interval.split()[0]),
        )

    def _check_basic_rates(self, name: str, model: ap.AccessPoint) -> None:
        """Report rates that its mode does not have, unless the channel is wrong and so the band unknown."""
        if channels.complaint(model.channel, model.mode, self.topology.country) is not None:
            return
        has = rates.legacy(model.mode, channels.frequency_mhz(model.channel) / 1000)
        for index, rate in enumerate(model.basic_rates):
            if rate not in has:
                message = f"mode {model.mode} has no basic rate {rate}; choose from {', '.join(has)}"
                self.problems.add(self.source, ("nodes", name, "basic_rates", index), message)

    def _check_channel(self, keys: Keys, channel: int, mode: str, width_mhz: int) -> None:
        """Report a channel that may not be used, or not at that width."""
        wrong = channels.complaint(channel, mode, self.topology.country)
        if wrong is not None:
            self.problems.add(self.source, (*keys, "channel"), wrong)
        elif width_mhz == 40 and channels.ht40_secondary(channel) is None:
            message = f"channel {channel} cannot be 40 MHz wide; choose another channel, or write width: 20 MHz"
            self.problems.add(self.source, (*keys, "width"), message)

    def _monitor(self, name: str, model: monitor.Monitor, mac: str) -> Radio:
        """Return the radio of a monitor, which receives every rate of its band."""
        width_mhz = _width_mhz(model)
        self._check_channel(("nodes", name), model.channel, "n", width_mhz)
        return Radio(
            interface=f"{name}-wlan{model.radio_number}",
            mac=mac,
            ssid="",
            mode="n",
            channel=model.channel,
            frequency_mhz=channels.frequency_mhz(model.channel),
            scan_mhz=[],
            country=self.topology.country,
            encrypt=None,
            passwd=None,
            width_mhz=width_mhz,
            ht40_secondary=channels.ht40_secondary(model.channel) if width_mhz == 40 else None,
        )

    def _ad_hoc(self, name: str, model: sta.Station, network: AdHoc, mac: str) -> Radio:
        """Return the radio of a station in an ad hoc network."""
        self._check_channel(("nodes", name, "adhoc"), network.channel, network.mode, 20)
        mhz = channels.frequency_mhz(network.channel)
        return Radio(
            interface=f"{name}-wlan{model.radio_number}",
            mac=mac,
            ssid=network.ssid,
            mode=network.mode,
            channel=network.channel,
            frequency_mhz=mhz,
            scan_mhz=[mhz],
            country=self.topology.country,
            encrypt="open",
            passwd=None,
            ibss_bssid=network.bssid or DEFAULT_CELL,
        )

    def _station(self, name: str, model: sta.Station, mac: str) -> Radio:
        """Return the radio of a station, which takes from its network what it does not set itself."""
        ssid = self._ssid(name, model)
        cells = self._cells(ssid)
        first = cells[0] if cells else None
        encrypt, passwd = model.encrypt, model.passwd
        if encrypt is None and first is not None:
            encrypt, passwd = first.encrypt, first.passwd
        return Radio(
            interface=f"{name}-wlan{model.radio_number}",
            mac=mac,
            ssid=ssid,
            mode=first.mode if first is not None else "g",
            channel=None,
            frequency_mhz=None,
            scan_mhz=sorted({channels.frequency_mhz(cell.channel) for cell in cells}),
            country=self.topology.country,
            encrypt=encrypt or "open",
            passwd=passwd,
            # what every access point of its network allows
            width_mhz=min(map(_width_mhz, cells), default=20),
            short_gi=bool(cells) and all(cell.guard_interval == "short" for cell in cells),
            bgscan=str(model.bgscan) if model.bgscan is not None else None,
            mobility_domain=next(filter(None, map(mobility_domain, cells)), None),
        )

    def _ssid(self, name: str, model: sta.Station) -> str:
        """Return the network that a station joins: the one given, or the only one."""
        known = list(
            dict.fromkeys(node.ssid for node in self.topology.nodes.values() if isinstance(node, ap.AccessPoint))
        )
        given = model.ssid
        keys = ("nodes", name, "ssid")
        if given is None and len(known) == 1:
            return known[0]
        if given is None:
            choice = f"there are several networks ({', '.join(known)})" if known else "there is no access point"
            self.problems.add(self.source, keys, f"{choice}; write ssid: for the network that {name} joins")
            return ""
        if given not in known:
            listed = ", ".join(known) or "none"
            self.problems.add(
                self.source, keys, f'no access point has the SSID "{given}"{suggestion(given, known)}; known: {listed}'
            )
        return given


def _width_mhz(model: ap.AccessPoint | monitor.Monitor) -> int:
    return int(model.width.split()[0])


def mobility_domain(model: ap.AccessPoint) -> str | None:
    """Return the mobility domain of an access point, or None without fast transitions."""
    return (model.mobility_domain or ap.DEFAULT_MOBILITY_DOMAIN) if model.fast_transition else None
