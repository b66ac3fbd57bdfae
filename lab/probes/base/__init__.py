# SPDX-License-Identifier: MIT
"""Base class of probes: one tool, the command line that runs it and the parser of its output.

A probe is a class in ``lab/probes/<name>.py`` or ``workloads/<stack>/probes/<name>.py``; ``<name>``, with ``-`` for
``_``, is its name in workloads (see lab.registry). A probe never starts a process or writes a file, and the guest never
loads it: the plan contains its command, the record contains what ``parse`` returns. ``found`` turns that into typed
results that metrics take.

Three ways to run, by ``mode``:

* ``command``: one process; its stdout is ``<id>.out``, its stderr ``<id>.err``. SIGINT ends it at ``stop_ns`` or at the
  end of the run (tools then print their summary).
* ``sample``: the command runs every ``params["every"]`` ns; each output is appended to ``<id>.out`` after a line
  ``### <virtual ns since timeline start>`` (negative before it).
* ``control``: the guest attaches to the control socket of wpa_supplicant or hostapd on the node's radio and
  writes ``<virtual ns> <event text>`` lines to ``<id>.out``.

A probe with a ``watched_file`` also gets ``<id>.size``: the guest writes a line ``<virtual ns> <bytes>`` every
``params["every"]`` ns while the process runs, one more when it has ended, and then ``sha256 <hex> <bytes>``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

from lab import left, library
from lab.errors import InputError, ParameterError
from lab.probes.base.results import Capture as Capture
from lab.probes.base.results import Delay as Delay
from lab.probes.base.results import Delivery as Delivery
from lab.probes.base.results import Events as Events
from lab.probes.base.results import Flow as Flow
from lab.probes.base.results import Receiver as Receiver
from lab.probes.base.results import ResultType as ResultType
from lab.probes.base.results import Retransmissions as Retransmissions
from lab.probes.base.results import Samples as Samples
from lab.probes.base.results import Sent as Sent
from lab.probes.base.results import TimeSeries as TimeSeries
from lab.probes.base.results import Transfer as Transfer
from lab.registry import Room
from lab.shared.paths import PROGRAMS_IN_NODE

MOST_LINES = 5_000_000  # of a file that is read as text: more would take minutes and gigabytes
_UNITS = {"int": "", "rate": "bit/s", "size": "B"}


@dataclass(frozen=True)
class Param:
    """One key of a probe in a workload file.

    ``type`` is what a value must be: ``str``, ``int``, ``bool``, ``list`` (of str), or a quantity, converted to base
    units: ``duration`` (ns), ``rate`` (bit/s), ``size`` (bytes). ``least`` and ``most`` are limits of numbers, in
    base units.
    """

    type: str
    about: str
    default: Any = None
    required: bool = False
    least: int = 0
    most: int | None = None

    def check(self, name: str, value: Any) -> None:
        """Raise a ParameterError if the number is out of range."""
        if not isinstance(value, int | float) or isinstance(value, bool):
            return
        if value < self.least:
            raise ParameterError(name, f"must be at least {self._shown(self.least)}")
        if self.most is not None and value > self.most:
            raise ParameterError(name, f"must be at most {self._shown(self.most)}")

    def _shown(self, bound: int) -> str:
        if self.type == "duration":
            return f"{bound / 1_000_000:g} ms"
        return f"{bound} {_UNITS[self.type]}".strip()


def program_path(name: str) -> str:
    """Return the path, in a node, of a program that a probe brings."""
    return f"{PROGRAMS_IN_NODE}/{name}"


@dataclass(frozen=True)
class Target:
    """The node that a probe runs on, for ``argv``."""

    node: str
    interface: str  # the first one: radio of a station, else eth0
    radio: str | None
    ip: str | None
    medium: bool = True  # whether the topology has an 802.11 medium; without one, radios are perfect
    seed: int = 1  # of the run
    ipv6: bool = False  # whether receivers listen on IPv6


@dataclass
class Occurrence:
    """An event at one moment."""

    t_ns: int
    kind: str
    fields: dict[str, Any] = field(default_factory=dict)


@dataclass
class Parsed:
    """What a parser found in the output of one run of a probe."""

    series: list[TimeSeries] = field(default_factory=list)
    occurrences: list[Occurrence] = field(default_factory=list)
    values: dict[str, Any] = field(default_factory=dict)  # bytes, retransmits, sha256, ...
    _named: dict[str, TimeSeries] = field(default_factory=dict, repr=False, compare=False)

    def add(self, name: str, unit: str, t_ns: int, value: float) -> None:
        """Append a sample to the series of that name; the first sample creates the series."""
        series = self._named.get(name)
        if series is None:
            series = self._named[name] = TimeSeries(name, unit)
            self.series.append(series)
        series.t_ns.append(t_ns)
        series.values.append(value)

    def series_of(self, name: str) -> TimeSeries:
        """Return the series of that name; an empty one by default."""
        return next((series for series in self.series if series.name == name), TimeSeries(name, ""))


class ProbeOutputError(ValueError):
    """Output that the parser does not understand; the message names the line."""


@dataclass(frozen=True)
class Block:
    """Output of one run of a ``sample`` probe's command."""

    t_ns: int
    line: int  # number of the first line of ``text`` in the file, from 1
    text: str

    def lines(self) -> Iterator[tuple[int, str]]:
        """Yield (number in the file, text) of each line that is not blank."""
        for number, line in enumerate(self.text.split("\n"), self.line):
            if line.strip():
                yield number, line


