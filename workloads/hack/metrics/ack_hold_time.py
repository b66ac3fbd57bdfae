# SPDX-License-Identifier: MIT
"""How long TCP ACKs wait for a link-layer ACK."""

from __future__ import annotations

from collections.abc import Mapping

from lab.units import DURATION

from ._peers import OfAcks


class AckHoldTime(OfAcks):
    """Mean time from when a TCP ACK is held until the radio knows that it has arrived compressed.

    So it contains the time until the other end shows by its next frame that it has heard the answer (Salameh et al.,
    "HACK: Hierarchical ACKs for Efficient Wireless Medium Utilization", section 3.4). ACKs that were held in vain and
    went as they are do not count. No value for a node of which no ACK was compressed.
    """

    about = "mean time that the compressed TCP ACKs of a role's nodes were held (hack:)"
    dimension = DURATION
    unit = "ns"
    columns = ("held",)

    def value(self, counts: Mapping[str, int]) -> float | None:
        return counts["held_ns"] / counts["acks"] if counts["acks"] else None
