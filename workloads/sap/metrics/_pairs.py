# SPDX-License-Identifier: MIT
"""Which sender belongs to which sink, where a metric needs both: that of the same port."""

from __future__ import annotations

from typing import TypeVar

from lab.metrics.base import Context, all_found
from lab.shared import types

from ..probes._kinds import Arrived, Sent

S = TypeVar("S", bound=Sent)
A = TypeVar("A", bound=Arrived)


def pairs(metric: types.Metric, context: Context, sent: type[S], arrived: type[A]) -> list[tuple[S, A]]:
    """(what was sent, what arrived) of the processes that are named."""
    senders = {one.port: one for _, one in all_found(metric, context, sent)}
    return [(senders[one.port], one) for _, one in all_found(metric, context, arrived) if one.port in senders]
