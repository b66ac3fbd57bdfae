# SPDX-License-Identifier: MIT
"""Checks of this exercise."""

from __future__ import annotations

from lab.model.exercise_check import Evidence, processes

LONGEST_NS, RTP, NS_PER_BYTE = 40_000_000, 12, 125_000  # 64 kbit/s


def speech(evidence: Evidence) -> tuple[bool, str]:
    """Look at whether packets have room for all of the speech, and do not wait for too much of it."""
    sent = {
        (process.params["every"], process.params["size"])
        for name in ("talk", "listen")
        for process in processes(evidence.plan, name)
    }
    enough = all(every <= LONGEST_NS and (size - RTP) * NS_PER_BYTE >= every for every, size in sent)
    return enough, ", ".join(f"{size} B every {every / 1e6:g} ms" for every, size in sorted(sent))
