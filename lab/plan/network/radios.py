# SPDX-License-Identifier: MIT
"""The radios of a topology, resolved by their kinds, with checks that are the same for all kinds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from lab.model import channels, hack, rates
from lab.model.node import Cell, Wireless, WithRadio, unreadable
from lab.model.topology import Topology
from lab.plan.network.addresses import Macs, made_mac
from lab.plan.problems import Problems, Source
from lab.shared.medium_types import MediumHack
from lab.shared.types import Radio

_US = 1_000


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
        key, what = model.mac_key
        self.macs.claim(mac, name, ("nodes", name, key) if given else ("nodes", name), what)
        radio = replace(model.resolve(name, mac, _Site(self, name)), antenna_gain_dbi=model.antenna_gain)
        if not isinstance(model, Wireless):
            return radio
        if model.rate is not None:
            self._check_rate(name, model.rate, radio)
        if model.rts_threshold is not None:
            self._check_medium(name, "rts_threshold", "has no RTS")
        if model.approximate:
            self._check_approximate(name, radio)
        found = hack.of(model.hack)
        if found is not None:
            self._check_hack(name, radio, found)
        if model.answer_delay:
            self._check_medium(name, "answer_delay", "has no ACK frames")
        if model.drop_tail is not None:
            self._check_medium(name, "drop_tail", "has no queues")
        if radio.without_ht or radio.dsss_only:
            self._check_medium(name, "mode", "has no rates")
        if radio.edca:
            self._check_medium(name, "edca", "has no contention")
        if radio.power_save:
            self._check_medium(name, "power_save", "lets nobody doze")
        if radio.short_slots:
            self._check_medium(name, ("adhoc", "short_slots"), "has no slots")
        return replace(
            radio,
            txpower_dbm=model.txpower,
            rate=model.rate,
            rts_threshold_bytes=model.rts_threshold,
            approximate=model.approximate,
            hack=MediumHack(*hack.numbers(found)) if found else None,
            answer_delay_us=model.answer_delay // _US,
            drop_tail=model.drop_tail,
        )

    def cells(self, ssid: str | None = None) -> list[Cell]:
        """All networks that nodes can join, with an entry for each access point; or only those with that SSID."""
        found = [node.cell for node in self.topology.nodes.values() if node.cell is not None]
        return [cell for cell in found if ssid is None or cell.ssid == ssid]

    def _check_medium(self, name: str, key: str | tuple[str, ...], why: str) -> bool:
        """Report a key that would have no effect on the perfect medium; return whether there is another."""
        if self.topology.medium is None:
            self.problems.add(
                self.source,
                ("nodes", name, *([key] if isinstance(key, str) else key)),
                f"has no effect on the perfect medium, which {why}; write medium: {{}} in the topology, or remove this",
            )
        return self.topology.medium is not None

    def _check_approximate(self, name: str, radio: Radio) -> None:
        """Report a node that could not get damaged frames, or could not decode them."""
        if not self._check_medium(name, "approximate", "damages no frames"):
            return
        if (why := unreadable(radio.ssid, radio.encrypt)) is not None:
            self.problems.add(self.source, ("nodes", name, "approximate"), why)

    def _check_hack(self, name: str, radio: Radio, found: hack.Hack) -> None:
        """Report a node whose TCP ACKs cannot go with answers, or would go in clear."""
        if not self._check_medium(name, "hack", "has no ACK frames"):
            return
        if radio.encrypt not in (None, "open") and not found.in_clear:
            self.problems.add(
                self.source,
                ("nodes", name, "hack"),
                f"{radio.ssid} is encrypted ({radio.encrypt}), and TCP ACKs in ACK frames would go in clear",
                f"remove hack:, write encrypt: open, or allow it by hack: {{mode: {found.mode}, in_clear: true}}",
            )
        others = [node for node in self.topology.nodes.values() if node.cell and node.cell.ssid == radio.ssid]
        if radio.channel is None and others and all(getattr(node, "hack", None) is None for node in others):
            self.problems.add(
                self.source,
                ("nodes", name, "hack"),
                f"has no effect, since no access point of {radio.ssid} has hack:, and both ends need it",
                "write hack: there as well, or remove this",
            )

    def _check_rate(self, name: str, rate: str, radio: Radio) -> None:
        """Report a fixed rate that its network does not have, or that would have no effect."""
        self._check_medium(name, "rate", "has no rates")
        own = radio.ibss_bssid or radio.without_ht or radio.dsss_only
        modes = [radio.mode] if own else [cell.mode for cell in self.cells(radio.ssid)]
        whose = f"{name} is of" if radio.without_ht or radio.dsss_only else f"{radio.ssid} uses"
        wrong = next((mode for mode in modes if rate not in rates.MODES[mode]), None)
        if wrong is not None:
            self.problems.add(
                self.source,
                ("nodes", name, "rate"),
                f"{whose} mode {wrong}, which has no {rate}; write one of {rates.listed(wrong)}",
            )


@dataclass(frozen=True)
class _Site:
    """Answers what the node of that name asks; see ``lab.model.node.Site``."""

    radios: Radios
    name: str

    @property
    def country(self) -> str:
        return self.radios.topology.country

    def cells(self, ssid: str | None = None) -> list[Cell]:
        return self.radios.cells(ssid)

    def check_channel(self, channel: int, mode: str, width_mhz: int, *keys: str) -> None:
        wrong = channels.complaint(channel, mode, self.country)
        if wrong is not None:
            self.refuse(wrong, *keys, "channel")
        elif width_mhz == 40 and channels.ht40_secondary(channel) is None:
            message = f"channel {channel} cannot be 40 MHz wide; choose another channel, or write width: 20 MHz"
            self.refuse(message, *keys, "width")

    def refuse(self, message: str, *keys: str | int) -> None:
        self.radios.problems.add(self.radios.source, ("nodes", self.name, *keys), message)
