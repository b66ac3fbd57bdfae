# SPDX-License-Identifier: MIT
"""Mistakes in scripts, with the line of the script at which they were made."""

from __future__ import annotations

import sys
from pathlib import Path
from types import FrameType

from lab.shared.paths import RUN

WORK = RUN / "work"  # hostfs: a copy of the script's folder, in which it runs


class ScriptError(Exception):
    """What a script does cannot be done. ``where``: FILE:LINE; None: the message has it."""

    def __init__(self, message: str, where: str | None = None) -> None:
        super().__init__(f"{where}  {message}" if where else message)


class NotBuilt(ScriptError, AttributeError):
    """A node was used before it exists."""


class NoCall(ScriptError, AttributeError):
    """The network does not have what is called; a script may ask whether it has."""


def unavailable(feature: str, instead: str) -> ScriptError:
    """Return the error about something that the lab does not have."""
    return ScriptError(f"the lab has no {feature}; {instead}", caller())


def caller() -> str:
    """Return the line of the script that is being run, as FILE:LINE with the file's path in the script's folder."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        if in_script(frame):
            return line_of(frame, frame.f_lineno)
        frame = frame.f_back
    return "the script"


def in_script(frame: FrameType) -> bool:
    """Return whether a frame runs code of the script, or of a module next to it."""
    return Path(frame.f_code.co_filename).is_relative_to(WORK)


def line_of(frame: FrameType, number: int) -> str:
    """Return a line of a frame in the script as FILE:LINE."""
    return f"{Path(frame.f_code.co_filename).relative_to(WORK)}:{number}"
