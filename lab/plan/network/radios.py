# SPDX-License-Identifier: MIT
"""The radios of a topology, resolved: what each is told, and what it takes from its network."""

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
    """Makes them. ``indexes`` are the numbers of all nodes, from 1."""

    source: Source[Topology]
    problems: Problems
    macs: Macs
    indexes: Mapping[str, int]

    @property
    def topology(self) -> Topology:
        """Whose radios they are."""
        return self.source.model

    def radio(self, name: str, model: WithRadio) -> Radio:
        """The radio of a node."""
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
        """The radio as its kind has it."""
        if isinstance(model, ap.AccessPoint):
            return self._access_point(name, model, mac)
        if isinstance(model, monitor.Monitor):
            return self._monitor(name, model, mac)
        assert isinstance(model, sta.Station)
        return self._ad_hoc(name, model, model.adhoc, mac) if model.adhoc else self._station(name, model, mac)

    def _check_rts_threshold(self, name: str) -> None:
        """Complain about a threshold that nothing would heed."""
        if self.topology.medium is None:
            self.problems.add(
                self.source,
                ("nodes", name, "rts_threshold"),
                "the perfect medium has no RTS; write medium: {} in the topology, or leave this out",
            )

    def _check_approximate(self, name: str, radio: Radio) -> None:
        """Complain about a node that could not get damaged frames, or could not read them."""
        keys = ("nodes", name, "approximate")
        if self.topology.medium is None:
            self.problems.add(
                self.source,
                keys,
                "the perfect medium damages no frames; write medium: {} in the topology, or leave this out",
            )
        elif (why := unreadable(radio.ssid, radio.encrypt)) is not None:
            self.problems.add(self.source, keys, why)

    def _check_rate(self, name: str, rate: str, radio: Radio) -> None:
        """Complain about a fixed rate that its network does not have, or that nothing would heed."""
        keys = ("nodes", name, "rate")
        if self.topology.medium is None:
            self.problems.add(
                self.source,
                keys,
                "the perfect medium has no rates; write medium: {} in the topology, or leave this out",
            )
        modes = [radio.mode] if radio.ibss_bssid else [cell.mode for cell in self._cells(radio.ssid)]
        wrong = next((mode for mode in modes if rate not in rates.MODES[mode]), None)
        if wrong is not None:
            self.problems.add(
                self.source, keys, f"mode {wrong} of {radio.ssid} has no {rate}; it has {rates.listed(wrong)}"
            )

    def _cells(self, ssid: str) -> list[ap.AccessPoint]:
        """The access points of a network."""
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
        """Complain about rates that its mode does not have; of a wrong channel its band is not known."""
        if channels.complaint(model.channel, model.mode, self.topology.country) is not None:
            return
        has = rates.legacy(model.mode, channels.frequency_mhz(model.channel) / 1000)
        for index, rate in enumerate(model.basic_rates):
            if rate not in has:
                message = f"mode {model.mode} has no basic rate {rate}; write some of {', '.join(has)}"
                self.problems.add(self.source, ("nodes", name, "basic_rates", index), message)

    def _check_channel(self, keys: Keys, channel: int, mode: str, width_mhz: int) -> None:
        """Complain about a channel that may not be used, or is not as wide."""
        wrong = channels.complaint(channel, mode, self.topology.country)
        if wrong is not None:
            self.problems.add(self.source, (*keys, "channel"), wrong)
        elif width_mhz == 40 and channels.ht40_secondary(channel) is None:
            message = f"channel {channel} has no room for 40 MHz; choose another channel, or write width: 20 MHz"
            self.problems.add(self.source, (*keys, "width"), message)

    def _monitor(self, name: str, model: monitor.Monitor, mac: str) -> Radio:
        """It hears what is sent with any rate of its band."""
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
        """A station without an access point."""
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
        """A station takes from its network what it does not say itself."""
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
            # what it may send with wherever it is in its network
            width_mhz=min(map(_width_mhz, cells), default=20),
            short_gi=bool(cells) and all(cell.guard_interval == "short" for cell in cells),
            bgscan=str(model.bgscan) if model.bgscan is not None else None,
            mobility_domain=next(filter(None, map(mobility_domain, cells)), None),
        )

    def _ssid(self, name: str, model: sta.Station) -> str:
        """The network a station joins: said, or the only one there is."""
        known = list(
            dict.fromkeys(node.ssid for node in self.topology.nodes.values() if isinstance(node, ap.AccessPoint))
        )
        said = model.ssid
        keys = ("nodes", name, "ssid")
        if said is None and len(known) == 1:
            return known[0]
        if said is None:
            there = f"there are several networks: {', '.join(known)}" if known else "there is no access point"
            self.problems.add(self.source, keys, f"which network {name} joins is open: {there}; write ssid:")
            return ""
        if said not in known:
            listed = ", ".join(known) or "none"
            self.problems.add(
                self.source, keys, f'no access point serves "{said}"{suggestion(said, known)}; known: {listed}'
            )
        return said


def _width_mhz(model: ap.AccessPoint | monitor.Monitor) -> int:
    return int(model.width.split()[0])


def mobility_domain(model: ap.AccessPoint) -> str | None:
    """Where its transitions are fast; None: nowhere."""
    return (model.mobility_domain or ap.DEFAULT_MOBILITY_DOMAIN) if model.fast_transition else None
