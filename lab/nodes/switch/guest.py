# SPDX-License-Identifier: MIT
"""An Open vSwitch in the guest: its daemons run in its own container."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar

from lab.guest.commands import FOLLOW_IN_NODE, own_address
from lab.guest.kinds import NodeKind, Phase
from lab.guest.steps import Configure, RunCommand, Step, Write, await_socket, start_daemon
from lab.shared import types

DATABASE = "/etc/openvswitch/conf.db"
_SCHEMA = "/usr/share/openvswitch/vswitch.ovsschema"
_OWN_PORT = 0xFF  # in its MAC address, where ports have their number
_RUN = "/run/openvswitch"
_SOCKET = f"{_RUN}/db.sock"
CONTROL = f"{_RUN}/vswitchd.ctl"
_LOG = ("-vconsole:warn", "-vsyslog:off", "-vfile:off")


class Switch(NodeKind):
    """A switch."""

    class_name: ClassVar[str] = "Switch"
    lists: ClassVar[tuple[str, ...]] = ("switches",)
    phase: ClassVar[Phase | None] = Phase.FORWARD

    def start(self, plan: types.Plan, node: types.Node) -> Iterator[Step]:
        """Start Open vSwitch and, unless OpenFlow programs it, the program that makes it follow stations that change
        access points (images/initrd/follow.c).
        """
        yield from open_vswitch(node, ports(node))
        if node.openflow is None or not node.openflow.programmed:
            yield follow(node, "follow")


def follow(node: types.Node, name: str) -> Step:
    """Return the step that starts that program."""
    return start_daemon(node.name, name, [FOLLOW_IN_NODE, "switch", CONTROL, node.name])


def ports(node: types.Node) -> list[str]:
    """Return the wired interfaces that a node bridges: all but those to its controller."""
    return [one.name for one in node.interfaces if not one.control]


def open_vswitch(node: types.Node, bridged: Sequence[str]) -> Iterator[Step]:
    """Start the database, the daemon on the kernel's datapath, and the bridge; apply what OpenFlow adds to it."""
    name = node.name
    yield Write(f"{_RUN}/.keep", "", name)
    yield RunCommand(["ovsdb-tool", "create", DATABASE, _SCHEMA], name)
    database = [DATABASE, f"--remote=punix:{_SOCKET}", "--no-chdir", f"--unixctl={_RUN}/ovsdb.ctl", *_LOG]
    yield start_daemon(name, "ovsdb-server", ["ovsdb-server", *database])
    yield await_socket(name, "ovsdb-server", _SOCKET)
    control = ["--no-chdir", f"--unixctl={CONTROL}"]
    yield start_daemon(name, "ovs-vswitchd", ["ovs-vswitchd", f"unix:{_SOCKET}", *control, *_LOG])
    yield RunCommand(_bridge(node, bridged), name)
    if node.ip:
        yield Configure(["ip", "-batch", "-"], name, [f"link set {name} up", *own_address(node, name)])
    if node.openflow is not None:
        from lab.guest import openflow  # an import takes virtual time

        yield from openflow.program(node, node.openflow, vsctl(), CONTROL, ports(node))


def vsctl() -> list[str]:
    """Return the beginning of a command that changes the configuration."""
    return ["ovs-vsctl", f"--db=unix:{_SOCKET}", "--timeout=10"]


def _bridge(node: types.Node, bridged: Sequence[str]) -> list[str]:
    """Return one transaction that makes a bridge of all ports, named as the node, and waits for it.

    QoS type linux-noop keeps Open vSwitch from deleting the netem queues of its ports.
    """
    name, given = node.name, node.openflow
    words = [*vsctl(), "--", "init", "--", "add-br", name]
    words += ["--", "set-fail-mode", name, "standalone" if given is None or given.standalone else "secure"]
    words += ["--", "--id=@tc", "create", "QoS", "type=linux-noop"]
    networks = [one for owner in node.radios() if owner.radio for one in owner.radio.networks()]
    ports = {one.name: one for one in node.interfaces} | {one.interface: one for one in networks}
    for port in bridged:
        edge = ["other-config:rstp-port-admin-edge=true"] if given is not None and port in given.edges else []
        words += ["--", "add-port", name, port]
        words += ["--", "set", "Port", port, "qos=@tc", *edge, *_vlans(ports[port], node)]
    if node.ip:
        address = f"02:00:01:{node.index >> 8:02x}:{node.index & 0xFF:02x}:{_OWN_PORT:02x}"
        words += ["--", "set", "Bridge", name, f'other-config:hwaddr="{address}"']
        words += ["--", "set", "Port", name, f"tag={node.vlan}"] if _tells_vlans(node) else []
    if given is not None:
        identity = f"other-config:datapath-id={node.index:016x}"
        protocols = "protocols=OpenFlow10,OpenFlow13"
        words += ["--", "set", "Bridge", name, protocols, identity, f"rstp_enable={given.stp}".lower()]
    return words


def _tells_vlans(node: types.Node) -> bool:
    """Check whether a bridge is in a topology with VLANs."""
    return any(one.vlan is not None or one.vlans for one in node.interfaces)


def _vlans(port: types.Interface | types.Radio, node: types.Node) -> list[str]:
    """Return the VLANs of a port in Open vSwitch's words: an access port, or a trunk; of the radio: an access port."""
    if isinstance(port, types.Radio):
        return [f"tag={port.vlan}"] if _tells_vlans(node) else []
    if not port.vlans:
        return [] if port.vlan is None else [f"tag={port.vlan}"]
    trunks = f"trunks={','.join(map(str, port.carries()))}"
    return [trunks, *([f"tag={port.vlan}", "vlan_mode=native-untagged"] if port.vlan else [])]
