# SPDX-License-Identifier: MIT
"""Resolve a topology and a workload to a plan. Pure: nothing is read or run here.

Everything that is known before a run is settled: base units, defaults, addresses, names, the nodes of each role, the
value of each reference. Everything that cannot work is reported with file and line, all at once.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping

from lab.errors import InputError, warn
from lab.model.topology import Topology, start_ns
from lab.model.workload import Workload
from lab.plan.network.network import PlannedNetwork, network
from lab.plan.problems import Problems, ValidatedFile
from lab.plan.timeline import timeline
from lab.plan.timeline.movement import Courses
from lab.plan.without_medium import warn_of_idle_keys
from lab.plan.workload import collect, files, metrics_and_checks, roles
from lab.plan.workload.placeholders import Names
from lab.plan.workload.processes import PlannedProcesses, programs
from lab.shared.medium_types import Medium, MediumUpdate
from lab.shared.mobility_types import Way
from lab.shared.types import Node, Plan, radios

_AHEAD_NS = 600_000_000_000  # a way that is cut is rounded on its last leg
Piece = tuple[int, int]  # of a run: from, until, in ns
SEED_MAX = 2**63 - 1  # the kernel's limit


def resolve(
    topology: ValidatedFile[Topology],
    workload: ValidatedFile[Workload],
    seed: int = 1,
    overrides: Mapping[str, str] | None = None,
    *,
    pcap: str | None = None,
    draft: bool = False,
    piece: Piece | None = None,
) -> Plan:
    """Return the plan of a run.

    ``overrides`` have already been applied to the documents (``lab.plan.load``); here they are only recorded.
    ``pcap`` is what to capture in addition to the probes: "air", or None. A ``draft`` only checks that the files
    resolve: it leaves out the levels that change while nodes move, which take most of the time. ``piece``: the part of
    a long run whose changes of levels are wanted. If more come later, the last change is one of no link.

    Raises:
        InputError, InputErrors: If there are mistakes; with file and line.
    """
    if not 0 <= seed <= SEED_MAX:
        raise InputError(f"{seed} is not a valid seed; write a whole number from 0 to {SEED_MAX}")
    problems = Problems()
    ipv6 = workload.model.family == "ipv6"
    if ipv6 and (reason := workload.model.needs.ipv4):
        problems.add(workload, ("family",), f"{workload.model.name} runs only over IPv4: {reason}; remove this")
    net, ways = _moving(
        topology, network(topology, problems, ipv6=ipv6), seed, workload.model.duration, problems, piece
    )
    bound = roles.bind(net, workload, problems)
    if problems.errors:
        _look_at_workload(workload, problems)  # on this topology, it would only repeat these
    problems.raise_all()
    if not draft and any(
        node.radius or (node.radio and any(one.eap for one in node.radio.networks()))
        for node in (*net.nodes, *radios(net.nodes))
    ):
        from lab.plan.network.certificates import certified

        net = certified(net, seed)
    names = _names(topology, net, bound, ipv6=ipv6)
    making = PlannedProcesses(workload, names, problems, topology.model.medium is not None, topology, seed)
    processes = making.resolve()
    placed = files.resolve(workload, making, seed, problems)
    events, courses = timeline.resolve(topology, workload, net, names, processes, ways, problems, making.doubtful)
    collected = collect.resolve(workload, making, problems)
    metrics = metrics_and_checks.metrics(workload, processes, names, making.medium, problems, making.doubtful)
    checks = metrics_and_checks.checks(workload, processes, placed, problems, making.doubtful)
    whole = 0, workload.model.duration
    medium = _medium(topology, net, Courses() if draft else courses, seed, piece or whole, problems)
    problems.raise_all()
    if piece and medium and topology.model.medium and (courses.go_beyond(piece[1]) or topology.model.medium.outages):
        medium.updates.append(MediumUpdate(piece[1], []))  # there are more from then on
    warn_of_idle_keys(topology, workload)
    if pcap is not None and medium is None:
        raise _nothing_to_capture(topology, pcap)
    plan = Plan(
        name=f"{workload.model.name} on {topology.model.name}",
        about=workload.model.about,
        topology=topology.model.name,
        workload=workload.model.name,
        seed=seed,
        duration_ns=workload.model.duration,
        overrides=dict(overrides or {}),
        nodes=net.nodes,
        links=net.links,
        files=placed,
        processes=processes,
        events=events,
        metrics=metrics,
        checks=checks,
        medium=medium,
        mobility=ways,
        pcap=pcap,
        stack=next(iter(workload.stacks), None),
        used_stacks=list(workload.stacks[1:]),
        programs=programs(processes),
        modules=sorted(set(workload.model.modules)),
        console_level=topology.model.console_level,
        rate_control=topology.model.rate_control,
        memory_bytes=topology.model.memory,
        start_ns=start_ns(topology.model.start),
        max_output_bytes=workload.model.max_output,
        packed=files.packed(workload, placed),
        collect=collected,
        image_folders={name: image.folder for name, image in topology.images.items() if image.folder},
    )
    awaited = [] if draft else [node for node in plan.nodes if node.radio is not None and node.radio.awaited]
    far = [(why, node) for node in awaited if (why := plan.out_of_reach(node))]
    for why, node in far[:1]:
        listed = ", ".join(other.name for _, other in far[1:3]) + f" and {len(far) - 3} more" * (len(far) > 3)
        warn(why + f", like {listed}" * (len(far) > 1), node.source)
    return plan


def _names(
    topology: ValidatedFile[Topology], net: PlannedNetwork, bound: dict[str, list[Node]], *, ipv6: bool = False
) -> Names:
    """Return the names in references, with the nodes of each role."""
    nodes = {node.name: node for node in net.nodes}
    groups = {group: [nodes[name] for name in members] for group, members in topology.model.groups.items()}
    return Names(bound, nodes, groups, roles.offered(net), ipv6)


def _moving(
    topology: ValidatedFile[Topology],
    net: PlannedNetwork,
    seed: int,
    until_ns: int,
    problems: Problems,
    piece: Piece | None = None,
) -> tuple[PlannedNetwork, list[Way]]:
    """Return the network at the start, and the ways of nodes that move by themselves."""
    if not topology.model.mobility:
        return net, []
    from lab.plan.timeline import mobility

    most = mobility.WAYPOINTS_MOST
    if piece is not None:
        until_ns, most = piece[1] + _AHEAD_NS, sys.maxsize - 1  # no plan has all of them
    ways = mobility.resolve(topology, net, seed, until_ns, problems, most)
    return mobility.placed(net, ways), ways


def _medium(
    topology: ValidatedFile[Topology],
    net: PlannedNetwork,
    courses: Courses,
    seed: int,
    piece: Piece,
    problems: Problems,
) -> Medium | None:
    if topology.model.medium is None:
        return None
    from lab.plan.medium import medium

    return medium.resolve(topology, net, courses, seed, piece, problems)


def _nothing_to_capture(topology: ValidatedFile[Topology], pcap: str) -> InputError:
    """Explain why there is nothing to capture."""
    if topology.model.medium is not None:
        return topology.document.error(("nodes",), f"no node has a radio, so --pcap {pcap} has nothing to capture")
    return topology.document.error(
        ("medium",),
        f"--pcap {pcap} captures the frames of an 802.11 medium, but this topology has none",
        "write medium: {} in the topology, or add --set medium={} to the command",
    )


def check_workload(workload: ValidatedFile[Workload]) -> None:
    """Raise the mistakes that a workload has on any topology."""
    problems = Problems()
    _look_at_workload(workload, problems)
    problems.raise_all()


def _look_at_workload(workload: ValidatedFile[Workload], problems: Problems) -> None:
    """Report the mistakes that a workload has on any topology."""
    making = PlannedProcesses(workload, Names({role: [] for role in workload.model.roles}, {}), problems)
    making.collect()
    for entry in making.entries:
        making.nodes_of(entry.on, (*entry.keys, "on"))
    for name, entry_of_file in workload.model.files.items():
        for role in entry_of_file.on:
            making.nodes_of(role, ("files", name, "on"))
    for index, entry_of_collect in enumerate(workload.model.collect):
        for role in entry_of_collect.on:
            making.nodes_of(role, ("collect", index, "on"))
    metrics_and_checks.check_metrics(workload, making.probes(), problems, making.doubtful)
    metrics_and_checks.check_syntax(workload, problems)


def check_topology(topology: ValidatedFile[Topology]) -> None:
    """Raise the mistakes that a topology has with any workload."""
    problems = Problems()
    standing = network(topology, problems)
    net, ways = _moving(topology, standing, 1, 0, problems)
    problems.raise_all()
    timeline.check_alone(topology, net, _names(topology, net, {}), roles.offered(net), ways, problems)
    _medium(topology, net, Courses(), seed=1, piece=(0, 0), problems=problems)
    problems.raise_all()
    if topology.model.mobility:
        from lab.plan.timeline import mobility

        mobility.warn_of_longer_runs(topology, standing)
    warn_of_idle_keys(topology)
    linked = {end for link in net.links for end in (link.node_a, link.node_b)}
    apart = [node for node in net.nodes if node.radio is None and node.name not in linked]
    if apart and len(net.nodes) > 1:
        names = ", ".join(node.name for node in apart)
        where = topology.document.where(("nodes", apart[0].name))
        warn(f"no link and no radio, so no other node reaches it: {names}; write links: [{{between: [A, B]}}]", where)