@dataclass(frozen=True)
class Raw:
    """The raw output of one run of a probe, with the reference times that a parser needs.

    ``epoch_ns`` is the guest's CLOCK_REALTIME at the start of the timeline, to be subtracted from absolute time stamps
    that tools print; ``started_ns`` is the start of the process since the timeline's start.
    """

    directory: Path
    id: str
    params: dict[str, Any] = field(default_factory=dict)
    epoch_ns: int = 0
    started_ns: int = 0

    def path(self, suffix: str) -> Path:
        """Return the path of ``<id>.<suffix>``; the file need not exist."""
        return self.directory / f"{self.id}.{suffix}"

    def text(self, suffix: str = "out") -> str:
        """Return the content of ``<id>.<suffix>``, invalid UTF-8 as U+FFFD; raise ProbeOutputError if it is missing.

        The same if it has more lines than anyone could wait for.
        """
        try:
            content = left.content(self.path(suffix))
        except FileNotFoundError:
            raise ProbeOutputError(f"{self.id}.{suffix} is missing") from None
        if (lines := content.count(b"\n")) > MOST_LINES:
            raise ProbeOutputError(
                f"{self.id}.{suffix} has {lines:,} lines; none was read: {MOST_LINES:,} are the limit"
            )
        return content.decode("utf-8", errors="replace").replace("\r\n", "\n")

    def lines(self, suffix: str = "out") -> Iterator[tuple[int, str]]:
        """Yield (number from 1, text) of each line that is not blank."""
        yield from Block(0, 1, self.text(suffix)).lines()

    def blocks(self) -> Iterator[Block]:
        """Yield the samples of a ``sample`` probe; raise ProbeOutputError for output before ``###``, or a bad time."""
        head: int | None = None
        first, lines = 0, list[str]()
        for number, line in enumerate(self.text().split("\n"), 1):
            if not line.startswith("### "):
                if head is None and line.strip():
                    raise self.error(number, line, "expected a line '### <ns>' first")
                lines.append(line)
                continue
            if head is not None:
                yield Block(head, first, "\n".join(lines))
            head, first, lines = self.stamp(number, line[4:], line), number + 1, []
        if head is not None:
            yield Block(head, first, "\n".join(lines))

    def stamp(self, number: int, text: str, line: str, suffix: str = "out") -> int:
        """Convert a time in ns, negative before the timeline starts; raise ProbeOutputError if it is not a time."""
        sign = -1 if text.startswith("-") else 1
        return sign * self.integer(number, text.removeprefix("-"), line, suffix)

    def integer(self, number: int, text: str, line: str, suffix: str = "out") -> int:
        """Convert a count in decimal digits; raise ProbeOutputError if it is not a count."""
        if not (text.isascii() and text.isdigit() and len(text) < 20):
            raise self.error(number, line, f"{text!r} is not a whole number", suffix)
        return int(text)

    def error(self, number: int, line: str, why: str, suffix: str = "out") -> ProbeOutputError:
        """Return an error that names the file, the line and its text."""
        shown = line if len(line) <= 120 else line[:117] + "..."
        return ProbeOutputError(f"{self.id}.{suffix}:{number}: {why}: {shown!r}")


