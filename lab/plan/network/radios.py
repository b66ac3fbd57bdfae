# SPDX-License-Identifier: MIT
"""The radios of a topology, resolved by their kinds, with checks that are the same for all kinds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from lab.errors import warn
from lab.model import channels
from lab.model.cell import Cell
from lab.model.document import dotted
from lab.model.node import Wireless, WithRadio
from lab.model.radio_setting import table
from lab.model.topology import Topology
from lab.plan.network.addresses import Macs, generated_mac
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
        radio = replace(model.resolve(name, mac, _Site(self, name)), antenna_gain_dbi=model.antenna_gain)
        if not isinstance(model, Wireless):
            return radio
        if radio.without_ht or radio.dsss_only:
            self._check_medium(name, "mode", "has no rates")
        if radio.edca:
            self._check_medium(name, "edca", "has no contention")
        if radio.power_save:
            self._check_medium(name, "power_save", "has no dozing stations")
        if radio.short_slots:
            self._check_medium(name, ("adhoc", "short_slots"), "has no slots")
        raw: dict[str, Any] = {key: [*getattr(radio, key), *self._raw(name, model, key)] for key in model.raw}
        return replace(radio, txpower_dbm=model.txpower, settings=self._settings(name, model, radio), **raw)

    def _raw(self, name: str, model: Wireless, key: str) -> list[RadioOption]:
        """Return the options that a key gives in the words of a program."""
        where = self.source.document.where
        return [
            RadioOption(option, value, where(("nodes", name, key, option)))
            for option, values in getattr(model, key).items()
            for value in values
        ]

    def _settings(self, name: str, model: Wireless, radio: Radio) -> dict[str, Any]:
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
        found = [node.cell for node in self.topology.nodes.values() if node.cell is not None]
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
    """Answers what the node of that name asks; see ``lab.model.node.Site``."""

    radios: PlannedRadios
    name: str

    @property
    def country(self) -> str:
        return self.radios.topology.country

    def cells(self, ssid: str | None = None) -> list[Cell]:
        return self.radios.cells(ssid)

    def option(self, name: str, value: int | str, *keys: str) -> RadioOption:
        return RadioOption(name, str(value), self.radios.source.document.where(("nodes", self.name, *keys)))

    def check_channel(self, channel: int, mode: str, width_mhz: int, *keys: str) -> None:
        wrong = channels.complaint(channel, mode, self.country)
        if wrong is not None:
            self.refuse(wrong, *keys, "channel")
        elif width_mhz == 40 and channels.ht40_secondary(channel) is None:
            message = f"channel {channel} cannot be 40 MHz wide; choose another channel, or write width: 20 MHz"
            self.refuse(message, *keys, "width")

    def warn(self, message: str, *keys: str | int) -> None:
        path = ("nodes", self.name, *keys)
        warn(f"{dotted(path)}: {message}", self.radios.source.document.where(path))

    def refuse(self, message: str, *keys: str | int) -> None:
        self.radios.refuse(("nodes", self.name, *keys), message)
