# SPDX-License-Identifier: MIT
"""What a plan uses of the lab: the kinds of its nodes and events, its probes, metrics and stack, nothing else."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from lab.shared.types import Plan


@dataclass(frozen=True)
class Uses:
    """Names in alphabetical order, each once."""

    nodes: tuple[str, ...]  # kinds
    events: tuple[str, ...]  # kinds
    probes: tuple[str, ...]
    metrics: tuple[str, ...]  # kinds
    stack: str | None  # the one whose code is in the guest
    air: bool  # what is on the medium is captured

    @classmethod
    def of(cls, plan: Plan) -> Uses:
        """What this plan uses."""
        return cls(
            nodes=_names(node.kind for node in plan.nodes),
            events=_names(event.kind for event in plan.events),
            probes=_names(process.probe for process in plan.processes),
            metrics=_names(metric.kind for metric in plan.metrics),
            stack=plan.stack,
            air=plan.pcap is not None,
        )


def _names(found: Iterable[str | None]) -> tuple[str, ...]:
    return tuple(sorted({name for name in found if name is not None}))
