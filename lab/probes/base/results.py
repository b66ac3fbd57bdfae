# SPDX-License-Identifier: MIT
"""The types of results that probes yield and metrics take, independent of the tool.

A stack may define its own types as frozen dataclasses. A metric that takes a class also takes its subclasses.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import ClassVar


@dataclass
class TimeSeries:
    """A sampled quantity: ``t_ns`` (since the timeline's start) and ``values``, of equal length.

    If a probe samples several instances, the name contains the instance after a slash: ``signal/02:00:01:00:02:00``.
    """

    name: str  # received, cwnd, signal, ...
    unit: str  # B, bit/s, ms, dBm, packets, ...
    t_ns: list[int] = field(default_factory=list)
    values: list[float] = field(default_factory=list)

    @property
    def t_s(self) -> list[float]:
        """The times in seconds."""
        return [t_ns / 1e9 for t_ns in self.t_ns]


@dataclass(frozen=True)
class Samples:
    """Series named ``quantity``, or ``quantity/…`` if there are several instances."""

    quantity: str

    def __str__(self) -> str:
        return f"samples of {self.quantity}"


@dataclass(frozen=True)
class Events:
    """Occurrences about ``what``."""

    what: str

    def __str__(self) -> str:
        return f"events of {self.what}"


@dataclass(frozen=True)
class Capture:
    """Frames, kept in ``<id>.pcap``."""

    label: ClassVar[str] = "captured frames"


@dataclass(frozen=True)
class Flow:
    """Packets of one sender, and how many of them did not reach the receiver."""

    label: ClassVar[str] = "packets sent and lost"

    name: str  # of the process that sends
    sent: int
    lost: int


@dataclass(frozen=True)
class Sent:
    """Packets that a process sent to a ``Receiver``, whether or not any arrived."""

    label: ClassVar[str] = "packets sent"

    name: str  # of the process that sends
    to: str  # address, without prefix
    port: int
    packets: int


@dataclass(frozen=True)
class Receiver:
    """Where a process receives what others send. It knows nothing of a sender of which nothing arrived."""

    label: ClassVar[str] = "a port that receives"

    port: int


@dataclass(frozen=True)
class Delay:
    """One-way delays of the packets of a flow."""

    label: ClassVar[str] = "one-way delays"

    name: str
    packets: int
    min_ns: float
    mean_ns: float
    max_ns: float
    means: TimeSeries  # ms, of each interval


@dataclass(frozen=True)
class Delivery:
    """Payload delivered to an application, and the time it took."""

    label: ClassVar[str] = "bytes delivered over time"

    name: str
    bytes: int
    duration_ns: int
    rate: TimeSeries | None = None  # bit/s over time
    in_duration: float | None = None  # bytes that arrived within the duration, if not all

    def goodput_bps(self) -> float:
        """Return the mean rate; 0 if the duration is 0."""
        counted = self.bytes if self.in_duration is None else self.in_duration
        return 8 * counted * 1_000_000_000 / self.duration_ns if self.duration_ns > 0 else 0.0


@dataclass(frozen=True)
class Transfer(Delivery):
    """A finite delivery, such as a file. ``duration_ns`` is from the request to the last byte."""

    label: ClassVar[str] = "transfers"

    complete: bool = False
    first_byte_ns: int | None = None  # since the request


@dataclass(frozen=True)
class Retransmissions:
    """Retransmitted segments of a connection."""

    label: ClassVar[str] = "retransmissions"

    connection: str
    count: float


ResultType = type | Samples | Events


def offered(wanted: ResultType | str, by: Iterable[ResultType]) -> bool:
    """Return whether a type of results is among those that a probe yields."""
    return any(
        issubclass(one, wanted) if isinstance(one, type) and isinstance(wanted, type) else one == wanted for one in by
    )


def described(wanted: Iterable[ResultType | str], joined: str = ", ") -> str:
    """Describe types of results in words."""
    return joined.join(_described(one) for one in wanted)


def _described(one: ResultType | str) -> str:
    if not isinstance(one, type):
        return str(one)
    words = "".join(f" {letter.lower()}" if letter.isupper() else letter for letter in one.__name__).strip()
    return str(getattr(one, "label", words))
