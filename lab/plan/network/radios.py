# SPDX-License-Identifier: MIT
"""The radios of a topology, resolved by their kinds, with checks that are the same for all kinds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from lab.errors import warn
from lab.model import channels
from lab.model.cell import Cell
from lab.model.document import Keys, dotted
from lab.model.node import Antenna, Transmitter, WithRadio
from lab.model.radio_setting import table
from lab.model.topology import Topology
from lab.nodes.sta.file import StationRadio
from lab.plan.network.addresses import Macs, radio_mac
from lab.plan.problems import RefuseAt, ValidatedFile
from lab.shared.types import SEARCH, Radio, RadioOption, Wlan


@dataclass
class PlannedRadios:
    """Resolves radios. ``indexes`` are the numbers of all nodes, from 1."""

    source: ValidatedFile[Topology]
    refuse: RefuseAt
    macs: Macs
    indexes: Mapping[str, int]

    @property
    def topology(self) -> Topology:
        """The topology that they belong to."""
        return self.source.model

    def radio(self, name: str, model: WithRadio) -> Radio:
        """Return the first radio of a node."""
        return self._radio(_Site(self, name), model, f"{name}-wlan{model.radio_number}")

    def further(self, name: str, model: WithRadio) -> Iterator[Wlan]:
        """Yield the radios of a node after the first."""
        for number, one in enumerate(model.further, 1):
            site = _Site(self, name, ("wlans", number - 1), number)
            radio = self._radio(site, one, f"{name}-wlan{(model.radio_number or 0) + number}")
            offset_m = list(one.offset) if one.offset is not None else None
            yield Wlan(one.kind, radio, one.given_ip, offset_m=offset_m)

    def _radio(self, site: _Site, model: Antenna, interface: str) -> Radio:
        key, what = model.mac_key
        mac = site.mac(model.radio_mac, 0, key, what)
        radio = replace(model.resolve(site.name, interface, mac, site), antenna_gain_dbi=model.antenna_gain)
        if not isinstance(model, Transmitter):
            return radio
        if radio.without_ht or radio.dsss_only:
            self._check_medium(site, "mode", why="has no rates")
        if radio.edca:
            self._check_medium(site, "edca", why="has no contention")
        if radio.power_save:
            self._check_medium(site, "power_save", why="has no dozing stations")
        if radio.short_slots:
            self._check_medium(site, "adhoc", "short_slots", why="has no slots")
        if radio.ibss_bssid == SEARCH:
            self._check_medium(site, "adhoc", "bssid", why="merges no networks")
        raw: dict[str, Any] = {key: [*getattr(radio, key), *site.raw(key, getattr(model, key))] for key in model.raw}
        return replace(radio, txpower_dbm=model.txpower, settings=self._settings(site, model, radio), **raw)

    def _settings(self, site: _Site, model: Transmitter, radio: Radio) -> dict[str, Any]:
        """Return the settings that are not at their defaults; report those that the radio cannot have."""
        found = {}
        for key, written in model.settings.items():
            setting = table()[key]
            value = setting.resolve(written)
            if value is None or value == setting.default or not self._check_medium(site, key, why=setting.perfect):
                continue
            found[key] = value
        complete = replace(radio, settings=found)
        for key, value in found.items():
            for complaint in table()[key].complaints(value, complete, self.cells(radio.ssid)):
                self.refuse(site.path(key), *complaint)
        return found

    def cells(self, ssid: str | None = None) -> list[Cell]:
        """Return all networks that nodes can join, one entry for each access point; or only those with that SSID."""
        found = [cell for node in self.topology.nodes.values() for cell in node.cells]
        return [cell for cell in found if ssid is None or cell.ssid == ssid]

    def _check_medium(self, site: _Site, *keys: str, why: str) -> bool:
        """Report a key that would have no effect on the perfect medium; return whether there is another."""
        if self.topology.medium is None:
            site.refuse(
                f"has no effect on the perfect medium, which {why}; write medium: {{}} in the topology, or remove this",
                *keys,
            )
        return self.topology.medium is not None


@dataclass(frozen=True)
class _Site:
    """Answers what a node asks about itself, or about what is at ``keys`` in it; see ``lab.model.node.Site``."""

    radios: PlannedRadios
    name: str
    keys: Keys = ()
    number: int = 0  # of the radio

    @property
    def country(self) -> str:
        return self.radios.topology.country

    def cells(self, ssid: str | None = None) -> list[Cell]:
        return self.radios.cells(ssid)

    def own_cells(self, ssid: str) -> list[Cell]:
        return [cell for cell in self.radios.topology.nodes[self.name].cells if cell.ssid == ssid]

    def members(self, ssid: str) -> int:
        nodes = self.radios.topology.nodes.values()
        radios = [one for node in nodes if isinstance(node, WithRadio) for one in (node, *node.further)]
        joining = [one for one in radios if isinstance(one, StationRadio) and one.adhoc is None]
        return sum(one.ssid in (None, ssid) for one in joining)

    def option(self, name: str, value: int | str, *keys: str) -> RadioOption:
        return RadioOption(name, str(value), self._where(*keys))

    def raw(self, key: str, options: Mapping[str, list[str]]) -> list[RadioOption]:
        return [
            RadioOption(option, value, self._where(key, option))
            for option, values in options.items()
            for value in values
        ]

    def at(self, *keys: str | int) -> _Site:
        return replace(self, keys=(*self.keys, *keys))

    def mac(self, given: str | None, network: int, key: str = "bssid", what: str = "BSSID") -> str:
        mac = given or radio_mac(self.radios.indexes[self.name], self.number, network)
        self.radios.macs.claim(mac, self.name, self.path(*([key] if given else [])), what)
        return mac

    def check_channel(self, channel: int, mode: str, width_mhz: int, *keys: str) -> None:
        wrong = channels.complaint(channel, mode, self.country)
        if wrong is not None:
            self.refuse(wrong, *keys, "channel")
        elif width_mhz == 40 and channels.ht40_secondary(channel) is None:
            message = f"channel {channel} cannot be 40 MHz wide; choose another channel, or write width: 20 MHz"
            self.refuse(message, *keys, "width")

    def warn(self, message: str, *keys: str | int) -> None:
        warn(f"{dotted(self.path(*keys))}: {message}", self._where(*keys))

    def refuse(self, message: str, *keys: str | int) -> None:
        self.radios.refuse(self.path(*keys), message)

    def path(self, *keys: str | int) -> Keys:
        """Return where something is in the file."""
        return ("nodes", self.name, *self.keys, *keys)

    def _where(self, *keys: str | int) -> str:
        return self.radios.source.document.where(self.path(*keys))
