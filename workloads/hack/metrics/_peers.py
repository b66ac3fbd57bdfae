# SPDX-License-Identifier: MIT
"""TCP ACKs that nodes sent with link-layer ACKs, for metrics about them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from lab.metrics.base import Context
from lab.shared import types


def sent(metric: types.Metric, context: Context) -> Iterator[tuple[str, Mapping[str, int]]]:
    """Yield each node of the metric, and what became of its TCP ACKs to all peers together; none without a medium."""
    for name in metric.of if context.medium is not None else ():
        assert context.medium is not None
        counts = [pair["sent"] for pair in context.medium.get("hack", []) if pair["node"] == name]
        yield name, {key: sum(count[key] for count in counts) for key in (counts[0] if counts else {})}


def row(name: str, counts: Mapping[str, int], **more: Any) -> dict[str, Any]:
    """Return a row about a node."""
    return {"node": name, "acks": counts.get("acks", 0), "native": counts.get("natives", 0), **more}
