# SPDX-License-Identifier: MIT
"""Outages of links: when they begin and end, drawn from the seed of the run."""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Iterator
from typing import TYPE_CHECKING

from lab.errors import unknown
from lab.model.topology import Topology
from lab.plan.network.network import PlannedNetwork
from lab.plan.problems import Problems, ValidatedFile
from lab.shared.medium_types import Outage
from lab.shared.streams import stream
from lab.shared.types import radio_numbers

if TYPE_CHECKING:
    from lab.model.medium import Medium, Outages

_MOST = 10_000  # of a run
_MS = 1_000_000  # ns


def outages(
    source: ValidatedFile[Topology],
    model: Medium,
    network: PlannedNetwork,
    seed: int,
    until_ns: int,
    problems: Problems,
) -> list[Outage]:
    """Return the outages of a run, by time; mistakes go to ``problems``."""
    numbers = radio_numbers(network.nodes)
    found: list[Outage] = []
    for index, entry in enumerate(model.outages):
        if not _known(source, index, entry, numbers, problems):
            continue
        draws = stream(seed, "outages", f"{index} {' '.join(sorted(entry.between))}")
        between = [numbers[name] for name in entry.between]
        drawn = (Outage(begin, end, between, entry.loss) for begin, end in _times(entry, draws, until_ns))
        found += itertools.islice(drawn, _MOST + 1)
        if len(found) > _MOST:
            problems.add(
                source, ("medium", "outages", index, "every"), f"gives more than {_MOST} outages; write a longer time"
            )
            break
    return sorted(found, key=lambda outage: outage.begin_ns)


def _times(entry: Outages, draws: random.Random, until_ns: int) -> Iterator[tuple[int, int]]:
    """Yield begin and end of each, in ns, until the end of the run; whole milliseconds."""
    at_ns = 0
    while True:
        begin_ns = at_ns + _exponential(entry.every, draws)
        if begin_ns >= until_ns:
            return
        at_ns = begin_ns + _exponential(entry.lasts, draws)
        yield begin_ns, at_ns


def _exponential(mean_ns: int, draws: random.Random) -> int:
    # of random.Random, only random() is the same in every version of Python
    return max(1, round(-mean_ns * math.log(1.0 - draws.random()) / _MS)) * _MS


def _known(
    source: ValidatedFile[Topology], index: int, entry: Outages, numbers: dict[str, int], problems: Problems
) -> bool:
    """Return whether the ends are two different nodes with a radio; record what is wrong."""
    wrong = [end for end, name in enumerate(entry.between) if name not in numbers]
    for end in wrong:
        name = entry.between[end]
        problems.add(source, ("medium", "outages", index, "between", end), unknown("radio", name, numbers))
    if not wrong and entry.between[0] == entry.between[1]:
        problems.add(source, ("medium", "outages", index), f"{entry.between[0]} has no link to itself; name two nodes")
        return False
    return not wrong
