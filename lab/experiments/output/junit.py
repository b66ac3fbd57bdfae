# SPDX-License-Identifier: MIT
"""junit.xml for continuous integration: a test case for each claim and for each failed trial.

A claim that does not hold is a failure, a failed trial an error. "All trials completed" is a case too, so that an
experiment without claims has one.
"""

from __future__ import annotations

from lab import junit as xml
from lab.experiments.output.tables import NOT_JUDGED
from lab.experiments.output.trials import first_line
from lab.experiments.types import Outcome, Results, Verdict
from lab.numbers import count
from lab.text import printable


def junit(results: Results) -> str:
    """Return the document."""
    name = printable(results.experiment.name)
    labels = {point.number: point.labels for point in results.experiment.points}
    cases = [_claim(name, found) for found in results.verdicts]
    cases += [xml.Case(f"{name}.claims", claim.name, xml.SKIPPED, NOT_JUDGED) for claim in results.experiment.unjudged]
    failed = [found for found in results.outcomes if found.error is not None]
    cases += [_trial(name, outcome, labels.get(outcome.point, {})) for outcome in failed]
    if not failed:
        cases.append(xml.Case(f"{name}.trials", f"{count(len(results.outcomes), 'trial')} completed"))
    return xml.document("lab reproduce", [xml.Suite(name, cases, results.wall_s)])


def _claim(name: str, found: Verdict) -> xml.Case:
    details = [
        found.claim.that,
        f"value: {found.value}",
        f"expected: {found.expected}",
        *([f"the paper says: {found.claim.paper}"] if found.claim.paper else []),
        *([] if found.passed else found.claim.reasons),
        *([found.claim.source] if found.claim.source else []),
    ]
    return xml.Case(
        f"{name}.claims",
        found.claim.name,
        outcome=None if found.passed else xml.FAILURE,
        message=f"{found.value}; expected {found.expected}",
        kind="claim",
        text="\n".join(details),
    )


def _trial(name: str, outcome: Outcome, labels: dict[str, str]) -> xml.Case:
    where = ", ".join(f"{axis}={label}" for axis, label in labels.items())
    kept = f"\nkept in {outcome.log}" if outcome.log else ""
    return xml.Case(
        f"{name}.trials",
        f"{where}, seed {outcome.seed}".lstrip(", "),
        outcome=xml.ERROR,
        message=first_line(outcome),
        kind="trial",
        text=f"{outcome.error}\nto repeat it: {outcome.command}{kept}",
        wall_s=outcome.wall_s,
    )
