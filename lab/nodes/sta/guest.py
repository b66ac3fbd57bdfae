# SPDX-License-Identifier: MIT
"""A station in the guest: wpa_supplicant keeps it associated."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from lab.guest import hostap_config
from lab.guest.kinds import NodeKind, Phase
from lab.guest.steps import RunCommand, Step, Write, attach, await_up, note, pause, set_sysctl, start_daemon
from lab.shared import types

_CONFIG = f"{hostap_config.SUPPLICANT_FOLDER}/wpa_supplicant.conf"
_BRIDGE = "br0"  # of the access point that it belongs to, if it is a repeater's
# Computation takes no virtual time: stations started together would scan and join in the same nanosecond.
GAP_NS = 20_000_000


class Station(NodeKind):
    """A station; Mininet counts it as a host (pingAll)."""

    class_name: ClassVar[str] = "Station"
    lists: ClassVar[tuple[str, ...]] = ("hosts", "stations")
    phase: ClassVar[Phase | None] = Phase.JOIN

    def lines(self, node: types.Node, phy: int | None) -> list[str]:
        return super().lines(node, phy) + self._own_addresses(node)

    def further_lines(self, node: types.Node, phy: int | None) -> list[str]:
        return super().further_lines(node, phy) + self._own_addresses(node)

    def _own_addresses(self, node: types.Node) -> list[str]:
        lines = []
        if node.ip and node.radio:
            lines.append(f"addr add {node.ip} brd + dev {node.radio.interface}")
        if node.ip6 and node.radio:
            lines.append(f"addr add {node.ip6} dev {node.radio.interface} nodad")
        return lines

    def settings(self, node: types.Node, phy: int | None) -> Iterator[Step]:
        """Keep ARP and neighbour entries during a handoff, as network managers do.

        By default the kernel drops them when the carrier is lost, and the first packet after a handoff waits 1 s for
        the second ARP request (Documentation/networking/ip-sysctl.rst, arp_evict_nocarrier).
        """
        yield from super().settings(node, phy)
        if node.radio is not None and node.radio.power_save:
            yield RunCommand(["iw", "dev", node.radio.interface, "set", "power_save", "on"], node.home)
        if node.radio is not None and node.radio.four_address:
            yield RunCommand(["iw", "dev", node.radio.interface, "set", "4addr", "on"], node.home)
            yield RunCommand(["ip", "link", "set", node.radio.interface, "master", _BRIDGE], node.home)
        if node.radio is not None:
            yield set_sysctl(f"ipv4/conf/{node.radio.interface}/arp_evict_nocarrier", "0", node.home)
            yield set_sysctl(f"ipv6/conf/{node.radio.interface}/ndisc_evict_nocarrier", "0", node.home)

    def start(self, plan: types.Plan, node: types.Node) -> Iterator[Step]:
        if node.radio is None:
            return
        name = node.radio.interface
        folder = hostap_config.SUPPLICANT_FOLDER if node.owner is None else f"{hostap_config.SUPPLICANT_FOLDER}/{name}"
        if node.radio.eap is not None:
            for file, text in hostap_config.eap_files(node.radio.eap).items():
                yield Write(f"{folder}/{file}", text, node.home)
        config = _CONFIG if node.owner is None else f"{folder}/wpa_supplicant.conf"
        yield Write(config, hostap_config.wpa_supplicant_conf(node.radio, folder), node.home)
        argv = ["wpa_supplicant", "-t", f"-i{name}", "-Dnl80211", f"-c{config}"]
        argv += [f"-b{_BRIDGE}"] if node.radio.four_address else []
        daemon = "wpa_supplicant" if node.owner is None else f"wpa_supplicant-{name}"
        yield start_daemon(node.home, daemon, argv)
        control = f"{hostap_config.SUPPLICANT_CONTROL}/{name}"
        yield attach(node.home, daemon, control, [config], name=node.name)
        if plan.medium is not None:
            yield pause(GAP_NS)

    def wait(self, plan: types.Plan, node: types.Node) -> Iterator[Step]:
        if node.radio is None:
            return
        if why := plan.unawaited(node):
            yield note(why)
            return
        verb = "join" if node.radio.ibss_bssid else "associate with"
        what = f"{node.name} to {verb} '{node.radio.ssid}'"
        yield await_up(node, "wpa_state=COMPLETED", "CTRL-EVENT-CONNECTED", what)
