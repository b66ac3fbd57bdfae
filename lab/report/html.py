# SPDX-License-Identifier: MIT
"""Makes report.html: one file without external resources, for light and dark pages."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lab.drawing import svg
from lab.drawing.palette import page_style
from lab.drawing.shapes import Drawing
from lab.model.event import summary
from lab.numbers import count, plain
from lab.printable import printable
from lab.record.build import RAW
from lab.record.record import Record
from lab.report import topology, trajectories
from lab.report.remarks import remarks
from lab.report.terminal import verdict
from lab.shared.medium_types import DETECT_OFDM_MB, noticed_mb
from lab.shared.types import Plan
from lab.show import medium as show_medium
from lab.tables import Table
from lab.text import first_lines, last_lines
from lab.views import base as views

if TYPE_CHECKING:
    from jinja2 import Environment, Template
    from markupsafe import Markup

_TEMPLATE = "report.html.j2"
_SECOND = 1_000_000_000
_LOG_LINES = 20
_LINES_OF_EVENT = 200  # of what its command printed
_SECTION = re.compile(r'<section id="([^"]*)"><h2>(.*?)</h2>')


@cache
def template() -> Template:
    """Return the compiled template."""
    return environment().get_template(_TEMPLATE)


def environment(*places: Path) -> Environment:
    """Return an environment with templates from ``places``, and with the common ones of this folder."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    made = Environment(
        loader=FileSystemLoader([*places, Path(__file__).parent]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters["contents"] = contents
    made.globals |= {"style_of_drawings": page_style(), "count": count}
    return made


def contents(body: str) -> list[tuple[str, Markup]]:
    """Return the sections of a page: their identifiers and titles."""
    from markupsafe import Markup

    return [(name, Markup(title)) for name, title in _SECTION.findall(body)]


def page(record: Record, shown: list[Table], figures: Iterable[Drawing]) -> str:
    """Return the whole page."""
    by_name = {table.name: table for table in shown}
    text = template().render(
        plan=record.plan,
        record=record.data,
        passed=record.passed,
        verdict=verdict(record),
        remarks=remarks(record.data),
        log=_log(record),
        cards=_cards(record),
        checks=by_name.pop("checks", None),
        figures=[svg(figure) for figure in figures],
        pictures=views.collected(record, "pictures", lambda view, result: view.pictures(result, record)),
        not_shown=record.not_shown,
        topology=svg(topology.draw(record.plan)),
        hearing=_hearing(record.plan),
        ways=_ways(record.plan),
        tables=list(by_name.values()),
        timeline=_timeline(record),
        versions=flat(record.data["versions"]),
        packages=record.data["versions"].get("packages") or {},
        hashes=record.data["hashes"],
        wall=flat(record.wall),
        command=command(record.plan),
    )
    return printable(text)


def _hearing(plan: Plan) -> dict[str, Any]:
    """Return at which SNR radios hear each other at the start, as a table; empty without a medium."""
    if plan.medium is None:
        return {}
    headings, rows = show_medium.levels(plan.medium)
    least_db = min(noticed_mb(node.radio.frequency_mhz or 0) for node in plan.nodes if node.radio) / 100
    listed = [[(text, _heard(text, least_db)) for text in row] for row in rows]
    return {"headings": headings, "rows": listed, "least": plain(least_db), "ofdm": plain(DETECT_OFDM_MB / 100)}


def _heard(cell: str, least_db: float) -> bool:
    """Return False for an SNR at which nothing is heard."""
    try:
        return float(cell) >= least_db
    except ValueError:
        return True


def _ways(plan: Plan) -> str:
    """Return the map of where nodes went; empty if none moved."""
    drawn = trajectories.draw(plan)
    return svg(drawn) if drawn else ""


def _log(record: Record) -> str:
    """Return the last lines of what the process that failed the run printed, stderr last."""
    error = record.data["error"] or {"logs": []}
    return "\n".join(line for log in error["logs"] for line in last_lines(record.directory / log, _LOG_LINES))


def command(plan: Plan) -> str:
    """Return the command that repeats this run."""
    words = ["lab", "run", _file(plan.nodes[0].source, plan.topology) if plan.nodes else plan.topology]
    sources = [process.source for process in plan.processes] or [metric.source for metric in plan.metrics]
    words.append(_file(sources[0], plan.workload) if sources else plan.workload)
    words += ["--seed", str(plan.seed)]
    for key, value in sorted(plan.overrides.items()):
        words += ["--set", f"{key}={value}"]
    return shlex.join(words)


def _file(source: str, name: str) -> str:
    """Return the file of a ``file:line``, or the name of what has none."""
    return source.rpartition(":")[0] or name


def _cards(record: Record) -> list[tuple[str, str, str]]:
    """Return (value, unit, name) of each metric."""
    cards = []
    for result, view in views.shown(record):
        value = None
        with views.failing_alone(record, result, "card"):
            value = result.values[view.card]
        what = f"{view.card_word} {result.name}" if result.values["count"] != 1 else result.name
        cards.append((plain(value) if value is not None else "none", result.unit, what))
    end_s = record.data["clock"]["end_ns"] / _SECOND
    wall_s = record.wall.get("wall_s")
    cards.append((plain(end_s, 3), "s", f"virtual time, in {plain(wall_s, 3)} s" if wall_s else "virtual time"))
    return cards


def _timeline(record: Record) -> list[tuple[str, str, str]]:
    """Return (time, what, outcome) of processes and events, in order."""
    rows: list[tuple[int, str, str]] = []
    for process in record.data["processes"]:
        rows.append((process["started_ns"], f"{process['id']} starts on {process['node']}", ""))
        if process["ended_ns"] is not None:
            rows.append((process["ended_ns"], f"{process['id']} ends", _end(process)))
    for event in record.data["events"]:
        details = summary(event["kind"], event["params"])
        printed = [] if event["ok"] else ["failed"]
        if "raw" in event:
            more = event.get("more_lines", 0)
            printed += first_lines(event["output"], _LINES_OF_EVENT, f"{RAW}/{event['raw']}", more)
        rows.append((event["t_ns"], f"{event['kind']} {event['target']} {details}".strip(), "\n".join(printed)))
    rows.sort(key=lambda row: row[0])
    return [(f"{plain(t_ns / _SECOND, 6)} s", what, outcome) for t_ns, what, outcome in rows]


def _end(process: Mapping[str, Any]) -> str:
    if process["signal"] is not None:
        return f"signal {process['signal']}"
    return "done" if process["exit"] == 0 else f"exit status {process['exit']}"


def flat(values: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return the values of a mapping as text, with rounded numbers; keys of nested ones are ``outer inner``."""
    rows = []
    for key, value in sorted(values.items()):
        if key == "packages":
            continue
        if isinstance(value, Mapping):
            rows += [(f"{key} {inner}", text) for inner, text in flat(value)]
        else:
            text = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
            text = plain(value) if isinstance(value, float) else text
            rows.append((key.replace("_", " "), text))
    return rows
