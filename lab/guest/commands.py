# SPDX-License-Identifier: MIT
"""Commands that are the same for all kinds of nodes; those of one kind are in lab/nodes/<kind>/guest.py."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from lab.guest.tasks import ENVIRONMENT
from lab.shared import types
from lab.shared.paths import (
    AIR_CAPTURE,
    CGROUPS,
    CODE,
    CODE_IN_NODE,
    CONTAINER,
    EMPTY,
    ENTER,
    FOLLOW,
    NODES,
    PROGRAMS,
    PROGRAMS_IN_NODE,
    RAW_IN_NODE,
    STACK,
)

FOLLOW_IN_NODE = "/run/lab/follow"
ENTER_IN_NODE = "/run/lab/enter"  # of a node with a Docker image: from the base into that
Mount = tuple[str, str, str]  # what, where in a node, ro or rw
DOCKER = "docker-"  # in names of what a node has of its Docker image
AIR_INTERFACE = "hwsim0"  # the kernel's: while it is up, it shows every frame on the medium


def pair_lines(plan: types.Plan, pid: Callable[[str], int | str]) -> list[str]:
    """Return ``ip -batch`` lines that create all veth pairs at once, each end in its container."""
    macs = {interface.name: interface.mac for node in plan.nodes for interface in node.interfaces}
    return [
        f"link add name {link.a} address {macs[link.a]} netns {pid(link.node_a)} "
        f"type veth peer name {link.b} address {macs[link.b]} netns {pid(link.node_b)}"
        for link in plan.links
    ]


def mounts(plan: types.Plan) -> tuple[Mount, ...]:
    """Return the mounts by which every node of a plan sees files of the guest."""
    found = [(FOLLOW, FOLLOW_IN_NODE, "ro"), (str(EMPTY), RAW_IN_NODE, "ro")]
    # the squashfs of a stack that uses others has a directory for each
    found += [(str(STACK / name if plan.used_stacks else STACK), f"/opt/{name}", "ro") for name in plan.stacks()]
    if plan.programs:
        found += [(str(PROGRAMS), PROGRAMS_IN_NODE, "ro"), (str(CODE), CODE_IN_NODE, "ro")]
    return tuple(found)


def mounts_of(node: types.Node, common: Sequence[Mount]) -> tuple[Mount, ...]:
    """Return the mounts of a node, ``common`` included."""
    return (*common, (ENTER, ENTER_IN_NODE, "ro")) if node.docker else tuple(common)


def stack_environment(stacks: Sequence[str]) -> dict[str, str]:
    """Return the variables by which programs of nodes find programs, libraries and Python modules of stacks."""
    return {
        "PATH": ":".join([*(f"/opt/{stack}/bin" for stack in stacks), ENVIRONMENT["PATH"]]),
        "LD_LIBRARY_PATH": ":".join(f"/opt/{stack}/lib" for stack in stacks),
        "PYTHONPATH": ":".join(f"/opt/{stack}/lib/python3" for stack in stacks),
    }


def memory_kills_text(node: types.Node, kills: int) -> str:
    """Describe that a node ran out of memory, with the number of processes killed for it if that is not clear."""
    cost = f", and the kernel killed {kills} of its programs" if kills else ""
    return (
        f"ran out of memory ({size_text(node.memory_bytes)}), which also holds the files that it writes{cost}; "
        "write a larger memory: for it"
    )


def size_text(size_bytes: int) -> str:
    """Format a limit for readers."""
    return f"{size_bytes / (1 << 20):.6g} MiB" if size_bytes >= 1 << 20 else f"{size_bytes} B"


def pids_text(node: types.Node) -> str:
    """Describe that a node has reached its limit of processes."""
    return f"reached its limit of {node.pids_max} processes and threads (pids:)"


def start_container(node: types.Node, mounts: Sequence[Mount]) -> list[str]:
    """Return the command that starts the container of a node with these mounts."""
    name, words = node.name, [word for mount in mounts for word in mount]
    return [CONTAINER, *_cage(node), name, f"{NODES}/{name}/root", f"{CGROUPS}/lab-{name}/cgroup.procs", *words]


def _cage(node: types.Node) -> list[str]:
    return ["-p"] if node.privileged else []


def start_docker(node: types.Node, mounts: Sequence[Mount], pid: int | str) -> list[str]:
    """Return the command that starts the Docker image of a node next to its container, whose first process is ``pid``.

    As in Docker, host name and hosts are the node's, whatever the image has.
    """
    name, home = node.name, f"{NODES}/{node.name}"
    names = [(f"{home}/root/etc/{file}", f"/etc/{file}", "rw") for file in ("hostname", "hosts")]
    words = [word for mount in (*mounts, *names) for word in mount]
    return [
        CONTAINER,
        *_cage(node),
        name,
        f"{home}/{DOCKER}root",
        f"{CGROUPS}/lab-{name}/cgroup.procs",
        str(pid),
        *words,
    ]


def wired_lines(node: types.Node) -> list[str]:
    """Return ``ip -batch`` lines that bring the wired interfaces up.

    Packets are those that an Ethernet would carry, without segmentation offload: netem would lose or delay a bunch of
    segments as one packet.
    """
    lines = ["link set lo up"]
    for interface in node.interfaces:
        if interface.parent:
            lines.append(f"link add link {interface.parent} name {interface.name} type vlan id {interface.vlan}")
        lines.append(f"link set {interface.name} up gso_max_segs 1")
        if interface.ip:
            lines.append(f"addr add {interface.ip} brd + dev {interface.name}")
        if interface.ip6:
            lines.append(f"addr add {interface.ip6} dev {interface.name} nodad")
    return lines


def own_address(node: types.Node, interface: str) -> list[str]:
    """Return ``ip -batch`` lines that give a bridge its own address."""
    lines = [f"addr replace {node.ip} brd + dev {interface}"] if node.ip else []
    return [*lines, *([f"addr replace {node.ip6} dev {interface} nodad"] if node.ip6 else [])]


def radio_lines(node: types.Node, phy: int | None) -> list[str]:
    """Return ``ip -batch`` lines that give the interface of mac80211_hwsim the plan's name and address."""
    if node.radio is None:
        return []
    return [f"link set wlan{phy} name {node.radio.interface} address {node.radio.mac}"]


