# SPDX-License-Identifier: MIT
"""An access point in the guest: hostapd on its radio, bridged with its wired ports."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from lab.guest import commands, hostap_config
from lab.guest.kinds import NodeKind, Phase
from lab.guest.steps import RunCommand, Step, Write, ask, attach, await_up, start_daemon
from lab.shared import registry, types

if TYPE_CHECKING:
    from lab.guest.hostap_socket import Control
    from lab.guest.live import LiveGuest

_CONFIG = f"{hostap_config.HOSTAPD_FOLDER}/hostapd.conf"
_SWITCHED = re.compile(r"AP-CSA-FINISHED freq=(?P<mhz>\d+)")


class AccessPoint(NodeKind):
    """An access point."""

    class_name: ClassVar[str] = "AccessPoint"
    lists: ClassVar[tuple[str, ...]] = ("aps",)
    phase: ClassVar[Phase | None] = Phase.SERVE

    def lines(self, node: types.Node, phy: int | None) -> list[str]:
        """Bridge the wired ports, without spanning tree; hostapd adds the radio to the bridge.

        With VLANs, each has a bridge of its own. With OpenFlow or a spanning tree, Open vSwitch bridges all instead,
        once hostapd runs.
        """
        if node.openflow is not None:
            return super().lines(node, phy)
        own = [one.vlan for one in _own_networks(node).values()]
        vlans = sorted({0, *(vlan for one in node.interfaces for vlan in one.carries()), *own, node.vlan})
        lines = [f"link add {bridge(vlan)} type bridge forward_delay 0 stp_state 0" for vlan in vlans]
        lines += super().lines(node, phy)
        for interface in node.interfaces:
            if interface.addressed:
                lines.append(f"link set {interface.name} master {bridge(interface.vlan or 0)}")
            for vlan in interface.vlans:
                tagged = f"{interface.name}.{vlan}"
                lines.append(f"link add link {interface.name} name {tagged} type vlan id {vlan}")
                lines.append(f"link set {tagged} master {bridge(vlan)} up")
        lines += [f"link set {bridge(vlan)} up" for vlan in vlans]
        return [*lines, *commands.own_address(node, bridge(node.vlan))]

    def start(self, plan: types.Plan, node: types.Node) -> Iterator[Step]:
        """Start hostapd and, if there are other access points, the program that makes it drop stations that have
        left for another one (images/initrd/follow.c).
        """
        if node.radio is None or node.owner is not None:  # one hostapd has all radios of a node
            return
        radios = own_radios(node)
        networks = _own_networks(node)
        for one in networks.values():
            folder = "" if one is node.radio else f"/{one.interface}"
            for file, text in hostap_config.eap_files(one.eap).items() if one.eap else ():
                yield Write(f"{hostap_config.HOSTAPD_FOLDER}{folder}/{file}", text, node.name)
        configs = [_CONFIG, *(f"{hostap_config.HOSTAPD_FOLDER}/{one.name}.conf" for one in radios[1:])]
        for radio, config in zip(radios, configs, strict=True):
            yield Write(config, hostapd_conf(plan, radio), node.name)
        yield start_daemon(node.name, "hostapd", ["hostapd", "-t", *configs])
        first = [radio.name for radio in radios]  # hostapd reports what concerns a radio at its first network
        for name, one in networks.items():
            listener = partial(_on_event, one.networks()) if name in first else None
            path = f"{hostap_config.HOSTAPD_CONTROL}/{one.interface}"
            yield attach(node.name, "hostapd", path, configs, listener, name)
        yield from _announce(plan, node)
        if node.openflow is not None:
            switch = registry.module("nodes", "switch")  # only here: an import takes virtual time
            interfaces = [one.interface for one in networks.values()]
            yield from switch.open_vswitch(node, [*switch.ports(node), *interfaces])
            if node.openflow.programmed:
                return
            yield switch.follow(node, "follow-switch")
        if any(other.home != node.name for other in plan.radios() if other.kind == node.kind):
            yield from _follow(node, networks.values())

    def wait(self, plan: types.Plan, node: types.Node) -> Iterator[Step]:
        what = f"{node.name} to enable its access point"
        yield await_up(node, "state=ENABLED", "AP-ENABLED", what)

    def lose_power(self, node: types.Node) -> Iterator[Step]:
        """Forget the bridge of Open vSwitch, which is in its database and in the kernel."""
        if node.openflow is not None:
            yield RunCommand(["ovs-dpctl", "del-dp", "ovs-system"], node.name)
            yield RunCommand(["rm", registry.module("nodes", "switch").DATABASE], node.name)


def bridge(vlan: int) -> str:
    """Return the name of the bridge of a VLAN; 0: of untagged frames."""
    return f"br{vlan}"


def _on_event(networks: list[types.Radio], guest: LiveGuest, stamp_ns: int, text: str) -> None:
    """When the access point has switched its channel, have the stations of its networks scan there, too."""
    found = _SWITCHED.search(text)
    ssids = [one.ssid for one in networks]
    for station in guest.plan.radios():
        if found and station.kind == "sta" and station.radio and station.radio.ssid in ssids:
            control = guest.controls.get(station.name)
            if control is not None:
                control.when_free(partial(guest.guard, partial(_scan_too, control, found["mhz"])))


def _scan_too(control: Control, mhz: str) -> None:
    known = control.request("GET_NETWORK 0 scan_freq").split()
    if mhz not in known and known != ["FAIL"]:  # it scans all channels
        control.request(f"SET_NETWORK 0 scan_freq {' '.join([*known, mhz])}")


def _follow(node: types.Node, networks: Iterable[types.Radio]) -> Iterator[Step]:
    """Follow what comes from other access points: by wire, and to a repeater from the one that it repeats.

    Not from repeaters: from there also comes what the access point itself sends on behalf of these.
    """
    ports = [f"{node.name}-eth"] if node.interfaces else []
    ports += [one.radio.interface for one in node.radios() if one.radio and one.radio.four_address]
    for one in networks:
        path = f"{hostap_config.HOSTAPD_CONTROL}/{one.interface}"
        for port in ports:
            name = "follow" if one is node.radio and port == ports[0] else f"follow-{one.interface}-{port}"
            yield start_daemon(node.name, name, [commands.FOLLOW_IN_NODE, "access-point", path, port])


def own_radios(node: types.Node) -> list[types.Node]:
    """Return the radios of a node that are access points, each as a node."""
    return [one for one in node.radios() if one.kind == node.kind]


def _own_networks(node: types.Node) -> dict[str, types.Radio]:
    """Return the networks of a node by the names that others have for them: the first by that of the radio."""
    return {
        one.name if network is one.radio else network.interface: network
        for one in own_radios(node)
        if one.radio
        for network in one.radio.networks()
    }


def _others(plan: types.Plan, node: types.Node) -> list[types.Radio]:
    """Return the networks of other access points, also of those in the same node."""
    others = [one.radio for one in plan.radios() if one.kind == node.kind and one.radio and one.name != node.name]
    return [one for radio in others for one in radio.networks()]


def _announce(plan: types.Plan, node: types.Node) -> Iterator[Step]:
    """Have hostapd know the other access points of a network whose stations may ask for them."""
    for radio in own_radios(node):
        for one in radio.radio.networks() if radio.radio else ():
            if one.has("rrm_neighbor_report"):
                from lab.guest import neighbour  # an import takes virtual time

                name = radio.name if one is radio.radio else one.interface
                for other in _others(plan, radio):
                    if other.ssid == one.ssid:
                        yield ask(name, "hostapd", neighbour.announce(other))


def neighbours(plan: types.Plan, node: types.Node, radio: types.Radio) -> list[types.Radio]:
    """Return the others of the mobility domain of a network of an access point."""
    domain = radio.ssid, radio.mobility_domain
    return [one for one in _others(plan, node) if (one.ssid, one.mobility_domain) == domain]


def hostapd_conf(plan: types.Plan, node: types.Node) -> str:
    """Return the hostapd.conf of an access point."""
    if node.radio is None:
        raise ValueError(f"{node.name} has no radio")
    return hostap_config.hostapd_conf(
        node.radio,
        lambda radio: bridge(radio.vlan) if node.openflow is None else None,
        partial(neighbours, plan, node),
        hostap_config.HOSTAPD_FOLDER
        if node.owner is None
        else f"{hostap_config.HOSTAPD_FOLDER}/{node.radio.interface}",
    )
