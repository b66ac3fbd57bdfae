# SPDX-License-Identifier: MIT
"""What goes wrong in a program that drives a lab. If the run itself fails, that is a lab.errors.RunError."""

from __future__ import annotations

from lab.errors import LabError


class CallError(LabError):
    """A call that cannot be done: an unknown node, a time that has passed, a lab that has ended."""


class CommandError(LabError):
    """A program in a node has failed, and the caller wanted to know."""


class WaitError(LabError):
    """What was waited for did not come in time; the message has the last state that was seen."""
