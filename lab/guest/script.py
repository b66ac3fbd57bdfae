# SPDX-License-Identifier: MIT
"""All steps of a plan, in order: the guest executes them, ``--dry-run`` prints them.

The steps start as few processes as possible (one ``ip -batch`` for all veth pairs, another for each node's addresses):
in User Mode Linux an exec costs milliseconds, and nothing else about a network of this size takes noticeable time.
"""

from __future__ import annotations

import signal
from collections.abc import Iterator, Mapping
from functools import partial

from lab.guest import commands, run_steps
from lab.guest.kinds import Phase, event_steps, node_kind
from lab.guest.run_steps import begin
from lab.guest.steps import Configure, Pid, RunCommand, Step, Write, create, pause, place_file, send_signal, set_sysctl
from lab.guest.timeline import Timeline, TimelineMoment
from lab.shared import types
from lab.shared.medium_types import MediumUpdate
from lab.shared.paths import CGROUPS

_FIRST_WAIT_NS = 1_000_000  # virtual time passes only while all programs wait


def steps(plan: types.Plan, pid: Pid) -> Iterator[Step]:
    """Yield the steps of a scripted run, from an empty guest to the end of the last process."""
    yield from network(plan, pid)
    yield from _before_timeline(plan)
    yield Timeline(moments(plan), plan.duration_ns)
    yield from _end(plan)


def network(plan: types.Plan, pid: Pid) -> Iterator[Step]:
    """Yield the steps until all nodes are up and every station is associated."""
    if plan.stack:
        yield run_steps.offer_stack(plan.stacks())
    if images := plan.images():
        yield run_steps.offer_images(images, first_device=2 if plan.stack else 1)
    if plan.programs:
        yield run_steps.share_programs(plan.programs)
    yield from _build(plan, pid)
    yield from _start(plan)


def _build(plan: types.Plan, pid: Pid) -> Iterator[Step]:
    """Create all nodes, links and addresses; no program runs in them yet."""
    phys = types.radio_numbers(plan.nodes)
    if phys:
        from lab.guest.radio_steps import make_radios

        yield make_radios(plan)
    if plan.rate_control and phys:
        from lab.guest.radio_steps import check_rate_control

        yield check_rate_control(plan.rate_control, min(phys.values()))
    # so that containers can have limits of memory and processes
    yield Write(f"{CGROUPS}/cgroup.subtree_control", "+memory +pids")
    if plan.medium:  # while the radios are down, and before they move to their nodes
        from lab.guest.medium import requests
        from lab.guest.medium_steps import netlink

        yield netlink(plan.medium, requests.setup(plan.medium))
    mounts = commands.mounts(plan)
    for node in plan.nodes:
        kind = node_kind(node.kind)
        yield create(node, mounts, kind.class_name, kind.lists)
        yield from _sysctls(node, of_interfaces=False)  # before there are interfaces, which take over what is default
    pairs = commands.pair_lines(plan, pid)
    if pairs:
        yield RunCommand(["ip", "-batch", "-"], lines=pairs)
    own = [(address, node.name) for node in plan.nodes for address in (node.ip, node.ip6) if address]
    hosts = "".join(f"{address.split('/')[0]}\t{name}\n" for address, name in own)
    for node in plan.nodes:
        phy = phys.get(node.name)
        for radio in node.radios():
            from lab.guest.radio_steps import move_radio

            yield move_radio(phys[radio.name], node.name, pid)
        yield Write("/etc/hostname", f"{node.name}\n", node.name)
        yield Write("/etc/hosts", f"127.0.0.1\tlocalhost\n{hosts}", node.name)
        kind = node_kind(node.kind)
        yield Configure(["ip", "-batch", "-"], node.name, kind.lines(node, phy))
        yield from kind.settings(node, phy)
        for radio in node.radios()[1:]:
            of_radio, number = node_kind(radio.kind), phys[radio.name]
            yield Configure(["ip", "-batch", "-"], node.name, of_radio.further_lines(radio, number))
            yield from of_radio.settings(radio, number)
        yield from _sysctls(node, of_interfaces=True)
        shaping = commands.shaping_lines(node.name, plan.links)
        if shaping:
            yield Configure(["tc", "-batch", "-"], node.name, shaping)


def _sysctls(node: types.Node, of_interfaces: bool) -> Iterator[Step]:
    """Set what the node's file asks for: of its interfaces, or everything else."""
    if not node.sysctls:
        return
    interfaces = {interface.name for interface in node.interfaces}
    interfaces |= {one.radio.interface for one in node.radios() if one.radio}
    for sysctl in node.sysctls:
        _, *path = sysctl.name.split(".")
        if of_interfaces == (not interfaces.isdisjoint(path)):
            yield set_sysctl("/".join(path), sysctl.value, node.name, sysctl.source)


