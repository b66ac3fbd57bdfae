# SPDX-License-Identifier: MIT
"""Open vSwitch in a container: its database, its daemon, one bridge over all ports."""

from __future__ import annotations

from lab.guest.nodes import Switch

_DATABASE = "/etc/openvswitch/conf.db"
_SOCKET = "/run/openvswitch/db.sock"


def prepare(switch: Switch) -> None:
    """Create an empty configuration database."""
    switch.container.write("/run/openvswitch/.keep", "")
    switch.container.run(
        "ovsdb-tool", "create", _DATABASE, "/usr/share/openvswitch/vswitch.ovsschema"
    )


def database_argv() -> list[str]:
    """The database server, in the foreground."""
    return [
        "ovsdb-server",
        _DATABASE,
        f"--remote=punix:{_SOCKET}",
        "--no-chdir",
        "--unixctl=/run/openvswitch/ovsdb.ctl",
        "-vconsole:warn",
        "-vsyslog:off",
        "-vfile:off",
    ]


def daemon_argv() -> list[str]:
    """The switch daemon, in the foreground; it uses the kernel's datapath."""
    return [
        "ovs-vswitchd",
        f"unix:{_SOCKET}",
        "--no-chdir",
        "--unixctl=/run/openvswitch/vswitchd.ctl",
        "-vconsole:warn",
        "-vsyslog:off",
        "-vfile:off",
    ]


def bridge_argv(switch: Switch) -> list[str]:
    """One transaction: a bridge named as the switch over all its ports; waits until vswitchd has applied it."""
    words = ["ovs-vsctl", f"--db=unix:{_SOCKET}", "--timeout=10", "--", "init", "--", "add-br", switch.name]
    words += ["--", "set-fail-mode", switch.name, "standalone"]
    for interface in switch.spec.interfaces:
        words += ["--", "add-port", switch.name, interface.name]
    return words
