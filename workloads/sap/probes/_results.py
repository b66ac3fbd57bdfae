# SPDX-License-Identifier: MIT
"""The types of results that probes of this stack yield and its metrics take, in addition to the lab's own."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar


@dataclass(frozen=True)
class Payload:
    """Correctness of the bits that arrived."""

    label: ClassVar[str] = "correct and wrong bits"

    name: str
    datagrams: int  # those that arrived
    damaged: int | None  # with a wrong bit in their payload; None: unknown
    bits: int
    wrong_bits: int | None  # None: unknown
    bit_error_share: float | None  # of the bits in damaged datagrams; None: no such bits
    correct_share: float | None  # of all bits; None: no such bits


@dataclass(frozen=True)
class Intact:
    """How much of a file arrived as it was sent."""

    label: ClassVar[str] = "files that were compared with the original"

    name: str
    bytes: int  # of the file
    intact: int  # that arrived, and are correct


@dataclass(frozen=True)
class Completion:
    """The duration of a completed stream or trace."""

    label: ClassVar[str] = "completed streams and traces"

    name: str
    elapsed_ns: int  # since the opening


@dataclass(frozen=True)
class Gaps:
    """Times between arrivals, if there were enough of them."""

    label: ClassVar[str] = "times between arrivals"

    name: str
    count: int
    variance_ns2: float
    percentiles_ns: dict[str, float]  # mean, min, p50, p90, p95, p99, max


@dataclass(frozen=True)
class Sent:
    """What a sender sent to the sink with the same port."""

    port: int | None


@dataclass(frozen=True)
class Arrived:
    """What arrived at a sink."""

    name: str
    port: int | None


@dataclass(frozen=True)
class FileSent(Sent):
    """A copy of a sent file."""

    label: ClassVar[str] = "sent files"

    path: Path


@dataclass(frozen=True)
class FileArrived(Arrived):
    """A received file."""

    label: ClassVar[str] = "received files"

    path: Path
    lost: int | None  # datagrams


@dataclass(frozen=True)
class WalkSent(Sent):
    """The positions of a walk."""

    label: ClassVar[str] = "sent positions"

    speed_m_s: float  # their mean speed


@dataclass(frozen=True)
class WalkArrived(Arrived):
    """The positions of a walk that arrived, and their mean speed."""

    label: ClassVar[str] = "received positions"

    speed_m_s: float
    expected: int
    lost: int
    discarded: int
