# SPDX-License-Identifier: MIT
"""A learning Open vSwitch in the guest (fail-mode standalone): its daemons run in its own container."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from lab.guest.commands import FOLLOW_IN_NODE
from lab.guest.kinds import NodeKind, Phase
from lab.guest.steps import RunCommand, Step, Write, await_socket, start_daemon
from lab.shared import types

_DATABASE = "/etc/openvswitch/conf.db"
_SCHEMA = "/usr/share/openvswitch/vswitch.ovsschema"
_RUN = "/run/openvswitch"
_SOCKET = f"{_RUN}/db.sock"
_CONTROL = f"{_RUN}/vswitchd.ctl"
_LOG = ("-vconsole:warn", "-vsyslog:off", "-vfile:off")


class Switch(NodeKind):
    """A learning switch."""

    class_name: ClassVar[str] = "Switch"
    lists: ClassVar[tuple[str, ...]] = ("switches",)
    phase: ClassVar[Phase | None] = Phase.FORWARD

    def start(self, plan: types.Plan, node: types.Node) -> Iterator[Step]:
        """Start the database, the daemon on the kernel's datapath and the bridge, then the program that makes it
        follow stations that change access points (images/initrd/follow.c).
        """
        name = node.name
        yield Write(f"{_RUN}/.keep", "", name)
        yield RunCommand(["ovsdb-tool", "create", _DATABASE, _SCHEMA], name)
        database = [_DATABASE, f"--remote=punix:{_SOCKET}", "--no-chdir", f"--unixctl={_RUN}/ovsdb.ctl", *_LOG]
        yield start_daemon(name, "ovsdb-server", ["ovsdb-server", *database])
        yield await_socket(name, "ovsdb-server", _SOCKET)
        control = ["--no-chdir", f"--unixctl={_CONTROL}"]
        yield start_daemon(name, "ovs-vswitchd", ["ovs-vswitchd", f"unix:{_SOCKET}", *control, *_LOG])
        yield RunCommand(_bridge(node), name)
        yield start_daemon(name, "follow", [FOLLOW_IN_NODE, "switch", _CONTROL, name])


def _bridge(node: types.Node) -> list[str]:
    """Return one transaction that makes a learning bridge of all ports, named as the switch, and waits for it.

    QoS type linux-noop keeps Open vSwitch from deleting the netem queues of its ports.
    """
    words = ["ovs-vsctl", f"--db=unix:{_SOCKET}", "--timeout=10", "--", "init", "--", "add-br", node.name]
    words += ["--", "set-fail-mode", node.name, "standalone"]
    words += ["--", "--id=@tc", "create", "QoS", "type=linux-noop"]
    for interface in node.interfaces:
        words += ["--", "add-port", node.name, interface.name]
        words += ["--", "set", "Port", interface.name, "qos=@tc"]
    return words
