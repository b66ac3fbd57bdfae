# SPDX-License-Identifier: MIT
"""The parts of the lab that a plan uses: kinds of nodes and events, probes, metrics and a stack."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from lab.shared.types import Plan

_OPEN_VSWITCH = "switch"  # whose code access points use with OpenFlow, and with a spanning tree


@dataclass(frozen=True)
class Uses:
    """Names in alphabetical order, each once."""

    nodes: tuple[str, ...]  # kinds
    events: tuple[str, ...]  # kinds
    probes: tuple[str, ...]
    metrics: tuple[str, ...]  # kinds
    stack: str | None  # whose code is in the guest
    air: bool  # whether the medium is captured
    images: tuple[str, ...] = ()  # of nodes

    @classmethod
    def of(cls, plan: Plan) -> Uses:
        """Return the parts that this plan uses."""
        return cls(
            nodes=_names(
                [
                    *(node.kind for node in (*plan.nodes, *plan.radios())),
                    *(_OPEN_VSWITCH for node in plan.nodes if node.openflow),
                ]
            ),
            events=_names(event.kind for event in plan.events),
            probes=_names(process.probe for process in plan.processes),
            metrics=_names(metric.kind for metric in plan.metrics),
            stack=plan.stack,
            air=plan.pcap is not None,
            images=tuple(plan.images()),
        )


def _names(found: Iterable[str | None]) -> tuple[str, ...]:
    return tuple(sorted({name for name in found if name is not None}))
