# SPDX-License-Identifier: MIT
"""What OpenFlow and RSTP add to an Open vSwitch in the guest."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from lab.guest.loop import now_ns
from lab.guest.steps import UP_TIMEOUT_NS, Do, RunCommand, Step
from lab.shared import types

if TYPE_CHECKING:
    from lab.guest.live import LiveGuest

PORT = 6653  # IANA's for OpenFlow
_LOOK_NS = 100_000_000
_PORT = re.compile(r"^\s*(?P<name>\S+)\s+(?P<role>[A-Z]\w+)\s+(?P<state>[A-Z]\w+)\s+\d", re.MULTILINE)
_TREE = {("Root", "Forwarding"), ("Designated", "Forwarding"), ("Alternate", "Discarding"), ("Backup", "Discarding")}


def program(
    node: types.Node, given: types.OpenFlow, vsctl: Sequence[str], control: str, ports: Sequence[str]
) -> Iterator[Step]:
    """Yield the steps that give a bridge its place in a spanning tree, its rules and its controller.

    ``vsctl``: the beginning of a command that configures it; ``control``: its daemon's socket; ``ports``: wired ones.
    """
    name = node.name
    if given.stp:
        yield Do(
            [f"# wait for {name} to find its place in the spanning tree"],
            partial(_await_tree, name, control, ports),
            name,
        )
    if given.rules:
        yield RunCommand(flows(name, "add"), name, given.rules)
    if given.controller_ip is not None:
        yield RunCommand([*vsctl, "set-controller", name, f"tcp:{given.controller_ip}:{PORT}"], name)
        yield RunCommand([*vsctl, "wait-until", "Controller", name, "is_connected=true"], name)


def flows(bridge: str, command: str) -> list[str]:
    """Return the command that adds or deletes the flow rules in its standard input."""
    return ["ovs-ofctl", "-O", "OpenFlow13", "add-flows" if command == "add" else "del-flows", bridge, "-"]


def _await_tree(name: str, control: str, ports: Sequence[str], guest: LiveGuest) -> None:
    """Wait until each port has a role, and the state that goes with it; ports without a carrier have none."""
    container = guest.container(name)
    shown, next_ns = "", 0
    with container.files():
        carrying = {port for port in ports if _operational(port)}

    def settled() -> bool:
        nonlocal shown, next_ns
        if now_ns() < next_ns:  # each look takes a process
            return False
        next_ns = now_ns() + _LOOK_NS
        shown = container.run("ovs-appctl", "-t", control, "rstp/show", name).decode()
        found = {one["name"] for one in _PORT.finditer(shown) if (one["role"], one["state"]) in _TREE}
        return found >= carrying

    guest.loop.wait_for(settled, UP_TIMEOUT_NS, f"the spanning tree of {name}", lambda: shown, name)


def _operational(interface: str) -> bool:
    return Path("/sys/class/net", interface, "operstate").read_bytes() == b"up\n"
