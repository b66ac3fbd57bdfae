# SPDX-License-Identifier: MIT
"""``lab run --dry-run``: every command of a run, in order, as the guest would give it."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from lab.build.stack import files, stack, sysroot
from lab.guest import commands as guest
from lab.guest import hostap_config
from lab.guest.medium import requests
from lab.guest.medium.uapi import FAMILY
from lab.machine.process import MEMORY_BYTES, GuestFiles, command_line
from lab.model import library
from lab.model.document import label_of
from lab.plan.load import load
from lab.shared.medium_types import Medium
from lab.shared.types import Event, Netem, Node, Plan, Process

# what is known only when a run is made
_FILES = GuestFiles(Path("KERNEL"), Path("INITRD"), Path("IMAGE"), Path("CODE"), Path("RUN"))


def print_commands(
    topology: str, workload: str, seed: int, settings: list[str], as_json: bool, pcap: str | None = None
) -> None:
    """The verb: print every command of a run, building and booting nothing."""
    plan = load(topology, workload, seed, settings, pcap=pcap)
    lines = commands(plan, library.code_of(workload, plan.stack))
    print(json.dumps(lines, indent=2) if as_json else "\n".join(lines))


def commands(plan: Plan, code: Path | None = None) -> list[str]:
    """One line a command; lines that begin with # say where and when the next ones are given.

    ``code`` is the folder of the plan's stack, where that has code.
    """
    return list(_all(plan, code))


def _all(plan: Plan, code: Path | None) -> Iterator[str]:
    radios = guest.phys(plan)
    yield "# on the host"
    files = _FILES
    if code:
        files = replace(files, stack=Path(stack.SQUASHFS))
        yield from _build(code)
    yield shlex.join(
        command_line(files, Path("SCRATCH"), seed=plan.seed, radios=len(radios), mode="run", memory_bytes=MEMORY_BYTES)
    )
    yield "# in the guest"
    if plan.medium:
        yield from _requests(plan.medium, requests.setup(plan.medium))
    for node in plan.nodes:
        yield shlex.join(["crun", "run", "--detach", node.name])
    yield from _batch("ip", guest.pair_lines(plan, lambda name: f"<pid of {name}>"))
    for name, phy in radios.items():
        yield shlex.join(guest.move_radio(phy, f"<pid of {name}>"))
    for command in guest.countries(plan):
        yield shlex.join(command)
    if plan.pcap:
        yield shlex.join(guest.air_up())
        yield shlex.join(guest.air_capture())
    for node in plan.nodes:
        yield f"# in {node.name}"
        yield from _batch("ip", guest.setup_lines(node, radios.get(node.name)))
        yield from map(shlex.join, guest.radio_settings(node, radios.get(node.name)))
        yield from (shlex.join(["sysctl", "-qw", setting]) for setting in guest.sysctls(node))
        yield from _batch("tc", guest.shaping_lines(node.name, plan.links))
        yield from _DAEMONS[node.kind](plan, node)
    for file in plan.files:
        content = f"{file.random_bytes} random bytes" if file.text is None else f"{len(file.text)} characters"
        yield f"# in {file.node}: {file.path} ({content}, sha256 {file.sha256[:16]}…)"
    yield from _timeline(plan)


def _build(code: Path) -> Iterator[str]:
    """What makes the code of a stack, unless the cache has it."""
    yield f"# {label_of(code)}, unless it is built: FILES is a copy of it, SYSROOT has headers and libraries of"
    packages = [*sysroot.PACKAGES, *files.listed(code / files.BUILD_PACKAGES)]
    yield f"# {', '.join(packages)}"
    sources = {package: Path(stack.variable(package)) for package in files.listed(code / files.SOURCES)}
    for package in sources:
        yield f"# {stack.variable(package)} has the source of the image's {package}"
    yield shlex.join(stack.make_command(code.name, Path("FILES"), Path("ROOT"), Path("SYSROOT"), sources))


def _requests(medium: Medium, requests: Iterable[requests.Request]) -> Iterator[str]:
    """What goes to the kernel by netlink."""
    for request in requests:
        yield f"# netlink, {FAMILY}: {request.describe(medium.names())}"


def _batch(tool: str, lines: list[str]) -> Iterator[str]:
    for line in lines:
        yield f"{tool} {line}"


def _switch_daemons(plan: Plan, node: Node) -> Iterator[str]:
    for argv in (
        guest.ovs_create(),
        guest.ovs_database(),
        guest.ovs_daemon(),
        guest.ovs_bridge(node),
        guest.ovs_follow(node),
    ):
        yield shlex.join(argv)


def _ap_daemons(plan: Plan, node: Node) -> Iterator[str]:
    if node.radio:
        yield from _config(guest.HOSTAPD_CONF, guest.hostapd_conf(plan, node))
        yield shlex.join(guest.hostapd())
        follow = guest.ap_follow(plan, node)
        if follow:
            yield shlex.join(follow)


def _station_daemons(plan: Plan, node: Node) -> Iterator[str]:
    if node.radio:
        yield from _config(guest.SUPPLICANT_CONF, hostap_config.wpa_supplicant_conf(node.radio))
        yield shlex.join(guest.wpa_supplicant(node.radio))


def _monitor(plan: Plan, node: Node) -> Iterator[str]:
    return map(shlex.join, guest.monitor(node.radio)) if node.radio else iter(())


def _no_daemons(plan: Plan, node: Node) -> Iterator[str]:
    return iter(())


_DAEMONS = {
    "host": _no_daemons,
    "switch": _switch_daemons,
    "ap": _ap_daemons,
    "sta": _station_daemons,
    "monitor": _monitor,
}


def _config(path: str, text: str) -> Iterator[str]:
    yield f"# {path}:"
    for line in text.splitlines():
        yield f"#   {line}"


def _timeline(plan: Plan) -> Iterator[str]:
    """Processes and events in the order of their times; processes first, as in the guest."""
    moments: list[tuple[int, int, list[str]]] = []
    for process in plan.processes:
        moments.append((process.at_ns, 0, _process(plan, process)))
    for event in plan.events:
        moments.append((event.at_ns, 1, _event(plan, event)))
    if plan.medium:
        for update in plan.medium.updates:
            moments.append((update.at_ns, 2, list(_requests(plan.medium, requests.update(update)))))
    for at_ns, _, lines in sorted(moments, key=lambda moment: moment[:2]):
        yield f"# {'before the timeline' if at_ns < 0 else f'at {at_ns / 1e9:g} s'}"
        yield from lines


def _process(plan: Plan, process: Process) -> list[str]:
    argv = process.argv
    every_ns = process.every_ns  # None: as fast as it goes
    every = f" every {every_ns / 1e9:g} s" if argv and every_ns is not None else ""
    listening = f"# in {process.node}: {process.probe} ({process.id}) listens to the control socket"
    return [f"# in {process.node}{every}, as {process.id}", shlex.join(argv)] if argv else [listening]


def _event(plan: Plan, event: Event) -> list[str]:
    return _EVENTS[event.kind](plan, event)


def _link_ends(plan: Plan, name: str) -> list[str]:
    return [end for link in plan.links if link.name == name for end in (link.a, link.b)]


def _roam(plan: Plan, event: Event) -> list[str]:
    radio = plan.node(event.params["to"]).radio
    interface = plan.node(event.target).radio
    if radio is None or interface is None:
        return []
    socket = f"wpa_cli -i {interface.interface}"
    return [f"{socket} scan freq={radio.frequency_mhz}", f"{socket} roam {radio.mac}"]


def _netem(plan: Plan, event: Event) -> list[str]:
    words = guest.netem_words(Netem(**event.params))
    return [f"tc qdisc replace dev {end} root {' '.join(words)}" for end in _link_ends(plan, event.target)]


def _link(plan: Plan, event: Event) -> list[str]:
    state = "up" if event.params["up"] else "down"
    return [f"ip link set {end} {state}" for end in _link_ends(plan, event.target)]


def _move(plan: Plan, event: Event) -> list[str]:
    speed = f" at {event.params['speed_m_s']} m/s" if "speed_m_s" in event.params else ""
    return [f"# {event.target} moves to {event.params['position_m']} m{speed}"]


def _fault(plan: Plan, event: Event) -> list[str]:
    if plan.medium is None:
        return []
    return list(_requests(plan.medium, [requests.fault(event.target, event.params, plan.medium.names())]))


def _approximate(plan: Plan, event: Event) -> list[str]:
    if plan.medium is None:
        return []
    index = next(radio.index for radio in plan.medium.radios if radio.node == event.target)
    return list(_requests(plan.medium, [requests.approximate(index, event.params["enabled"])]))


_EVENTS: dict[str, Callable[[Plan, Event], list[str]]] = {
    "roam": _roam,
    "netem": _netem,
    "link": _link,
    "exec": lambda plan, event: [f"# in {event.target}", shlex.join(event.params["argv"])],
    "stop": lambda plan, event: [f"# SIGTERM to {event.target}"],
    "move": _move,
    "fault": _fault,
    "approximate": _approximate,
}
