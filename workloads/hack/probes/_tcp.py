# SPDX-License-Identifier: MIT
"""What tcp-source and tcp-sink share: the program, and times in its lines."""

from __future__ import annotations

from pathlib import Path

from lab.probes.base import ProbeOutputError
from lab.probes.base.text import Json, stamp_ns

PROGRAM = "tcp.py"
PORT = 5301


def program() -> dict[str, str]:
    """Return the program, by its name in nodes. It is never imported here: it runs with the guest's Python."""
    return {PROGRAM: Path(__file__).with_name("_tcp_program.py").read_text(encoding="utf-8")}


def time_ns(stamp: Json, epoch_ns: int) -> int:
    """Return a time since the timeline's start."""
    try:
        return stamp_ns(stamp.text()) - epoch_ns
    except ValueError as error:
        raise ProbeOutputError(f"{stamp.where}: {error}") from None
