# SPDX-License-Identifier: MIT
"""The size of a compressed TCP ACK, compared with its packet."""

from __future__ import annotations

from collections.abc import Mapping

from lab.units import PERCENT

from ._peers import OfAcks


class AckSize(OfAcks):
    """Bytes of a node's compressed TCP ACKs, as a percentage of their IP packets; 100 % / 12 is a ratio of 12.

    Salameh et al., "HACK: Hierarchical ACKs for Efficient Wireless Medium Utilization", table 2. No value for a node of
    which no ACK was compressed.
    """

    about = "size of the compressed TCP ACKs of a role's nodes, of their IP packets (hack:)"
    dimension = PERCENT
    unit = "%"
    columns = ("share",)

    def value(self, counts: Mapping[str, int]) -> float | None:
        return 100 * (counts["bytes"] + counts["payloads"]) / counts["packet_bytes"] if counts["acks"] else None