def _start(plan: types.Plan) -> Iterator[Step]:
    """Start the daemons of nodes, phase by phase."""
    for country in sorted({node.radio.country for node in plan.nodes if node.radio})[:1]:
        from lab.guest.radio_steps import set_country

        yield set_country(country)
    if plan.pcap:  # before the first radio goes up
        yield RunCommand(commands.air_up())
        yield run_steps.capture_air()
    given = [(node, node.addressing) for node in plan.nodes if node.addressing]
    if given:
        from lab.guest import addressing

        for node, of_node in given:
            yield from addressing.serve(node, of_node)
            if node.uses_radius:  # stations join by what they ask each other
                yield from addressing.connect(node, of_node)
    started = [one for node in plan.nodes for one in (node, *node.radios()[1:])]
    for phase in Phase:
        nodes = [node for node in started if node_kind(node.kind).phase == phase]
        for node in nodes:
            yield from node_kind(node.kind).start(plan, node)
        for node in nodes:
            yield from node_kind(node.kind).wait(plan, node)
    near = [(node, of_node) for node, of_node in given if not node.uses_radius and node.first_interface]
    if near:  # computation takes no time: a client could ask before its access point has opened the port
        yield pause(_FIRST_WAIT_NS)
    for node, of_node in near:
        yield from addressing.connect(node, of_node)
    for node, of_node in near:
        for one in (node, *node.radios()[1:]):
            if plan.out_of_reach(one) is None:
                yield from addressing.await_addresses(one, of_node)


def _before_timeline(plan: types.Plan) -> Iterator[Step]:
    """Yield the steps for files, processes that start before the timeline, and the clock."""
    for file in plan.files:
        yield place_file(file, plan.seed)
    for process in plan.processes:
        if _is_early(process):
            yield begin(process)
            if process.ready is not None:
                yield run_steps.await_ready(process, process.ready)
            elif process.of_image:
                yield from _until_up(process)
    yield run_steps.start_clock()
    if plan.medium:  # the counts before the timeline
        from lab.guest.medium_steps import Look

        yield Look()


def _until_up(process: types.Process) -> Iterator[Step]:
    """Wait for what a Docker image has started: without a health check, until it waits for something itself."""
    yield pause(_FIRST_WAIT_NS) if process.health is None else run_steps.await_healthy(process, process.health)


def of_images(plan: types.Plan, *, await_health: bool) -> Iterator[Step]:
    """Yield the steps that start Docker images of nodes, for a prompt, which runs nothing else of a workload."""
    for process in plan.processes:
        if process.of_image:
            yield begin(process)
            if process.health is None or await_health:
                yield from _until_up(process)


def _is_early(process: types.Process) -> bool:
    """Check whether it starts before the timeline; probes that sample start with it, to have round times."""
    return process.at_ns < 0 and process.mode != "sample"


def moments(plan: types.Plan) -> tuple[TimelineMoment, ...]:
    """Return the moments of the timeline, in order.

    At equal times the order is: processes, events, a reading of the medium's counters, levels that moves change, and
    processes that are stopped.
    """
    found = [
        TimelineMoment(max(0, process.at_ns), partial(_begin, process))
        for process in plan.processes
        if not _is_early(process)
    ]
    found += [TimelineMoment(event.at_ns, partial(event_steps, plan, event), event) for event in plan.events]
    found += _of_medium(plan)
    found += [
        TimelineMoment(process.stop_ns, partial(_stop, process.id))
        for process in plan.processes
        if process.stop_ns is not None
    ]
    return tuple(sorted(found, key=lambda moment: moment.at_ns))


def _begin(process: types.Process) -> list[Step]:
    return [begin(process)]


def _stop(process: str) -> list[Step]:
    return [send_signal(process, signal.SIGINT)]


def _of_medium(plan: types.Plan) -> Iterator[TimelineMoment]:
    """Yield readings of the counters, and levels that change while nodes move."""
    medium = plan.medium
    if medium is None:
        return
    if medium.statistics_ns < plan.duration_ns:
        yield TimelineMoment(medium.statistics_ns, partial(_look, medium.statistics_ns))
    names = medium.names()
    for change in medium.updates:
        yield TimelineMoment(change.at_ns, partial(_update, change, names), changes_levels=True)


def _look(every_ns: int) -> list[Step]:
    from lab.guest.medium_steps import Look

    return [Look(every_ns)]


def _update(change: MediumUpdate, names: Mapping[int, str]) -> list[Step]:
    from lab.guest.medium import requests
    from lab.guest.medium_steps import Netlink

    return [Netlink(tuple(requests.update(change)), names)]


def _end(plan: types.Plan) -> Iterator[Step]:
    if plan.medium:
        from lab.guest.medium_steps import last_look

        yield last_look()
    running = [process for process in _by_start(plan) if process.mode == "command"]
    yield run_steps.check_ends([process for process in running if process.must_end()])
    # a server that ends first would cut off what it and its clients still have to exchange
    for are_servers in (False, True):
        yield run_steps.end_processes(
            {  # tools print their summary on SIGINT
                process.id: signal.SIGTERM if process.probe is None else signal.SIGINT
                for process in running
                if process.serves() == are_servers
            }
        )


def _by_start(plan: types.Plan) -> list[types.Process]:
    early = [process for process in plan.processes if _is_early(process)]
    others = [process for process in plan.processes if not _is_early(process)]
    return early + sorted(others, key=lambda process: max(0, process.at_ns))


def after_outcome(plan: types.Plan) -> Iterator[Step]:
    """Yield the steps after the outcome is known, also for a failed run: they take time that is not part of the run."""
    if plan.pcap:
        yield run_steps.end_capture()
    if plan.collect:
        yield run_steps.collect(plan.collect)
