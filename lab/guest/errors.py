# SPDX-License-Identifier: MIT
"""Failure inside the guest; guest.json reports it to the host."""

from __future__ import annotations

from collections.abc import Sequence


class GuestError(Exception):
    """The run cannot continue. ``culprit`` is a node or process, ``logs`` its output: files in the run directory."""

    def __init__(self, message: str, culprit: str | None = None, logs: Sequence[str] = (), output: bytes = b"") -> None:
        super().__init__(message)
        self.message = message
        self.culprit = culprit
        self.logs = logs
        self.output = output  # of a user's command, which the message does not repeat
