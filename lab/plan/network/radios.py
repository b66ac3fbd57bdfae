# SPDX-License-Identifier: MIT
"""The radios of a topology, resolved by their kinds, with checks that are the same for all kinds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from lab.errors import warn
from lab.model import channels
from lab.model.cell import Cell
from lab.model.document import Keys, dotted
from lab.model.node import Transmitter, WithRadio
from lab.model.radio_setting import table
from lab.model.topology import Topology
from lab.plan.network.addresses import Macs, further_mac, generated_mac
from lab.plan.problems import RefuseAt, ValidatedFile
from lab.shared.types import Radio, RadioOption


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
        """Return the radio of a node."""
        given = model.radio_mac
        mac = given or generated_mac(self.indexes[name], None)
        key, what = model.mac_key
        self.macs.claim(mac, name, ("nodes", name, key) if given else ("nodes", name), what)
        site = _Site(self, name)
        radio = replace(model.resolve(name, mac, site), antenna_gain_dbi=model.antenna_gain)
        if not isinstance(model, Transmitter):
            return radio
        if radio.without_ht or radio.dsss_only:
            self._check_medium(name, "mode", "has no rates")
        if radio.edca:
            self._check_medium(name, "edca", "has no contention")
        if radio.power_save:
            self._check_medium(name, "power_save", "has no dozing stations")
        if radio.short_slots:
            self._check_medium(name, ("adhoc", "short_slots"), "has no slots")
        raw: dict[str, Any] = {key: [*getattr(radio, key), *site.raw(key, getattr(model, key))] for key in model.raw}
        return replace(radio, txpower_dbm=model.txpower, settings=self._settings(name, model, radio), **raw)

    def _settings(self, name: str, model: Transmitter, radio: Radio) -> dict[str, Any]:
        """Return the settings that are not at their defaults; report those that the radio cannot have."""
        found = {}
        for key, written in model.settings.items():
            setting = table()[key]
            value = setting.resolve(written)
            if value is None or value == setting.default or not self._check_medium(name, key, setting.perfect):
                continue
            found[key] = value
        complete = replace(radio, settings=found)
        for key, value in found.items():
            for complaint in table()[key].complaints(value, complete, self.cells(radio.ssid)):
                self.refuse(("nodes", name, key), *complaint)
        return found

    def cells(self, ssid: str | None = None) -> list[Cell]:
        """Return all networks that nodes can join, one entry for each access point; or only those with that SSID."""
        found = [cell for node in self.topology.nodes.values() for cell in node.cells]
        return [cell for cell in found if ssid is None or cell.ssid == ssid]

    def _check_medium(self, name: str, key: str | tuple[str, ...], why: str) -> bool:
        """Report a key that would have no effect on the perfect medium; return whether there is another."""
        if self.topology.medium is None:
            self.refuse(
                ("nodes", name, *([key] if isinstance(key, str) else key)),
                f"has no effect on the perfect medium, which {why}; write medium: {{}} in the topology, or remove this",
            )
        return self.topology.medium is not None


@dataclass(frozen=True)
class _Site:
    """Answers what a node asks about itself, or about what is at ``keys`` in it; see ``lab.model.node.Site``."""

    radios: PlannedRadios
    name: str
    keys: Keys = ()

    @property
    def country(self) -> str:
        return self.radios.topology.country

    def cells(self, ssid: str | None = None) -> list[Cell]:
        return self.radios.cells(ssid)

    def option(self, name: str, value: int | str, *keys: str) -> RadioOption:
        return RadioOption(name, str(value), self._where(*keys))

    def raw(self, key: str, options: Mapping[str, list[str]]) -> list[RadioOption]:
        return [
            RadioOption(option, value, self._where(key, option))
            for option, values in options.items()
            for value in values
        ]

    def at(self, *keys: str | int) -> _Site:
        return _Site(self.radios, self.name, (*self.keys, *keys))

    def mac(self, given: str | None, number: int) -> str:
        mac = given or further_mac(self.radios.indexes[self.name], number)
        self.radios.macs.claim(mac, self.name, self._path(*(["bssid"] if given else [])), "BSSID")
        return mac

    def check_channel(self, channel: int, mode: str, width_mhz: int, *keys: str) -> None:
        wrong = channels.complaint(channel, mode, self.country)
        if wrong is not None:
            self.refuse(wrong, *keys, "channel")
        elif width_mhz == 40 and channels.ht40_secondary(channel) is None:
            message = f"channel {channel} cannot be 40 MHz wide; choose another channel, or write width: 20 MHz"
            self.refuse(message, *keys, "width")

    def warn(self, message: str, *keys: str | int) -> None:
        warn(f"{dotted(self._path(*keys))}: {message}", self._where(*keys))

    def refuse(self, message: str, *keys: str | int) -> None:
        self.radios.refuse(self._path(*keys), message)

    def _path(self, *keys: str | int) -> Keys:
        return ("nodes", self.name, *self.keys, *keys)

    def _where(self, *keys: str | int) -> str:
        return self.radios.source.document.where(self._path(*keys))
