# SPDX-License-Identifier: MIT
"""The ways of nodes that move by themselves, drawn from the seed of the run or read from traces."""

from __future__ import annotations

import random
from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import islice

from lab.errors import InputError, unknown, warn
from lab.model.document import Keys, label_of
from lab.model.mobility import Spot, cut
from lab.model.topology import Topology
from lab.plan.network.network import PlannedNetwork
from lab.plan.problems import Problems, ValidatedFile
from lab.shared.mobility_types import Way, Waypoint
from lab.shared.streams import stream

_MINUTE_NS = 60_000_000_000
WAYPOINTS_MOST = 100_000  # of a run: a plan of 4 MB


@dataclass
class _Crowd:
    """The nodes of an entry; see ``lab.model.mobility.Crowd``."""

    source: ValidatedFile[Topology]
    network: PlannedNetwork
    problems: Problems
    keys: Keys
    names: list[str]
    until_ns: int
    seed: int
    number: int  # of the entry, among those of its model

    def given(self, name: str) -> Spot | None:
        node = self.network.find(name)
        if node is None or node.position_m is None:
            return None
        x, y, z = (round(1000 * at) for at in node.position_m)
        return x, y, z

    def draws(self, name: str) -> random.Random:
        return stream(self.seed, "mobility", name)

    def common(self) -> random.Random:
        return stream(self.seed, "mobility of a group", str(self.number))

    def text(self, file: str) -> str:
        return self.source.texts[file]

    def label(self, file: str) -> str:
        return label_of(self.source.document.path.parent / file)

    def refuse(self, message: str, *keys: str | int) -> None:
        self.problems.add(self.source, (*self.keys, *keys), message)

    def refuse_position(self, name: str, message: str) -> None:
        self.problems.add(self.source, ("nodes", name, "position"), message)

    def fail(self, error: InputError) -> None:
        self.problems.add_all(error)


def resolve(
    source: ValidatedFile[Topology],
    network: PlannedNetwork,
    seed: int,
    until_ns: int,
    problems: Problems,
    most: int = WAYPOINTS_MOST,
) -> list[Way]:
    """Return the way of each node that moves by itself, in file order.

    Of a run that ends at ``until_ns``; ``most``: waypoints of all nodes together.
    """
    ways: list[Way] = []
    moved: dict[str, str] = {}  # nodes, and where their entry is
    numbers: dict[str, int] = {}
    left = most
    for index, model in enumerate(source.model.mobility):
        keys: Keys = ("mobility", index)
        where = source.document.where(keys)
        number = numbers[model.model] = numbers.get(model.model, 0) + 1
        names = _names(source, network, index, moved, problems)
        moved |= dict.fromkeys(names, where)
        crowd = _Crowd(source, network, problems, keys, names, until_ns, seed, number)
        for name, waypoints in model.ways(crowd):
            found = _taken(waypoints, until_ns, left)
            if len(found) > left:
                crowd.refuse(
                    f"the ways of this run have more than {most} legs; write longer intervals, a larger "
                    "area or lower speeds"
                )
                return ways
            left -= len(found)
            ways.append(Way(name, model.model, found, where))
    return ways


def warn_of_longer_runs(source: ValidatedFile[Topology], network: PlannedNetwork) -> None:
    """Print a warning if the ways are possible, but not for a minute: a topology does not say how long it runs."""
    problems = Problems()
    resolve(source, network, 1, _MINUTE_NS, problems)
    for error in problems.errors[:1]:
        warn(f"in a run of 1 min, {error.message}", error.where or "")


def _taken(waypoints: Iterable[Waypoint], until_ns: int, most: int) -> list[Waypoint]:
    """Return the waypoints up to the end of the run; one too many if there are more than ``most``."""
    return list(islice(cut(waypoints, until_ns), most + 1))


def _names(
    source: ValidatedFile[Topology], network: PlannedNetwork, index: int, moved: dict[str, str], problems: Problems
) -> list[str]:
    """Return the nodes of an entry, in their order; report those that cannot move."""
    found: list[str] = []
    groups = source.model.groups
    for position, written in enumerate(source.model.mobility[index].nodes):
        refuse = problems.at(source, ("mobility", index, "nodes", position))
        for name in groups.get(written, (written,)):
            node = network.find(name)
            if node is None:
                known = [*groups, *(node.name for node in network.nodes if node.radio)]
                refuse(unknown("node", name, known))
            elif node.radio is None:
                refuse(f"{name} has no radio (it is a {node.kind}); only nodes with a radio move")
            elif node.owner is not None:
                refuse(f"{name} is a radio of {node.owner}, and moves with it; write {node.owner}")
            elif name in moved or name in found:
                refuse(f"{name} already moves by itself ({moved.get(name, 'here')}); remove one of them")
            else:
                found.append(name)
    return found


def placed(network: PlannedNetwork, ways: list[Way]) -> PlannedNetwork:
    """Return the network with each node that moves by itself where its way begins."""
    begins = {way.node: list(way.waypoints[0].position_m()) for way in ways}
    nodes = [replace(node, position_m=begins[node.name]) if node.name in begins else node for node in network.nodes]
    return PlannedNetwork(nodes, network.links, network.source)
