# SPDX-License-Identifier: MIT
"""Failed trials in a terminal: the reason, the end of the log, where to find the rest, and commands to repeat them.

Of several trials that failed the same way, one is shown and the others are listed. report.html shows each of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lab.experiments import where
from lab.experiments.output import commands
from lab.experiments.types import Outcome, Results
from lab.numbers import count
from lab.text import printable

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions
    from rich.text import Text

_KINDS = 5  # of failure, each shown with a log
_LOG_LINES = 12
_COMMANDS = 10  # to repeat failed trials
_LINE = 200  # characters of a log line
_WORD = re.compile(r"(?:'[^']*'|\S)+")  # of a shell command
_FRACTION = re.compile(r"\d+\.\d+")  # usually a time, which differs between trials that failed the same way


def first_line(outcome: Outcome) -> str:
    """Return why a trial failed, without its log."""
    lines = (outcome.error or "").strip().splitlines()
    return lines[0].rstrip(" :") if lines and lines[0].rstrip(" :") else "failed"


def log(outcome: Outcome, lines: int) -> list[str]:
    """Return the last lines of its error after the first one: which log, and its end."""
    rest = (outcome.error or "").strip().splitlines()[1:]
    if len(rest) <= lines:
        return rest
    titles = [line for line in rest[:-lines] if line.endswith(":") and not line.startswith("    ")]  # each of a log
    return [*titles[-1:], *rest[len(titles[-1:]) - lines :]]


def alike(results: Results) -> list[list[Outcome]]:
    """Group the failed trials by reason, in order of first occurrence."""
    found: dict[str, list[Outcome]] = {}
    for outcome in results.outcomes:
        if outcome.error is not None:
            found.setdefault(_FRACTION.sub("#", first_line(outcome)), []).append(outcome)
    return list(found.values())


def shown(results: Results) -> list[Any]:
    """Return the failures for rich; empty if no trial failed."""
    from rich.padding import Padding
    from rich.text import Text

    kinds = alike(results)
    failed = [outcome for kind in kinds for outcome in kind]
    if not failed:
        return []
    parts: list[Any] = [Text(f"Failed: {len(failed)} of {count(len(results.outcomes), 'trial')}", style="bold"), ""]
    for kind in kinds[:_KINDS]:
        title, *details = _described(results, kind)
        parts += [
            Text(title, style="red"),
            *(Padding(Text(line), (0, 0, 0, indent), expand=False) for indent, line in details),
            "",
        ]
    left = [outcome for kind in kinds[_KINDS:] for outcome in kind]
    if left:
        parts += [Text(f"and {count(len(left), 'trial')} that failed differently: see the report"), ""]
    return [*parts, Text("Commands to repeat them:"), *map(_Command, _repeat(failed)), ""]


def _described(results: Results, kind: Sequence[Outcome]) -> Iterator[Any]:
    """Yield a title, then lines with their indentation."""
    first, *others = kind
    yield printable(f"{where.trials(results, [first])}: {first_line(first)}")
    for line in log(first, _LOG_LINES):
        yield max(2, len(line) - len(line.lstrip())), printable(line.strip())[:_LINE]
    yield 2, printable(f"kept in {first.log}") if first.log else "its directory was not kept"
    if others:
        same = "fails" if len(others) == 1 else "fail"
        yield 2, printable(f"{len(others)} more {same} the same way: {where.trials(results, others)}")


def _repeat(failed: Sequence[Outcome]) -> list[str]:
    """Return commands that repeat the failed trials, one per point."""
    points: dict[int, list[Outcome]] = {}
    for outcome in failed:
        points.setdefault(outcome.point, []).append(outcome)
    lines = [line for outcomes in points.values() for line in commands.brief(outcomes)]
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
