# SPDX-License-Identifier: MIT
"""A worker's answers about a trial. Plain data, passed between processes and machines."""

from __future__ import annotations

from dataclasses import dataclass

from lab.experiments.run.store import Kept


@dataclass(frozen=True)
class Finished:
    """The trial has finished."""

    kept: Kept


@dataclass(frozen=True)
class Failed:
    """The guest, a process in it, or a parser of its output failed. ``left`` is the trial's directory."""

    error: str  # with the end of its log
    directory: str  # its path on the worker: ``error`` names files in it
    left: bytes  # an archive (lab.experiments.run.archive)
    wall_s: float


@dataclass(frozen=True)
class Lost:
    """No worker finished the trial: each worker that ran it was killed."""

    error: str


@dataclass(frozen=True)
class Refused:
    """The worker's build differs from the caller's. It did not run the trial."""

    worker: str
    differing: dict[str, tuple[str | None, str | None]]  # kernel, image, code, …: the caller's hash, the worker's


Answer = Finished | Failed | Lost | Refused
