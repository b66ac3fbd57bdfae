# SPDX-License-Identifier: MIT
"""Bytes of a TCP ACK that goes with a link-layer ACK."""

from __future__ import annotations

from collections.abc import Mapping

from lab.units import SIZE

from ._peers import OfAcks


class AckBytes(OfAcks):
    """Mean bytes by which a compressed TCP ACK makes an ACK or BlockAck frame longer.

    Salameh et al., "HACK: Hierarchical ACKs for Efficient Wireless Medium Utilization", table 2. The byte that begins
    each payload counts, too. No value for a node of which no ACK was compressed.
    """

    about = "mean bytes of a compressed TCP ACK of a role's nodes (hack:)"
    dimension = SIZE
    unit = "B"
    columns = ("bytes",)

    def value(self, counts: Mapping[str, int]) -> float | None:
        return (counts["bytes"] + counts["payloads"]) / counts["acks"] if counts["acks"] else None
