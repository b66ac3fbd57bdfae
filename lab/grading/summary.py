# SPDX-License-Identifier: MIT
"""What a teacher reads about many submissions: the points of each, and which checks fail most, and what is alike.

Several submissions of one student are listed, too: names are those in student.yaml, so a copy of a whole folder has the
name of whose it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from lab.fitted import Fitted
from lab.grading.alike import Alike
from lab.grading.exercise import Student
from lab.grading.results import Result
from lab.numbers import plain

if TYPE_CHECKING:
    from rich.console import Group


def tables(results: Sequence[Result], alike: Sequence[Alike] = ()) -> Group:
    """Return the tables; ``alike``: submissions that are nearly equal."""
    from rich.console import Group
    from rich.table import Table

    each = Table("points", "of", "submission", "student", "does not pass")
    for result in results:
        failing = ", ".join(check.name for check in result.checks if not check.passed)
        reasons = [result.refused.partition("\n")[0]] if result.refused else [failing, *result.invalid]
        why = "\n".join(reason for reason in reasons if reason)
        each.add_row(plain(result.points, 3), str(result.most), result.submission, result.student, why)
    checks = Table("passed", "of", "check", "what it is about")
    names = {check.name: check.about for result in results for check in result.checks}
    passed = {
        name: sum(check.passed for result in results for check in result.checks if check.name == name) for name in names
    }
    for name in sorted(names, key=lambda name: passed[name]):
        checks.add_row(str(passed[name]), str(len(results)), name, names[name])
    shown = [each, checks]
    if alike:
        pairs = Table("alike", "submission", "submission", "in")
        for pair in alike:
            pairs.add_row(f"{100 * pair.share:.0f} %", pair.first, pair.second, pair.what)
        shown.append(pairs)
    if several := _of_one_student(results):
        same = Table("student", "submissions with that name")
        for student, names_of in several.items():
            same.add_row(student, ", ".join(names_of))
        shown.append(same)
    for table in shown:
        table.box = None
    return Group(*[part for table in shown for part in ("", Fitted(table))][1:])


def _of_one_student(results: Sequence[Result]) -> dict[str, list[str]]:
    """Return the students of several submissions, and these."""
    found: dict[str, list[Result]] = {}
    for result in results:
        found.setdefault(Student(result.student).folded, []).append(result)
    return {of[0].student: [result.submission for result in of] for of in found.values() if len(of) > 1}
