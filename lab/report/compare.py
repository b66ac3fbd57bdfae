# SPDX-License-Identifier: MIT
"""Compares two runs of one workload: what differs in their plans, their metrics, and checks that changed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lab import units
from lab.errors import InputError
from lab.numbers import plain
from lab.printable import printable
from lab.record.record import Record
from lab.report.html import command
from lab.tables import Column, Table, words
from lab.views import base as views

if TYPE_CHECKING:
    from rich.console import Group

# what says nothing about the keys: where it is written, what a seed draws, what follows from other keys
_OMITTED = {
    "source", "about", "name", "overrides", "sha256", "text", "packed", "clock_us", "clock_ppb", "stream",
    "packed_bytes", "attributes",  # the kernel's, of the settings of a radio
}  # fmt: skip
_OF_MEDIUM = {"seed", "links", "updates", "curves", "fadings", "outages"}
_UNITS = {
    "_ns": units.DURATION,
    "_bps": units.RATE,
    "_bytes": units.SIZE,
    "_percent": units.PERCENT,
    "_dbm": units.POWER,
    "_dbi": units.GAIN,
    "_db": units.RATIO,
}
_INSIDE = re.compile(r"\.(netem|radio|settings)\b")  # parts of a plan's paths that files do not have
_LOGARITHMIC = {"dB", "dBm", "dBi"}  # units whose ratios mean nothing
_LINES_MOST = 30

Change = tuple[str, str | None, str | None]  # what, in A, in B; None: it is not there


@dataclass(frozen=True)
class Compared:
    """Two runs side by side. ``metrics`` have the summary that is on the card of the report."""

    failures: list[str]  # of runs that failed, with their letters
    keys: list[Change]
    builds: list[str]  # what was built differently
    metrics: list[dict[str, Any]]  # metric, unit, a, b, difference, ratio
    checks: list[Change]

    @property
    def verdict(self) -> str:
        """One line."""
        one_failed = len(self.failures) == 1
        changed = self.keys or self.builds or self.checks or one_failed
        if not changed and all(row["a"] == row["b"] for row in self.metrics):
            return "A and B are the same: keys, builds, metrics and checks"
        checks = len(self.checks)
        return f"{checks or 'No'} check{'' if checks == 1 else 's'} changed"


def compare(a: Record, b: Record) -> Compared:
    """Compare two runs.

    Raises:
        InputError: If they are of different workloads.
    """
    workloads = a.plan.workload, b.plan.workload
    if workloads[0] != workloads[1]:
        raise InputError(
            f"A runs {workloads[0]}, B runs {workloads[1]}: only runs of the same workload can be compared",
            hint=f"repeat A with another value of a key, such as: {command(a.plan)} --set KEY=VALUE",
        )
    hashes = [record.data["hashes"] for record in (a, b)]  # None: of a failed run that was built again
    both = sorted(key for key in hashes[0] if key != "plan" and hashes[0][key] and hashes[1].get(key))
    builds = [key for key in both if hashes[0][key] != hashes[1][key]]
    checks = [{check["that"]: _outcome(check) for check in record.data["checks"]} for record in (a, b)]
    failures = [
        f"{letter} failed: {record.data['error']['message']}"
        for letter, record in (("A", a), ("B", b))
        if record.data["error"]
    ]
    return Compared(failures, _changes(_keys(a), _keys(b)), builds, list(_metrics(a, b)), _changes(*checks))


def _outcome(check: Mapping[str, Any]) -> str:
    return "passed" if check["passed"] else "FAILED"


def _changes(a: Mapping[str, str], b: Mapping[str, str]) -> list[Change]:
    return [(key, a.get(key), b.get(key)) for key in dict.fromkeys([*a, *b]) if a.get(key) != b.get(key)]


def _keys(record: Record) -> dict[str, str]:
    """Return the keys of a plan as text, by the path of each, then at which SNR radios hear each other."""
    found = dict(_flat("", record.data["plan"]))
    medium = record.plan.medium
    if medium is not None:
        names = medium.names()
        for link, snr_mb in medium.levels(medium.links):
            ends = f"{names[link.transmitter]} to {names[link.receiver]}"
            found[f"SNR at the start, {ends}"] = f"{snr_mb / 100:g} dB"
    return found


def _flat(path: str, value: Any) -> Iterator[tuple[str, str]]:
    """Yield the leaves of a plan; items of lists are called by their names."""
    if isinstance(value, Mapping):
        for key, inner in value.items():
            if key not in _OMITTED and not (path == "medium" and key in _OF_MEDIUM):
                yield from _flat(f"{path}.{key}" if path else key, inner)
    elif isinstance(value, list) and value and all(isinstance(item, Mapping) for item in value):
        for index, item in enumerate(value):
            name = item.get("name") or item.get("id") or item.get("node") or item.get("that") or index
            yield from _flat(f"{path}.{name}", item)
    elif value is not None:
        path = _INSIDE.sub("", path)
        suffix = next((suffix for suffix in _UNITS if path.endswith(suffix)), "")
        if path.endswith(".at_ns") and value < 0:
            yield path.removesuffix(suffix), "before the timeline"
        elif suffix and isinstance(value, int | float):
            yield path.removesuffix(suffix), _UNITS[suffix].format(value)
        else:
            yield path, ", ".join(map(_text, value)) if isinstance(value, list) else _text(value)


def _text(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


def _metrics(a: Record, b: Record) -> Iterator[dict[str, Any]]:
    """Yield the metrics that both runs have."""
    for result, view in views.shown(a):
        other = dict(b.metrics).get(result.name)
        if other is None or other.unit != result.unit:
            continue
        one, two = result.values.get(view.card), other.values.get(view.card)
        several = max(result.values["count"] or 0, other.values["count"] or 0) > 1
        yield {
            "metric": f"{view.card_word} {result.name}" if several else result.name,
            "unit": result.unit,
            "a": one,
            "b": two,
            "difference": None if one is None or two is None else two - one,
            "ratio": two / one if one and two is not None and result.unit not in _LOGARITHMIC else None,
        }


def rich_tables(found: Compared) -> Group:
    """Return keys, builds, metrics, checks and a verdict for rich."""
    from rich.console import Group
    from rich.text import Text

    from lab.report.terminal import rich_table

    parts: list[Any] = []
    for table in _tables(found):
        parts += [rich_table(table), ""] if table.rows else []
    if found.builds:
        parts.append(Text(printable(f"The builds differ in {', '.join(found.builds)}")))
    parts += [Text(printable(failure), style="bold red") for failure in found.failures]
    return Group(*parts, Text(found.verdict, style="bold"))


def _tables(found: Compared) -> Iterator[Table]:
    both = [words("a", "A"), words("b", "B")]
    rows = [{"what": what, "a": a, "b": b} for what, a, b in found.keys]
    more = f"and {len(rows) - _LINES_MOST} more: --json lists all" if len(rows) > _LINES_MOST else ""
    yield Table("keys", "Keys that differ", [words("what", "key"), *both], rows[:_LINES_MOST], remark=more)
    numbers = [Column("a", "A"), Column("b", "B"), Column("difference", "B \N{MINUS SIGN} A", show=_signed)]
    columns = [words("metric", "metric"), words("unit", "unit"), *numbers, Column("ratio", "B / A")]
    yield Table("metrics", "Metrics", columns, found.metrics)
    rows = [{"what": what, "a": a, "b": b} for what, a, b in found.checks]
    yield Table("checks", "Checks that changed", [words("what", "check"), *both], rows)


def _signed(value: float) -> str:
    return f"+{plain(value)}" if value > 0 else plain(value)


def as_json(found: Compared) -> dict[str, Any]:
    """Return what ``--json`` prints."""
    return {
        "verdict": found.verdict,
        "failures": found.failures,
        "keys": [{"key": what, "a": a, "b": b} for what, a, b in found.keys],
        "builds": found.builds,
        "metrics": found.metrics,
        "checks": [{"check": what, "a": a, "b": b} for what, a, b in found.checks],
    }
