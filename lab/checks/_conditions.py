# SPDX-License-Identifier: MIT
"""Conditions of which the first that holds counts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lab.expressions import expression
from lab.model.exercise_check import Judgement


def first_that_holds(shares: Mapping[str, float], values: Mapping[str, Any]) -> Judgement:
    """Return the share of the first condition that holds, with what was seen of the first one."""
    seen = ""
    for that, share in shares.items():
        outcome = expression.evaluate(that, values)
        seen = seen or outcome.explanation
        if outcome.passed:
            return Judgement(share, seen)
    return Judgement(0, seen)
