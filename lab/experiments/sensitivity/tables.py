# SPDX-License-Identifier: MIT
"""The tables of a sensitivity analysis, for the terminal and for report.html."""

from __future__ import annotations

from lab.experiments.sensitivity.analysis import Held, Sensitivity
from lab.numbers import MINUS, count, plain
from lab.tables import Column, Table

_REASONS = 3  # correlations that are named


def tables(found: Sensitivity) -> list[Table]:
    """Return the shares of places in which claims hold, and the ranges that were varied."""
    return [_claims(found), _parameters(found)]


def _claims(found: Sensitivity) -> Table:
    columns = [
        Column("claim", "claim", number=False),
        Column("holds", "holds in", number=False),
        Column("interval", "95 % CI", number=False),
        Column("follows", "follows", number=False),
    ]
    title = f"In {count(len(found.places), 'plausible place')}, {count(found.reps, 'trial')} of each point"
    rows = [
        {"claim": held.claim.name, "holds": share(held), "interval": interval(held), "follows": reasons(held)}
        for held in found.held
    ]
    failed = f"{count(found.failed, 'trial')} failed." if found.failed else ""
    return Table("sensitivity", title, columns, rows, remark=failed)


def _parameters(found: Sensitivity) -> Table:
    columns = [
        Column("parameter", "parameter", number=False),
        Column("range", "plausible values", number=False),
        Column("source", "source", number=False),
    ]
    rows = [{"parameter": one.name, "range": one.range, "source": one.source} for one in found.parameters]
    return Table("uncertain", "What was varied", columns, rows, in_terminal=False)


def share(held: Held) -> str:
    """``14 of 20 (70 %)``; where it could not be evaluated: ``14 of 18 (78 %), 2 without a value``."""
    without = len(held.passed) - held.evaluated
    more = f", {without} without a value" if without else ""
    if held.share is None:
        return f"no place{more}"
    return f"{held.holds} of {held.evaluated} ({plain(100 * held.share, 2)} %){more}"


def interval(held: Held) -> str | None:
    """``48 to 85 %``."""
    if held.interval is None:
        return None
    low, high = (plain(100 * end, 2) for end in held.interval)
    return f"{low} to {high} %"


def reasons(held: Held) -> str:
    """Name the parameters that its margin follows: ``wall +0.81, k -0.52`` (with a minus sign)."""
    found = [f"{one.parameter} {signed(one.rho)}" for one in held.reasons[:_REASONS]]
    return ", ".join(found) or "nothing clearly"


def signed(rho: float) -> str:
    """Format a correlation with its sign."""
    return f"{'+' if rho >= 0 else MINUS}{abs(rho):.2f}"
