# SPDX-License-Identifier: MIT
"""Remarks about completed trials, each once, with the trials concerned."""

from __future__ import annotations

from lab.experiments import where
from lab.experiments.types import Outcome, Results
from lab.numbers import count
from lab.text import printable


def lines(results: Results) -> list[str]:
    """Return a line for each remark (stored data was damaged, …) and for each check of a workload that failed."""
    remarks: dict[str, list[Outcome]] = {}
    checks: dict[str, list[Outcome]] = {}
    for outcome in results.outcomes:
        if outcome.remark:
            remarks.setdefault(outcome.remark, []).append(outcome)
        for check in dict.fromkeys(outcome.unmet):
            checks.setdefault(check, []).append(outcome)
    total = len(results.outcomes)
    described = [f"{remark}: {where.trials(results, found)}" for remark, found in remarks.items()]
    described += [
        f'check "{check}" failed in {len(found)} of {count(total, "trial")}: {where.trials(results, found)}'
        for check, found in checks.items()
    ]
    return [printable(line) for line in described]
