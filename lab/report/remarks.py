# SPDX-License-Identifier: MIT
"""What may be behind a result, and is no failure by itself: nodes that ran out of memory."""

from __future__ import annotations

from lab.numbers import count
from lab.record.record import Record
from lab.units import SIZE


def remarks(record: Record) -> list[str]:
    """Return a sentence for each; a shell or a browser goes on when one of its processes is killed."""
    kills = record.data.get("memory_kills", {})
    return [
        f"{node.source}: {node.name} ran out of memory ({SIZE.format(node.memory_bytes)}), and the kernel killed "
        f"{count(kills[node.name], 'program')} of it; write a larger memory: for it"
        for node in record.plan.nodes
        if node.name in kills
    ]
