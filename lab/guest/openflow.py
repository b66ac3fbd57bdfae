# SPDX-License-Identifier: MIT
"""Open vSwitch in a node: its daemons, its bridge, its flow rules."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING

from lab.guest.steps import UP_TIMEOUT_NS, Do, RunCommand, Step, Write, await_socket, start_daemon
from lab.shared import types

if TYPE_CHECKING:
    from lab.guest.live import LiveGuest

PORT = 6653  # IANA's for OpenFlow
DATABASE = "/etc/openvswitch/conf.db"
_SCHEMA = "/usr/share/openvswitch/vswitch.ovsschema"
_RUN = "/run/openvswitch"
_SOCKET = f"{_RUN}/db.sock"
CONTROL = f"{_RUN}/vswitchd.ctl"
_LOG = ("-vconsole:warn", "-vsyslog:off", "-vfile:off")
_PORT = re.compile(r"^\s*(?P<name>\S+)\s+(?P<role>[A-Z]\w+)\s+(?P<state>[A-Z]\w+)\s+\d", re.MULTILINE)
_TREE = {("Root", "Forwarding"), ("Designated", "Forwarding"), ("Alternate", "Discarding"), ("Backup", "Discarding")}
_PROTOCOLS = "OpenFlow10,OpenFlow13"


def ports(node: types.Node) -> list[str]:
    """Return the wired interfaces that a node bridges: all but those to its controller."""
    return [one.name for one in node.interfaces if not one.control]


def start(node: types.Node, bridged: Sequence[str]) -> Iterator[Step]:
    """Start the database, the daemon on the kernel's datapath, and the bridge; wait for its controller."""
    name = node.name
    yield Write(f"{_RUN}/.keep", "", name)
    yield RunCommand(["ovsdb-tool", "create", DATABASE, _SCHEMA], name)
    database = [DATABASE, f"--remote=punix:{_SOCKET}", "--no-chdir", f"--unixctl={_RUN}/ovsdb.ctl", *_LOG]
    yield start_daemon(name, "ovsdb-server", ["ovsdb-server", *database])
    yield await_socket(name, "ovsdb-server", _SOCKET)
    control = ["--no-chdir", f"--unixctl={CONTROL}"]
    yield start_daemon(name, "ovs-vswitchd", ["ovs-vswitchd", f"unix:{_SOCKET}", *control, *_LOG])
    yield RunCommand(_bridge(node, bridged), name)
    given = node.openflow
    if given is None:
        return
    if given.stp:
        yield Do([f"# wait for {name} to find its place in the spanning tree"], partial(_await_tree, node), name)
    if given.rules:
        yield RunCommand(flows(name, "add"), name, given.rules)
    if given.controller_ip is not None:
        connected = ["wait-until", "Controller", name, "is_connected=true"]
        yield RunCommand([*_vsctl(), *connected], name)


def flows(bridge: str, command: str) -> list[str]:
    """Return the command that adds or deletes the flow rules in its standard input."""
    return ["ovs-ofctl", "-O", "OpenFlow13", "add-flows" if command == "add" else "del-flows", bridge, "-"]


def _await_tree(node: types.Node, guest: LiveGuest) -> None:
    """Wait until each port has a role, and the state that goes with it."""
    container = guest.container(node.name)
    shown = ""

    def settled() -> bool:
        nonlocal shown
        shown = container.run("ovs-appctl", "-t", CONTROL, "rstp/show", node.name).decode()
        states = dict.fromkeys(
            found["name"] for found in _PORT.finditer(shown) if (found["role"], found["state"]) in _TREE
        )
        return states.keys() == set(ports(node))

    guest.loop.wait_for(settled, UP_TIMEOUT_NS, f"the spanning tree of {node.name}", lambda: shown, node.name)


def _vsctl() -> list[str]:
    return ["ovs-vsctl", f"--db=unix:{_SOCKET}", "--timeout=10"]


def _bridge(node: types.Node, bridged: Sequence[str]) -> list[str]:
    """Return one transaction that makes a bridge of all ports, named as the node, and waits for it.

    QoS type linux-noop keeps Open vSwitch from deleting the netem queues of its ports.
    """
    name, given = node.name, node.openflow
    words = [*_vsctl(), "--", "init", "--", "add-br", name]
    words += ["--", "set-fail-mode", name, "standalone" if given is None or given.standalone else "secure"]
    if given is not None:
        identity = f"other-config:datapath-id={node.index:016x}"
        words += ["--", "set", "Bridge", name, f"protocols={_PROTOCOLS}", identity, f"rstp_enable={given.stp}".lower()]
        if given.controller_ip is not None:
            words += ["--", "set-controller", name, f"tcp:{given.controller_ip}:{PORT}"]
    words += ["--", "--id=@tc", "create", "QoS", "type=linux-noop"]
    for port in bridged:
        words += ["--", "add-port", name, port]
        edge = ["other-config:rstp-port-admin-edge=true"] if given is not None and port in given.edges else []
        words += ["--", "set", "Port", port, "qos=@tc", *edge]
    return words
