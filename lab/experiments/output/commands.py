# SPDX-License-Identifier: MIT
"""Short commands that repeat trials; those of one point differ only in their seed."""

from __future__ import annotations

import re
from collections.abc import Iterable

from lab.experiments.types import Outcome


def brief(outcomes: Iterable[Outcome]) -> list[str]:
    """Return shell commands that repeat all these trials, with a loop where only the seeds differ."""
    seeds: dict[tuple[str, str], list[int]] = {}
    for outcome in outcomes:
        before, after = _around_seed(outcome.command, outcome.seed)
        seeds.setdefault((before, after), []).append(outcome.seed)
    return [_loop(before, after, found) for (before, after), found in seeds.items()]


def _around_seed(command: str, seed: int) -> tuple[str, str]:
    """Split a command around the number of its ``--seed``; without one, return the command and an empty text."""
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
    listed = f"$(seq {seeds[0]} {seeds[-1]})" if seeds == ascending else " ".join(map(str, seeds))
    return f"for seed in {listed}; do {before}$seed{after.rstrip()}; done"
