# SPDX-License-Identifier: MIT
"""Compressed ACKs: TCP ACKs that went with link-layer ACKs."""

from __future__ import annotations

from collections.abc import Mapping

from lab.units import PERCENT

from ._peers import OfAcks


class AcksCompressed(OfAcks):
    """Percentage of a node's TCP ACKs without data that were sent compressed in ACK and BlockAck frames.

    Salameh et al., "HACK: Hierarchical ACKs for Efficient Wireless Medium Utilization", table 2. 0 % without ``hack:``.
    ACKs that a node sends while an event has switched ``hack`` off are not counted.
    """

    about = "TCP ACKs of a role's nodes that were sent compressed in ACK and BlockAck frames (hack:)"
    dimension = PERCENT
    unit = "%"
    columns = ("share",)

    def value(self, counts: Mapping[str, int]) -> float:
        total = counts["acks"] + counts["natives"]
        return 100 * counts["acks"] / total if total else 0.0
