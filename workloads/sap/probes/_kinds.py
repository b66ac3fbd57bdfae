# SPDX-License-Identifier: MIT
"""The kinds of things that probes of this stack yield and its metrics take, besides those of general use."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar


@dataclass(frozen=True)
class Payload:
    """What is known of the bits that arrived."""

    label: ClassVar[str] = "bits that arrived, right or wrong"

    name: str
    datagrams: int  # those that arrived
    damaged: int | None  # with a wrong bit in their payload; None: nobody knows
    bits: int
    wrong_bits: int | None  # None: nobody knows
    bit_error_share: float | None  # of the bits in damaged datagrams; None: of none
    correct_share: float | None  # of all bits; None: of none


@dataclass(frozen=True)
class Completion:
    """A stream or a trace that came to its end."""

    label: ClassVar[str] = "streams and traces that end"

    name: str
    elapsed_ns: int  # since its opening


@dataclass(frozen=True)
class Gaps:
    """Times between arrivals, where there were enough of them."""

    label: ClassVar[str] = "times between arrivals"

    name: str
    count: int
    variance_ns2: float
    percentiles_ns: dict[str, float]  # mean, min, p50, p90, p95, p99, max


@dataclass(frozen=True)
class Sent:
    """Something that went to the sink of the same port."""

    port: int | None


@dataclass(frozen=True)
class Arrived:
    """What came of it there."""

    name: str
    port: int | None


@dataclass(frozen=True)
class FileSent(Sent):
    """A copy of a file, as it was sent."""

    label: ClassVar[str] = "files as they were sent"

    path: Path


@dataclass(frozen=True)
class FileArrived(Arrived):
    """A file as it arrived."""

    label: ClassVar[str] = "files as they arrived"

    path: Path
    lost: int | None  # datagrams


@dataclass(frozen=True)
class WalkSent(Sent):
    """The positions of somebody who moves."""

    label: ClassVar[str] = "positions that were sent"

    speed_m_s: float  # their mean speed


@dataclass(frozen=True)
class WalkArrived(Arrived):
    """What a receiver found of them."""

    label: ClassVar[str] = "positions that arrived"

    speed_m_s: float
    expected: int
    lost: int
    discarded: int
