# SPDX-License-Identifier: MIT
"""junit.xml for continuous integration: a test case for each claim and for each failed trial.

The format has no standard; this is the subset that readers of Jenkins, GitLab and GitHub share: ``testsuites`` >
``testsuite`` > ``testcase`` with ``failure`` (a claim does not hold) or ``error`` (a trial failed). Readers refuse a
suite without cases, so "all trials completed" is a separate case.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET

from lab.experiments.output.failures import first_line
from lab.experiments.output.tables import NOT_JUDGED
from lab.experiments.types import Outcome, Results, Verdict
from lab.numbers import count
from lab.text import printable


def junit(results: Results) -> str:
    """Return the document."""
    failed = [found for found in results.outcomes if found.error is not None]
    unjudged = results.experiment.unjudged
    wrong = [found for found in results.verdicts if not found.passed]
    counts = {
        "tests": str(len(results.verdicts) + len(unjudged) + max(len(failed), 1)),
        "failures": str(len(wrong)),
        "errors": str(len(failed)),
        "time": f"{results.wall_s:.3f}",
    }
    name = printable(results.experiment.name)
    root = ET.Element("testsuites", {"name": "lab reproduce", **counts})
    suite = ET.SubElement(root, "testsuite", {"name": name, **counts, "skipped": str(len(unjudged))})
    for found in results.verdicts:
        _claim(suite, name, found)
    for claim in unjudged:
        case = _case(suite, f"{name}.claims", claim.name)
        ET.SubElement(case, "skipped", {"message": NOT_JUDGED})
    labels = {point.number: point.labels for point in results.experiment.points}
    for outcome in failed:
        _trial(suite, name, outcome, labels.get(outcome.point, {}))
    if not failed:
        _case(suite, f"{name}.trials", f"{count(len(results.outcomes), 'trial')} completed")
    ET.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(root, encoding="unicode") + "\n"


def _case(suite: ET.Element, group: str, name: str, wall_s: float = 0.0) -> ET.Element:
    return ET.SubElement(suite, "testcase", {"classname": group, "name": printable(name), "time": f"{wall_s:.3f}"})


def _claim(suite: ET.Element, name: str, found: Verdict) -> None:
    case = _case(suite, f"{name}.claims", found.claim.name)
    details = [
        found.claim.that,
        f"value: {found.value}",
        f"expected: {found.expected}",
        *([f"the paper says: {found.claim.paper}"] if found.claim.paper else []),
        *([] if found.passed else found.claim.reasons),
        *([found.claim.source] if found.claim.source else []),
    ]
    if not found.passed:
        message = printable(f"{found.value}; expected {found.expected}")
        failure = ET.SubElement(case, "failure", {"message": message, "type": "claim"})
        failure.text = printable("\n".join(details))
        return
    ET.SubElement(case, "system-out").text = printable("\n".join(details))


def _trial(suite: ET.Element, name: str, outcome: Outcome, labels: dict[str, str]) -> None:
    where = ", ".join(f"{axis}={label}" for axis, label in labels.items())
    case = _case(suite, f"{name}.trials", f"{where}, seed {outcome.seed}".lstrip(", "), outcome.wall_s)
    error = ET.SubElement(case, "error", {"message": printable(first_line(outcome)), "type": "trial"})
    kept = f"\nkept in {outcome.log}" if outcome.log else ""
    error.text = printable(f"{outcome.error}\nto repeat it: {outcome.command}{kept}")
