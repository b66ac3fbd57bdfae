# SPDX-License-Identifier: MIT
"""What a teacher reads about many submissions: the points of each, and which checks fail most."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from lab.fitted import Fitted
from lab.grading.results import Result
from lab.numbers import plain

if TYPE_CHECKING:
    from rich.console import Group


def tables(results: Sequence[Result]) -> Group:
    """Return both tables."""
    from rich.console import Group
    from rich.table import Table

    each = Table("points", "of", "submission", "student", "does not pass")
    for result in results:
        failing = result.refused.partition("\n")[0] or ", ".join(
            check.name for check in result.checks if not check.passed
        )
        each.add_row(plain(result.points, 3), str(result.most), result.submission, result.student, failing)
    checks = Table("passed", "of", "check", "what it is about")
    names = {check.name: check.about for result in results for check in result.checks}
    passed = {
        name: sum(check.passed for result in results for check in result.checks if check.name == name) for name in names
    }
    for name in sorted(names, key=lambda name: passed[name]):
        checks.add_row(str(passed[name]), str(len(results)), name, names[name])
    for table in (each, checks):
        table.box = None
    return Group(Fitted(each), "", Fitted(checks))
