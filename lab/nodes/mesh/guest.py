# SPDX-License-Identifier: MIT
"""A mesh point in the guest: wpa_supplicant makes its peer links, the kernel finds paths (HWMP)."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from lab.guest import commands, hostap_config
from lab.guest.errors import GuestError
from lab.guest.kinds import NodeKind, Phase
from lab.guest.steps import (
    UP_TIMEOUT_NS,
    Configure,
    Do,
    RunCommand,
    Step,
    Write,
    attach,
    note,
    pause,
    set_sysctl,
    start_daemon,
)
from lab.shared import types

if TYPE_CHECKING:
    from lab.guest.live import LiveGuest

_CONFIG = f"{hostap_config.SUPPLICANT_FOLDER}/wpa_supplicant.conf"
_DAEMON = "wpa_supplicant"
_JOINED, _PEERED = "MESH-GROUP-STARTED", "MESH-PEER-CONNECTED"
# Computation takes no virtual time: nodes started together would send their beacons in the same nanosecond.
_GAP_NS = 20_000_000
_WELL_MB = 1000  # SNR from which on two certainly become peers


class MeshPoint(NodeKind):
    """A mesh point; Mininet-WiFi's are stations."""

    class_name: ClassVar[str] = "MeshPoint"
    lists: ClassVar[tuple[str, ...]] = ("hosts", "stations")
    phase: ClassVar[Phase | None] = Phase.JOIN

    def lines(self, node: types.Node, phy: int | None) -> list[str]:
        """Give the radio the node's address; of a gate: a bridge over its wired ports, which the radio joins later."""
        lines = super().lines(node, phy)
        name = node.first_interface
        if node.radio is not None and _is_gate(node.radio):
            # an own address: otherwise it would change when the radio joins
            made = f"link add {name} address {node.radio.mac} type bridge forward_delay 0 stp_state 0"
            lines = [made, *lines, *(f"link set {one.name} master {name}" for one in node.interfaces)]
            lines.append(f"link set {name} up")
        return [*lines, *commands.own_address(node, str(name))]

    def settings(self, node: types.Node, phy: int | None) -> Iterator[Step]:
        """Keep the IPv6 address while wpa_supplicant takes the radio down, to make it a mesh point."""
        yield from super().settings(node, phy)
        if node.ip6 and node.radio is not None:
            yield set_sysctl(f"ipv6/conf/{node.radio.interface}/keep_addr_on_down", "1", node.name)

    def start(self, plan: types.Plan, node: types.Node) -> Iterator[Step]:
        if node.radio is None:
            return
        name = node.radio.interface
        if _is_gate(node.radio):  # with power again: no port of a bridge can be a station, as the radio is at first
            yield Configure(["ip", "link", "set", name, "nomaster"], node.name)
        yield Write(_CONFIG, hostap_config.wpa_supplicant_conf(node.radio), node.name)
        yield start_daemon(node.name, _DAEMON, [_DAEMON, "-t", f"-i{name}", "-Dnl80211", f"-c{_CONFIG}"])
        control = f"{hostap_config.SUPPLICANT_CONTROL}/{name}"
        for argv, _ in _after_joining(node):
            yield note(f"once it has joined the mesh: {' '.join(argv)}")
        yield attach(node.name, _DAEMON, control, [_CONFIG], partial(_on_event, node))
        if plan.medium is not None:
            yield pause(_GAP_NS)

    def wait(self, plan: types.Plan, node: types.Node) -> Iterator[Step]:
        if node.radio is None:
            return
        if not node.radio.awaited:
            yield note(f"{node.name} is not awaited")
            return
        all_of, one_of = _peers(plan, node, _WELL_MB), _peers(plan, node, None)
        if _picks_peers(node.radio):
            all_of = []
        if not one_of:
            yield note(f"{node.name} hears no other mesh point")
            return
        names = ", ".join(peer.name for peer in all_of) or " or ".join(peer.name for peer in one_of)
        what = f"{node.name} to have a peer link with {names}"
        yield Do([f"# wait for {what}"], partial(_await_peers, node, all_of, one_of, what), node.name)


def _is_gate(radio: types.Radio) -> bool:
    return radio.mesh is not None and radio.mesh.gate


def _picks_peers(radio: types.Radio) -> bool:
    given = (*(radio.mesh.params if radio.mesh else ()), *radio.network)
    return any(param.name == "mesh_rssi_threshold" for param in given)


def _peers(plan: types.Plan, node: types.Node, least_mb: int | None) -> list[types.Node]:
    """Return the awaited nodes of its mesh that hear it, and that it hears, with such an SNR; None: if at all."""
    own = node.radio
    found = []
    for other in plan.nodes:
        radio = other.radio
        if own and radio and radio.mesh and radio.awaited and other is not node:
            same = (radio.ssid, radio.frequency_mhz) == (own.ssid, own.frequency_mhz)
            if same and _reserve_mb(plan, node, other, least_mb) >= 0:
                found.append(other)
    return found


def _reserve_mb(plan: types.Plan, one: types.Node, other: types.Node, least_mb: int | None) -> int:
    """Return by how much the weaker direction between two radios is above a level."""
    if plan.medium is None or one.radio is None:
        return 0
    numbers = types.radio_numbers(plan.nodes)
    a, b = numbers[one.name], numbers[other.name]
    heard = [plan.medium.hearing(*ends, one.radio.frequency_mhz or 0) for ends in ((a, b), (b, a))]
    return min(way.reserve_mb if least_mb is None else way.snr_mb - least_mb for way in heard)


def _after_joining(node: types.Node) -> Iterator[tuple[list[str], str]]:
    """Yield what can be done only once the radio is in its mesh, with the line of the topology."""
    if node.radio is None or node.radio.mesh is None:
        return
    name = node.radio.interface
    for param in node.radio.mesh.params:
        yield ["iw", "dev", name, "set", "mesh_param", f"{param.name}={param.value}"], param.source
    if node.radio.mesh.gate:
        yield ["ip", "link", "set", name, "master", str(node.first_interface)], node.source


def _on_event(node: types.Node, guest: LiveGuest, stamp_ns: int, text: str) -> None:
    if _JOINED in text:
        guest.guard(partial(_joined, node, guest))


def _joined(node: types.Node, guest: LiveGuest) -> None:
    for argv, source in _after_joining(node):
        try:
            RunCommand(argv, node.name).execute(guest)
        except GuestError as error:
            raise GuestError(f"{source}: {error.message}", node.name) from None


def _await_peers(
    node: types.Node, all_of: list[types.Node], one_of: list[types.Node], what: str, guest: LiveGuest
) -> None:
    control = guest.controls[node.name]
    task = control.task

    def peered(peer: types.Node) -> bool:
        return peer.radio is not None and control.seen(f"{_PEERED} {peer.radio.mac}")

    def done() -> bool:
        return not task.alive or (all(map(peered, all_of)) if all_of else any(map(peered, one_of)))

    guest.loop.wait_for(done, UP_TIMEOUT_NS, what, control.last, task.name, task.logs, node.source)
    if not task.alive:
        raise GuestError(f"{node.source}: {task.name} {task.describe_end()}", task.name, task.logs)