class Probe:
    """Base class. Subclasses set the class attributes and override what they need."""

    about: str = ""
    mode: str = "command"  # command, sample, control
    acts: bool = False  # True: part of the workload (curl); if it fails, the run fails. False: it only observes
    params: ClassVar[dict[str, Param]] = {}
    yields: ClassVar[tuple[ResultType, ...]] = ()  # the types of results that it finds
    artefacts: tuple[str, ...] = ()  # further raw files the tool writes itself: "{id}.pcap"
    # kinds of nodes that it can run on
    kinds: tuple[str, ...] = ("host", "router", "radius", "switch", "ap", "sta", "mesh", "monitor")
    stack: str | None = None  # the stack that contains its program, from its path; None: every node has the program
    programs: ClassVar[dict[str, str]] = {}  # source of the Python programs that it brings, by file name

    def check(self, params: dict[str, Any]) -> None:
        """Raise a ParameterError if parameters are out of range or contradictory."""
        for name, param in self.params.items():
            param.check(name, params[name])

    def check_target(self, target: Target, params: dict[str, Any]) -> None:
        """Raise a ParameterError, or a ValueError about all of them, if the probe cannot work on this node."""

    def argv(self, target: Target, params: dict[str, Any], raw: str) -> list[str]:
        """Return the command to run in the node. ``raw`` is the absolute prefix of the tool's files: raw + '.pcap'.

        The tool opens these to write them; it gets /dev/fd/3 and so on for them, since a node does not see the folder.
        ``params`` holds every key of ``self.params`` (``defaults`` fills them in).
        """
        raise NotImplementedError

    def stacks(self, params: dict[str, Any]) -> tuple[str, ...]:
        """Return the stacks with the programs that it runs; a workload that lacks one is invalid."""
        return (self.stack,) if self.stack is not None else ()

    def runs_on(self, params: dict[str, Any]) -> bool:
        """Return whether a probe that acts runs until it is ended, as a server does, instead of ending by itself.

        One that ends by itself fails the run if it still runs at the end.
        """
        return False

    def watched_file(self, params: dict[str, Any], raw: str) -> str | None:
        """Return a file that the guest hashes at the end and whose size it samples every ``params["every"]`` ns."""
        return None

    def parse(self, raw: Raw) -> Parsed:
        """Parse the tool's output.

        Raises:
            ProbeOutputError: If a line is invalid; the message names it.
        """
        raise NotImplementedError

    def found(self, raw: Raw, parsed: Parsed) -> Iterable[object]:
        """Yield the results whose types are in ``yields``, except for samples, events and captures."""
        return ()

    def defaults(self, params: dict[str, Any]) -> dict[str, Any]:
        """Return ``params`` with defaults for missing keys."""
        return {name: param.default for name, param in self.params.items()} | params


PROBES = Room("probes", Probe)
known = PROBES.known


def load(name: str) -> Probe:
    """Return the probe of that name.

    Raises:
        InputError: If no such probe exists, two files have that name, or the file is invalid.
    """
    probe = PROBES.made(name)
    for key, param in dict(probe.params).items():
        if not isinstance(param, Param):
            said = f'params has {param!r} for "{key}"; write Param("int", "what it is")'
            raise InputError(said, where=PROBES.where(name))
    stack = PROBES.file(name).stack
    if stack is not None and library.code_called(stack):
        probe.stack = stack
    return probe
