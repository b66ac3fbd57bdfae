# SPDX-License-Identifier: MIT
"""Failed trials in a terminal: why, the end of the log, where the rest of it is, and what repeats them.

Of many that failed alike one is shown, and the others are named. report.html shows each by itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lab.experiments import where
from lab.experiments.output import commands
from lab.experiments.types import Outcome, Results
from lab.experiments.where import count
from lab.text import printable

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions
    from rich.text import Text

_KINDS = 5  # of failures, shown with a log each
_LOG_LINES = 12
_COMMANDS = 10  # that repeat failed trials
_LINE = 200  # characters of a log's line
_WORD = re.compile(r"(?:'[^']*'|\S)+")  # of a shell
_FRACTION = re.compile(r"\d+\.\d+")  # a time, mostly: trials that failed alike did so at different ones


def first_line(outcome: Outcome) -> str:
    """Why a trial failed, without its log."""
    lines = (outcome.error or "").strip().splitlines()
    return lines[0].rstrip(" :") if lines and lines[0].rstrip(" :") else "failed"


def log(outcome: Outcome, lines: int) -> list[str]:
    """The last lines of what its error says beyond the first one: which log, and how that ended."""
    rest = (outcome.error or "").strip().splitlines()[1:]
    if len(rest) <= lines:
        return rest
    title = rest[:1] if rest[0].endswith(":") else []
    return [*title, *rest[len(title) - lines :]]


def alike(results: Results) -> list[list[Outcome]]:
    """The failed trials by why they failed, in order of the first of each kind."""
    found: dict[str, list[Outcome]] = {}
    for outcome in results.outcomes:
        if outcome.error is not None:
            found.setdefault(_FRACTION.sub("#", first_line(outcome)), []).append(outcome)
    return list(found.values())


def shown(results: Results) -> list[Any]:
    """For rich to print; nothing where no trial failed."""
    from rich.padding import Padding
    from rich.text import Text

    kinds = alike(results)
    failed = [outcome for kind in kinds for outcome in kind]
    if not failed:
        return []
    parts: list[Any] = [Text(f"Failed: {len(failed)} of {count(len(results.outcomes), 'trial')}", style="bold"), ""]
    for kind in kinds[:_KINDS]:
        title, *details = _told(results, kind)
        parts += [
            Text(title, style="red"),
            *(Padding(Text(line), (0, 0, 0, indent), expand=False) for indent, line in details),
            "",
        ]
    left = [outcome for kind in kinds[_KINDS:] for outcome in kind]
    if left:
        parts += [Text(f"and {count(len(left), 'trial')} that failed otherwise: see the report"), ""]
    return [*parts, Text("To repeat them:"), *map(_Command, _repeat(failed)), ""]


def _told(results: Results, kind: Sequence[Outcome]) -> Iterator[Any]:
    """A title, then lines with their indentation."""
    first, *others = kind
    yield printable(f"{where.trials(results, [first])}: {first_line(first)}")
    for line in log(first, _LOG_LINES):
        yield max(2, len(line) - len(line.lstrip())), printable(line.strip())[:_LINE]
    yield 2, printable(f"kept in {first.log}") if first.log else "its directory is not kept"
    if others:
        same = "fails" if len(others) == 1 else "fail"
        yield 2, printable(f"{len(others)} more {same} alike: {where.trials(results, others)}")


def _repeat(failed: Sequence[Outcome]) -> list[str]:
    """Commands that repeat the failed trials, those of a point in one."""
    points: dict[int, list[Outcome]] = {}
    for outcome in failed:
        points.setdefault(outcome.point, []).append(outcome)
    lines = [line for outcomes in points.values() for line in commands.brief(outcomes)]
    left = len(lines) - _COMMANDS
    return lines if left <= 0 else [*lines[:_COMMANDS], f"and {left} more: see the report"]


@dataclass(frozen=True)
class _Command:
    """A command as a terminal shows it: broken with backslashes, so that it can be copied."""

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
