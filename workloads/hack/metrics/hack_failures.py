# SPDX-License-Identifier: MIT
"""Compressed TCP ACKs that arrived and could not be restored."""

from __future__ import annotations

from collections.abc import Mapping

from ._peers import OfAcks

_FAILURES = {"crc_failures": "CRC failures", "unknown": "unknown", "malformed": "malformed"}


class HackFailures(OfAcks):
    """What came to a node with ACK and BlockAck frames, and could not become a TCP ACK again.

    The sum of: ACKs whose CRC is wrong, ACKs of flows that the node does not know or waits to learn anew, and payloads
    that end within an ACK. Of a download, name the role of the access point. 0 without ``hack:``.
    """

    about = "compressed TCP ACKs that a role's nodes received and could not restore (hack:)"
    way = "received"
    counters = {"acks": "restored"} | _FAILURES
    unit = "failures"
    columns = ("failures",)

    def value(self, counts: Mapping[str, int]) -> float:
        return sum(counts[key] for key in _FAILURES)
