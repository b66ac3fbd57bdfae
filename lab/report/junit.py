# SPDX-License-Identifier: MIT
"""JUnit's XML of runs: a test case for each check, and one that the run finished.

The latter has the wall time of the run. Checks read its record, which takes them no time.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from lab import junit as xml
from lab.errors import writing
from lab.record.record import Record
from lab.report.terminal import verdict
from lab.shared.types import Plan

FINISHED = "the run finishes"


def document(records: Sequence[Record]) -> str:
    """Return the text of a file with a suite for each run."""
    return xml.document("lab run", [_suite(record) for record in records])


def failed(name: str, reason: str, wall_s: float = 0.0) -> str:
    """Return the text of a file for runs of which one did not begin, or not come to its end.

    Args:
        name: of the runs.
        reason: the error's message.
        wall_s: how long it took until then, s.
    """
    first, _, _ = reason.partition("\n")
    case = xml.Case(name, FINISHED, xml.ERROR, first, "run", reason, wall_s)
    return xml.document("lab run", [xml.Suite(name, [case], wall_s)])


def write(path: Path, text: str) -> None:
    """Write the file of --junit.

    Raises:
        HostError: If it cannot be written.
    """
    with writing(path, hint="choose another file with --junit"):
        path.write_text(text, encoding="utf-8")


def name_of(plans: Sequence[Plan]) -> str:
    """Return the name of runs with consecutive seeds."""
    return _name(plans[0]) if len(plans) == 1 else f"{_name(plans[0])} to {plans[-1].seed}"


def _suite(record: Record) -> xml.Suite:
    name = _name(record.plan)
    unread = any(source["error"] for source in record.data["sources"].values())
    broken = record.data["error"] is not None or unread
    wall_s = record.wall.get("wall_s", 0.0)
    first = xml.Case(
        name, FINISHED, xml.ERROR if broken else None, verdict(record) if broken else "", "run", wall_s=wall_s
    )
    checks = [
        xml.Case(
            f"{name}.checks",
            check["that"],
            outcome=None if check["passed"] else xml.FAILURE,
            message=check["because"],
            type="check",
            text=f"{check['source']}\n{check['because']}",
        )
        for check in record.data["checks"]
    ]
    return xml.Suite(name, [first, *checks], wall_s)


def _name(plan: Plan) -> str:
    return f"{plan.name}, seed {plan.seed}"
