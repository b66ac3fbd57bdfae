# SPDX-License-Identifier: MIT
"""What a worker says of a trial. Plain data: it crosses from process to process and from machine to machine."""

from __future__ import annotations

from dataclasses import dataclass

from lab.experiments.run.store import Kept


@dataclass(frozen=True)
class Finished:
    """It ran to its end."""

    kept: Kept


@dataclass(frozen=True)
class Failed:
    """The guest, a process in it, or what reads its output failed. ``left`` is its directory."""

    error: str  # with the end of its log
    directory: str  # as the worker called it: ``error`` names files in it
    left: bytes  # an archive (lab.experiments.run.archive)
    wall_s: float


@dataclass(frozen=True)
class Lost:
    """No worker brought it to an end: each one that had it was killed."""

    error: str


@dataclass(frozen=True)
class Refused:
    """The worker is another lab than the one that asks. It took no work."""

    worker: str
    differing: dict[str, tuple[str | None, str | None]]  # kernel, image, code, …: the hash asked for, its own


Answer = Finished | Failed | Lost | Refused
