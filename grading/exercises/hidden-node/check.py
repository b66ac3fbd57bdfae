# SPDX-License-Identifier: MIT
"""Checks of this exercise."""

from __future__ import annotations

from lab.model.exercise_check import Evidence, EvidenceError
from lab.shared.medium_types import total

NEAR = 0.02  # of the right share; the share of transmissions with the Retry bit is further off


def repeated(evidence: Evidence) -> tuple[bool, str]:
    """Compare the answer with the share of the clients' frames that were sent more than once.

    The workload has no such metric, since the lab would print the answer.
    """
    given = evidence.values["answers"]["repeated"]
    if given is None:
        return False, "answers.yaml has no repeated:"
    share = right_repeated(evidence)
    return abs(float(given.value) - share) <= NEAR * share, f"answered {float(given.value):g} %"


def right_repeated(evidence: Evidence) -> float:
    """Return that share, in percent."""
    clients = [node.name for node in evidence.plan.nodes if "client" in node.roles]
    links = evidence.medium.links if evidence.medium is not None else ()
    counts = total(link.total for link in links if link.sender in clients)
    frames = counts.sent - counts.retries
    if not frames:
        raise EvidenceError("the clients sent no frames")
    return 100 * counts.repeated / frames
