# SPDX-License-Identifier: MIT
"""How a probe of the plan becomes a command: for the guest, and for ``--dry-run``."""

from __future__ import annotations

from lab.guest.paths import RAW_IN_NODE
from lab.plan import types
from lab.probes import base as probes


def raw_prefix(process: types.Process) -> str:
    """What the tool's own files are called, as the node sees them, without the suffix."""
    return f"{RAW_IN_NODE}/{process.id}"


def target(node: types.Node) -> probes.Target:
    """The node as probes see it."""
    radio = node.radio.interface if node.radio else None
    wired = [interface.name for interface in node.interfaces]
    first = radio if radio and (node.kind == "sta" or not wired) else wired[0]
    return probes.Target(node=node.name, interface=first, radio=radio, ip=node.ip)


def argv(plan: types.Plan, process: types.Process) -> list[str]:
    """The command line of a probe process; empty for one that listens to a control socket."""
    if process.probe is None:
        return process.argv
    probe = probes.load(process.probe)
    if probe.mode == "control":
        return []
    return probe.argv(target(plan.node(process.node)), process.params, raw_prefix(process))
