# SPDX-License-Identifier: MIT
"""Signal-to-noise ratios that a topology gives itself, instead of positions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from lab.errors import unknown
from lab.model.topology import Topology
from lab.plan.network.network import PlannedNetwork
from lab.plan.problems import Problems, ValidatedFile
from lab.shared.types import radio_numbers, radios

if TYPE_CHECKING:
    from lab.model.medium import Medium, Snr


def fixed_snr(
    source: ValidatedFile[Topology], model: Medium, network: PlannedNetwork, problems: Problems
) -> dict[tuple[int, int], float]:
    """Return the SNR in dB by (transmitter, receiver) index; an entry for one direction takes precedence."""
    numbers = radio_numbers(network.nodes)
    found: dict[tuple[int, int], float] = {}
    first: dict[tuple[object, ...], int] = {}
    # entries for both directions first, so that those for one direction override them
    order = sorted(range(len(model.snr)), key=lambda index: -len(model.snr[index].directed()))
    for index in order:
        entry = model.snr[index]
        if not _known(source, index, entry, network, problems):
            continue
        for pair in _pairs(source.model, entry):
            earlier = first.setdefault((type(entry), *pair), index)
            if earlier != index:
                where = source.document.where(("medium", "snr", earlier))
                message = f"the SNR from {pair[0]} to {pair[1]} is already given ({where}); remove one of them"
                problems.add(source, ("medium", "snr", index), message)
                break
            found[numbers[pair[0]], numbers[pair[1]]] = entry.is_
    return found


def _pairs(topology: Topology, entry: Snr) -> Iterator[tuple[str, str]]:
    """Yield the pairs of nodes of an entry; a group (``count:``) stands for each of its nodes."""
    for transmitter, receiver in entry.directed():
        for one in topology.groups.get(transmitter, (transmitter,)):
            for other in topology.groups.get(receiver, (receiver,)):
                if one != other:
                    yield one, other


def _known(
    source: ValidatedFile[Topology], index: int, entry: Snr, network: PlannedNetwork, problems: Problems
) -> bool:
    """Return whether the ends are two different nodes with a radio; record what is wrong."""
    wrong = False
    for name, keys in entry.named():
        node = network.find(source.model.groups.get(name, (name,))[0])
        if node is not None and node.radio is not None:
            continue
        wrong = True
        known = [*source.model.groups, *(node.name for node in radios(network.nodes))]
        radioless = node and f"{name} has no radio (it is a {node.kind}); known: {', '.join(known)}"
        problems.add(source, ("medium", "snr", index, *keys), radioless or unknown("node", name, known))
    names = {name for name, _ in entry.named()}
    if not wrong and len(names) == 1 and not names & set(source.model.groups):
        problems.add(source, ("medium", "snr", index), f"{names.pop()} cannot hear itself; name two nodes")
        wrong = True
    return not wrong