def netem_words(netem: types.Netem) -> list[str]:
    """Return the arguments of ``tc qdisc … root``; empty if there is nothing to emulate.

    netem reorders by letting a share of packets skip the delay, so reordering needs a delay.
    """
    words: list[str] = []
    if netem.delay_ns or netem.jitter_ns:
        words += ["delay", f"{netem.delay_ns}ns"]
        if netem.jitter_ns:
            words += [f"{netem.jitter_ns}ns"]
    if netem.reorder_percent:
        words += ["reorder", f"{netem.reorder_percent:.12g}%"]
    if netem.loss_percent:
        words += ["loss", f"{netem.loss_percent:.12g}%"]
    if netem.rate_bps:
        words += ["rate", f"{netem.rate_bps}bit"]
    return ["netem", *words, "limit", str(netem.limit_packets)] if words else []


def shaping_lines(node: str, links: list[types.Link]) -> list[str]:
    """Return the ``tc -batch`` lines for inside a node's container."""
    lines = []
    for link in links:
        words = netem_words(link.netem)
        for owner, interface in ((link.node_a, link.a), (link.node_b, link.b)):
            if owner == node and words:
                lines.append(f"qdisc add dev {interface} root {' '.join(words)}")
    return lines


def air_up() -> list[str]:
    """Return the command that has the kernel show the frames on the medium."""
    return ["ip", "link", "set", AIR_INTERFACE, "up"]


def air_capture() -> list[str]:
    """Return the command that captures the medium: whole frames with the kernel's time stamps.

    Blocks of frames wake tcpdump, not single frames. Time stands still while tcpdump works, so its buffer (16 MiB; -B
    counts KiB) never fills up.
    """
    command = ["tcpdump", "-i", AIR_INTERFACE, "-w", str(AIR_CAPTURE), "-n", "-p", "-Q", "in", "-B", "16384"]
    return [*command, "--time-stamp-precision=nano", "-Z", "root"]
