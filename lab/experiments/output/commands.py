# SPDX-License-Identifier: MIT
"""The commands that repeat trials, told briefly: those of a point differ in their seed alone."""

from __future__ import annotations

import re
from collections.abc import Iterable

from lab.experiments.types import Outcome


def brief(outcomes: Iterable[Outcome]) -> list[str]:
    """Lines for a shell that repeat all these trials: a loop over the seeds of commands that are else the same."""
    seeds: dict[tuple[str, str], list[int]] = {}
    for outcome in outcomes:
        before, after = _around_seed(outcome.command, outcome.seed)
        seeds.setdefault((before, after), []).append(outcome.seed)
    return [_loop(before, after, found) for (before, after), found in seeds.items()]


def _around_seed(command: str, seed: int) -> tuple[str, str]:
    """The command before and after the number of its ``--seed``; all of it and nothing where it has none."""
    found = list(re.finditer(rf"(?<=\s--seed ){seed}(?=\s|$)", command))
    if not found or command.count("'", 0, found[-1].start()) % 2:  # none, or in a quoted word
        return command, ""
    return command[: found[-1].start()], command[found[-1].end() :] or " "


def _loop(before: str, after: str, seeds: list[int]) -> str:
    if not after:
        return before
    if len(seeds) == 1:
        return f"{before}{seeds[0]}{after}".rstrip()
    ascending = list(range(seeds[0], seeds[0] + len(seeds)))
    told = f"$(seq {seeds[0]} {seeds[-1]})" if seeds == ascending else " ".join(map(str, seeds))
    return f"for seed in {told}; do {before}$seed{after.rstrip()}; done"
