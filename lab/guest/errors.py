# SPDX-License-Identifier: MIT
"""Failure inside the guest; guest.json reports it to the host."""

from __future__ import annotations


class GuestError(Exception):
    """The run cannot continue. ``culprit`` is a node or process, ``log`` its raw file in the run directory."""

    def __init__(self, message: str, culprit: str | None = None, log: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.culprit = culprit
        self.log = log
