# SPDX-License-Identifier: MIT
"""JUnit's XML for continuous integration.

The format has no standard; this is the subset that readers of Jenkins, GitLab and GitHub share: ``testsuites`` >
``testsuite`` > ``testcase`` with ``failure`` (a condition does not hold), ``error`` (it could not be tested) or
``skipped``. Readers refuse a suite without cases.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Sequence
from dataclasses import dataclass, field

from lab.printable import printable

FAILURE, ERROR, SKIPPED = "failure", "error", "skipped"


@dataclass(frozen=True)
class Case:
    """A test case.

    ``outcome`` is None if it passed, else FAILURE, ERROR or SKIPPED. ``message`` is its reason in one line, ``type``
    what did not pass (a claim), ``text`` the details.
    """

    group: str
    name: str
    outcome: str | None = None
    message: str = ""
    type: str = ""
    text: str = ""
    wall_s: float = 0.0


@dataclass(frozen=True)
class Suite:
    """Test cases that belong together."""

    name: str
    cases: Sequence[Case] = field(default_factory=tuple)
    wall_s: float = 0.0

    def count(self, outcome: str) -> int:
        """Return the number of cases with that outcome."""
        return sum(case.outcome == outcome for case in self.cases)


def document(title: str, suites: Sequence[Suite]) -> str:
    """Return the text of a file."""
    root = ET.Element("testsuites", {"name": title, **_counts(suites)})
    for suite in suites:
        about = {"name": printable(suite.name), **_counts([suite]), SKIPPED: str(suite.count(SKIPPED))}
        within = ET.SubElement(root, "testsuite", about)
        for case in suite.cases:
            _add(within, case)
    ET.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(root, encoding="unicode") + "\n"


def _counts(suites: Sequence[Suite]) -> dict[str, str]:
    return {
        "tests": str(sum(len(suite.cases) for suite in suites)),
        "failures": str(sum(suite.count(FAILURE) for suite in suites)),
        "errors": str(sum(suite.count(ERROR) for suite in suites)),
        "time": f"{sum(suite.wall_s for suite in suites):.3f}",
    }


def _add(suite: ET.Element, case: Case) -> None:
    about = {"classname": printable(case.group), "name": printable(case.name), "time": f"{case.wall_s:.3f}"}
    within = ET.SubElement(suite, "testcase", about)
    if case.outcome is None:
        if case.text:
            ET.SubElement(within, "system-out").text = printable(case.text)
        return
    reason = {"message": printable(case.message), **({"type": case.type} if case.type else {})}
    found = ET.SubElement(within, case.outcome, reason)
    if case.text:
        found.text = printable(case.text)
