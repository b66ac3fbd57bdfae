# SPDX-License-Identifier: MIT
"""Which sender belongs to which receiver, where a metric needs both."""

from __future__ import annotations

from collections.abc import Iterator

from lab.metrics.base import Context, Source, chosen
from lab.shared import types


def pairs(metric: types.Metric, context: Context, sender: str, receiver: str) -> Iterator[tuple[Source, Source]]:
    """(sender, receiver) of those probes that are named and have one port."""
    senders = {source.params.get("port"): source for source in chosen(metric, context, sender)}
    for source in chosen(metric, context, receiver):
        if source.params.get("port") in senders:
            yield senders[source.params.get("port")], source


def needs_both(of: dict[str, str | None], sender: str, receiver: str) -> None:
    """ValueError: one of the two is not named."""
    for probe, what in ((sender, "what was sent"), (receiver, "what arrived")):
        if probe not in of.values():
            raise ValueError(f"of: name a {probe}, too: it tells {what}")
