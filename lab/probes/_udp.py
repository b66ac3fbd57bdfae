# SPDX-License-Identifier: MIT
"""The program of udp-sender and udp-sink, as a file for the nodes."""

from __future__ import annotations

from pathlib import Path

PROGRAM = "udp.py"


def source() -> str:
    """Return the source of the program. It is never imported here: it runs in nodes, with the guest's Python."""
    return Path(__file__).with_name("_udp_program.py").read_text(encoding="utf-8")
