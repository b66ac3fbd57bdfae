# SPDX-License-Identifier: MIT
"""Checks of this exercise."""

from __future__ import annotations

from lab.captures import pcap
from lab.model.exercise_check import Evidence, EvidenceError
from lab.numbers import count

PORTS = ("at-ap1", "at-ap2")
ICMP, ECHO_REPLY = b"\x01", b"\x00"
MOST_TWICE = 5  # for each of two handoffs, what may be on its way when the station moves


def quiet(evidence: Evidence) -> tuple[bool, str]:
    """Count the answers that left by both ports."""
    by_port = [_answers(evidence, port) for port in PORTS]
    twice = len(by_port[0] & by_port[1])
    if not by_port[0] | by_port[1]:
        return False, "s1 sent no answers"
    return twice <= 2 * MOST_TWICE, f"s1 sent {count(twice, 'answer')} to both access points"


def _answers(evidence: Evidence, probe: str) -> set[bytes]:
    """Return the answers to pings in a capture: their addresses, their process and their number."""
    (path,) = evidence.captures(probe)
    try:
        frames = [frame for _, frame in pcap.load(path).frames()]
    except (FileNotFoundError, pcap.PcapError) as error:
        raise EvidenceError(f"{path.name} cannot be read: {error}") from None
    # 14 bytes of Ethernet, 20 of IPv4, then ICMP: type at 34, identifier and number from 38 to 41
    return {frame[26:34] + frame[38:42] for frame in frames if frame[23:24] == ICMP and frame[34:35] == ECHO_REPLY}
