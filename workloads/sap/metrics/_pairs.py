# SPDX-License-Identifier: MIT
"""Pair senders and sinks by port, for metrics that need both."""

from __future__ import annotations

from typing import TypeVar

from lab.metrics.base import Context, all_found
from lab.shared import types

from ..probes._results import Arrived, Sent

S = TypeVar("S", bound=Sent)
A = TypeVar("A", bound=Arrived)


def pairs(metric: types.PlannedMetric, context: Context, sent: type[S], arrived: type[A]) -> list[tuple[S, A]]:
    """Yield (what was sent, what arrived) of the named processes."""
    senders = {one.port: one for _, one in all_found(metric, context, sent)}
    return [(senders[one.port], one) for _, one in all_found(metric, context, arrived) if one.port in senders]
