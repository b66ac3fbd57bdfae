# SPDX-License-Identifier: MIT
"""Trials in words: where they are in the grid, what failed and why, remarks, commands that repeat them.

Of several trials that failed the same way, a terminal shows one and lists the others. report.html shows each of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lab.experiments.types import Results, TrialOutcome
from lab.numbers import count
from lab.printable import printable

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions
    from rich.text import Text


NOT_JUDGED = "not evaluated: points that it needs were not run"
_REASONS = 5  # of failure, each shown with a log
_LOG_LINES = 12
_COMMANDS = 10  # to repeat failed trials
_LINE = 200  # characters of a log line
_WORD = re.compile(r"(?:'[^']*'|\S)+")  # of a shell command
_FRACTION = re.compile(r"\d+\.\d+")  # usually a time, which differs between trials that failed the same way


def first_line(outcome: TrialOutcome) -> str:
    """Return why a trial failed, without its log."""
    lines = (outcome.error or "").strip().splitlines()
    return lines[0].rstrip(" :") if lines and lines[0].rstrip(" :") else "failed"


def log(outcome: TrialOutcome, lines: int) -> list[str]:
    """Return the last lines of its error after the first one: which log, and its end."""
    rest = (outcome.error or "").strip().splitlines()[1:]
    if len(rest) <= lines:
        return rest
    titles = [line for line in rest[:-lines] if line.endswith(":") and not line.startswith("    ")]  # each of a log
    return [*titles[-1:], *rest[len(titles[-1:]) - lines :]]


def alike(results: Results) -> list[list[TrialOutcome]]:
    """Group the failed trials by reason, in order of first occurrence."""
    found: dict[str, list[TrialOutcome]] = {}
    for outcome in results.outcomes:
        if outcome.error is not None:
            found.setdefault(_FRACTION.sub("#", first_line(outcome)), []).append(outcome)
    return list(found.values())


def failures(results: Results) -> list[Any]:
    """Return the failures for rich; empty if no trial failed."""
    from rich.padding import Padding
    from rich.text import Text

    groups = alike(results)
    failed = [outcome for group in groups for outcome in group]
    if not failed:
        return []
    parts: list[Any] = [Text(f"Failed: {len(failed)} of {count(len(results.outcomes), 'trial')}", style="bold"), ""]
    for group in groups[:_REASONS]:
        title, *details = _described(results, group)
        parts += [
            Text(title, style="red"),
            *(Padding(Text(line), (0, 0, 0, indent), expand=False) for indent, line in details),
            "",
        ]
    left = [outcome for group in groups[_REASONS:] for outcome in group]
    if left:
        parts += [Text(f"and {count(len(left), 'trial')} that failed differently: see the report"), ""]
    return [*parts, Text("Commands to repeat them:"), *map(_Command, _repeat(failed)), ""]


def _described(results: Results, group: Sequence[TrialOutcome]) -> Iterator[Any]:
    """Yield a title, then lines with their indentation."""
    first, *others = group
    yield printable(f"{trials_at(results, [first])}: {first_line(first)}")
    for line in log(first, _LOG_LINES):
        yield max(2, len(line) - len(line.lstrip())), printable(line.strip())[:_LINE]
    yield 2, printable(f"kept in {first.log}") if first.log else "its directory was not kept"
    if others:
        same = "fails" if len(others) == 1 else "fail"
        yield 2, printable(f"{len(others)} more {same} the same way: {trials_at(results, others)}")


def _repeat(failed: Sequence[TrialOutcome]) -> list[str]:
    lines = [line for outcomes in by_point(failed).values() for line in commands(outcomes)]
    left = len(lines) - _COMMANDS
    return lines if left <= 0 else [*lines[:_COMMANDS], f"and {left} more: see the report"]


@dataclass(frozen=True)
class _Command:
    """A command for a terminal, wrapped with backslashes so that it can be copied."""

    line: str

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[Text]:
        from rich.text import Text

        shown = "  "
        for word in _WORD.findall(printable(self.line)):
            if len(shown) + len(word) + 3 > options.max_width and shown.strip():
                yield Text(f"{shown} \\")
                shown = "      "
            shown += word if not shown.strip() else f" {word}"
        yield Text(shown)


_POINTS = 5  # listed by name


def place_of(labels: dict[str, str]) -> str:
    """Describe a point of the grid."""
    return ", ".join(f"{axis} {label}" for axis, label in labels.items()) or "the only point"


def place_at(results: Results, point: int) -> str:
    """Describe a point by its number."""
    return place_of(results.experiment.points[point].labels)


def by_point(outcomes: Iterable[TrialOutcome]) -> dict[int, list[TrialOutcome]]:
    """Group outcomes by the number of their point."""
    found: dict[int, list[TrialOutcome]] = {}
    for outcome in outcomes:
        found.setdefault(outcome.point, []).append(outcome)
    return found


def trials_at(results: Results, outcomes: Iterable[TrialOutcome]) -> str:
    """Describe trials of an experiment: each point once, with its seeds."""
    points = [
        f"{place_at(results, number)}, {_seeds([one.seed for one in found])}"
        for number, found in by_point(outcomes).items()
    ]
    left = len(points) - _POINTS
    more = [f"and at {left} more points"] if left > 1 else points[_POINTS:]
    return "; ".join([*points[:_POINTS], *more])


def _seeds(seeds: Sequence[int]) -> str:
    """Format seeds: ``seed 1``, ``seeds 1 to 3``, ``seeds 1, 2, 5 to 7``."""
    runs: list[list[int]] = []
    for seed in sorted(seeds):
        if runs and seed == runs[-1][-1] + 1:
            runs[-1].append(seed)
        else:
            runs.append([seed])
    ranges = [f"{run[0]} to {run[-1]}" if len(run) > 2 else ", ".join(map(str, run)) for run in runs]
    return f"seed{'' if len(seeds) == 1 else 's'} {', '.join(ranges)}"


def commands(outcomes: Iterable[TrialOutcome]) -> list[str]:
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


def remarks(results: Results) -> list[str]:
    """Return a line for each remark (stored data was damaged, …) and for each check of a workload that failed."""
    remarks: dict[str, list[TrialOutcome]] = {}
    checks: dict[str, list[TrialOutcome]] = {}
    for outcome in results.outcomes:
        if outcome.remark:
            remarks.setdefault(outcome.remark, []).append(outcome)
        for check in dict.fromkeys(outcome.unmet):
            checks.setdefault(check, []).append(outcome)
    total = len(results.outcomes)
    described = [f"{remark}: {trials_at(results, found)}" for remark, found in remarks.items()]
    described += [
        f'check "{check}" failed in {len(found)} of {count(total, "trial")}: {trials_at(results, found)}'
        for check, found in checks.items()
    ]
    return [printable(line) for line in described]
