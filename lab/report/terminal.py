# SPDX-License-Identifier: MIT
"""Tables for terminals, pipes, programs and spreadsheets."""

from __future__ import annotations

import importlib
import json
import statistics
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from lab.fitted import Fitted
from lab.model.event import summary
from lab.printable import printable
from lab.record.build import RAW
from lab.record.record import Record
from lab.report import medium
from lab.report.remarks import remarks
from lab.report.tables import tables
from lab.tables import Column, Table, csv_text, words
from lab.text import first_lines

if TYPE_CHECKING:
    from rich.console import Group

_LINES = 20  # of what a command of an event printed
_SHORT = ("handoff", "station", "process", "node", "peer")  # columns without line breaks


def prepare() -> None:
    """Import the modules that ``rich_tables`` needs."""
    for module in ("rich.box", "rich.console", "rich.measure", "rich.table", "rich.text"):
        importlib.import_module(module)


def rich_tables(record: Record) -> Group:
    """Return the tables for rich to print, and a last line with the verdict."""
    from rich.console import Group
    from rich.text import Text

    parts: list[Any] = []
    for table in tables(record):
        if table.in_terminal:
            parts += [rich_table(table), ""]
    for event in record.data["events"]:
        if event["output"] and "raw" in event:
            title = f"{event['t_ns'] / 1e9:g} s  {event['target']}: {summary(event['kind'], event['params'])}"
            file = f"{record.directory}/{RAW}/{event['raw']}"
            lines = first_lines(event["output"], _LINES, file, event.get("more_lines", 0))
            parts += [Text(printable(title), style="bold"), *(Text(f"  {printable(line)}") for line in lines), ""]
    fairness = medium.fairness_line(record)
    if fairness:
        parts += [Text(fairness), ""]
    parts += [Text(printable(remark), style="yellow") for remark in remarks(record.data)]
    return Group(*parts, Text(verdict(record), style="bold green" if record.passed else "bold red"))


def repetitions(records: Sequence[Record]) -> Group:
    """Return what to print of runs with different seeds: the means of each metric, and a line with the verdict."""
    from rich.console import Group
    from rich.text import Text

    found: list[Any] = []
    if rows := list(_repeated(records)):
        columns = [words("metric", "metric"), words("unit", "unit")]
        columns += [Column(key, key) for key in ("mean", "deviation", "min", "max")]
        found = [rich_table(Table("runs", f"{len(records)} runs", columns, rows))]
    passed = sum(record.passed for record in records)
    if any(record.data["checks"] for record in records):
        return Group(*found, Text(f"all checks passed in {passed} of {len(records)} runs"))
    return Group(*found, Text(f"{passed} of {len(records)} runs finished; the workload has no checks"))


def _repeated(records: Sequence[Record]) -> Iterator[dict[str, Any]]:
    """Yield a row for each metric that has a value in a run."""
    for name, first in records[0].metrics.items():
        means = [record.metrics[name].values["mean"] for record in records]
        if values := [mean for mean in means if mean is not None]:
            yield {
                "metric": name,
                "unit": first.unit,
                "mean": statistics.fmean(values),
                "deviation": statistics.stdev(values) if len(values) > 1 else 0.0,
                "min": min(values),
                "max": max(values),
            }


def verdict(record: Record) -> str:
    """Return one line with the result of the run."""
    error = record.data["error"]
    if error:
        return f"The run failed: {error['message']}"
    broken = [f"{key}: {source['error']}" for key, source in sorted(record.data["sources"].items()) if source["error"]]
    if broken:
        return f"The run's output could not be read: {'; '.join(broken)}"
    checks = record.data["checks"]
    failed = sum(not check["passed"] for check in checks)
    if not checks:
        return "The run finished; it has no checks"
    if len(checks) == 1:
        return "The check failed" if failed else "The check passed"
    return f"{failed} of {len(checks)} checks failed" if failed else f"All {len(checks)} checks passed"


def rich_table(table: Table) -> Fitted:
    """Return a table for rich to print; as on the page, rare columns of nothing but zeros are only named."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table as RichTable
    from rich.text import Text

    shown = RichTable(
        title=Text(printable(table.title)),  # as Text, since it may contain brackets
        title_justify="left",
        title_style="bold",
        caption=Text(printable(table.left_out)) if table.left_out else None,
        caption_justify="left",
        box=SIMPLE_HEAD,
        pad_edge=False,
        padding=(0, 1, 0, 0),
    )
    columns = [column for column in table.columns if column not in table.zero]
    for column in columns:
        shown.add_column(
            Text(printable(table.heading(column))),
            justify="right" if column.number else "left",
            no_wrap=column.key in _SHORT,
            overflow="fold",  # do not cut long words: two labels may differ only at the end
        )
    for row in table.rows:
        shown.add_row(*(_cell(column.key, column.text(row)) for column in columns))
    return Fitted(shown)


def _cell(key: str, text: str) -> Any:
    from rich.text import Text

    text = printable(text)
    style = {"passed": "green", "FAILED": "bold red"}.get(text, "") if key == "passed" else ""
    return Text(text, style)


def as_json(record: Record) -> dict[str, Any]:
    """Return what ``--json`` prints: the verdict and the tables with raw values."""
    plan = record.plan
    return {
        "name": plan.name,
        "topology": plan.topology,
        "workload": plan.workload,
        "seed": plan.seed,
        "passed": record.passed,
        "verdict": verdict(record),
        "error": record.data["error"],
        "remarks": remarks(record.data),
        "directory": str(record.directory),
        "tables": {
            table.name: {
                "title": table.title,
                "columns": [
                    {"key": column.key, "title": column.title, "unit": column.unit} for column in table.columns
                ],
                "rows": table.rows,
            }
            for table in tables(record)
        },
    }


def as_csv(table: Table) -> str:
    """Return a table as CSV (RFC 4180): headings with units, raw values."""
    heads = [column.heading for column in table.columns]
    return csv_text([heads, *([_raw(row.get(column.key)) for column in table.columns] for row in table.rows)])


def series_csv(series: list[dict[str, Any]]) -> str:
    """Return samples over time as CSV, one line each: series, time in s, value, unit."""
    lines: list[list[Any]] = [["series", "time, s", "value", "unit"]]
    for item in series:
        for t_ns, value in zip(item["t_ns"], item["values"], strict=True):
            lines.append([item["name"], t_ns / 1_000_000_000, value, item["unit"]])
    return csv_text(lines)


def _raw(value: Any) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value)
