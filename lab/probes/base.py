# SPDX-License-Identifier: MIT
"""What a probe is: one tool, the command line that runs it and the parser of what it prints.

A probe is a module ``lab/probes/<name>.py`` with one ``PROBE = SomeProbe()``; the file's name with ``-`` for
``_`` is the probe's name in workloads. Standard library only: the guest imports ``argv`` and ``samples``,
the host imports ``parse``. A probe never touches files or processes itself.

Three ways to run, by ``mode``:

* ``command``: one process; its stdout is ``<id>.out``, its stderr ``<id>.err``. It is ended with SIGINT at
  ``stop_ns`` or the end of the run (tools print their summary then).
* ``sample``: the command is run again every ``params["every"]`` ns; outputs are appended to ``<id>.out``,
  each headed by a line ``### <virtual ns since timeline start>``.
* ``control``: the guest attaches to the control socket of wpa_supplicant or hostapd on the node's radio and
  writes ``<virtual ns> <event text>`` lines to ``<id>.out``.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Param:
    """One key of a probe in a workload file.

    ``kind`` is how its text is read: ``str``, ``int``, ``bool``, ``list`` (of str), or a quantity, converted to base units:
    ``duration`` (ns), ``rate`` (bit/s), ``size`` (bytes).
    """

    kind: str
    about: str
    default: Any = None
    required: bool = False


@dataclass(frozen=True)
class Target:
    """The node a probe runs on, as its ``argv`` may need it."""

    node: str
    interface: str  # the first one: radio of a station, else eth0
    radio: str | None
    ip: str | None


@dataclass
class Series:
    """A sampled quantity: equally long ``t_ns`` (since the timeline's start) and ``values``."""

    name: str  # received, cwnd, signal, ...
    unit: str  # B, bit/s, ms, dBm, packets, ...
    t_ns: list[int] = field(default_factory=list)
    values: list[float] = field(default_factory=list)


@dataclass
class Occurrence:
    """Something that happened at one moment."""

    t_ns: int
    kind: str
    fields: dict[str, Any] = field(default_factory=dict)


@dataclass
class Parsed:
    """All that a parser found in one run of a probe."""

    series: list[Series] = field(default_factory=list)
    occurrences: list[Occurrence] = field(default_factory=list)
    values: dict[str, Any] = field(default_factory=dict)  # bytes, retransmits, sha256, ...


class ProbeOutputError(ValueError):
    """Output that the parser does not understand; says which line."""


class Probe:
    """Base class. Subclasses set the class attributes and override what they need."""

    about: str = ""
    mode: str = "command"  # command, sample, control
    acts: bool = False  # True: part of the workload (curl): its failure fails the run. False: it only watches
    params: dict[str, Param] = {}
    artefacts: list[str] = []  # further raw files the tool writes itself: "{id}.pcap"

    def argv(self, target: Target, params: dict[str, Any], raw: str) -> list[str]:
        """The command, run inside the node. ``raw``: absolute prefix for the tool's own files: raw + '.pcap'."""
        raise NotImplementedError

    def watched_file(self, params: dict[str, Any], raw: str) -> str | None:
        """A file whose size the guest samples every params['every'] ns into ``<id>.size`` lines ``<ns> <bytes>``."""
        return None

    def parse(self, raw: Path, identifier: str, params: dict[str, Any], epoch_ns: int) -> Parsed:
        """Read ``raw/<identifier>.*``.

        ``epoch_ns``: wall-clock ns (guest's virtual CLOCK_REALTIME) of the timeline's start, to be subtracted from
        the absolute stamps that tools print.
        Raises ProbeOutputError with the line that is not understood.
        """
        raise NotImplementedError


def blocks(text: str) -> Iterator[tuple[int, str]]:
    """Split the output of a ``sample`` probe into (t_ns, output) pairs."""
    stamp: int | None = None
    lines: list[str] = []
    for line in text.splitlines(keepends=True):
        if line.startswith("### "):
            if stamp is not None:
                yield stamp, "".join(lines)
            stamp, lines = int(line[4:]), []
        else:
            lines.append(line)
    if stamp is not None:
        yield stamp, "".join(lines)


@cache
def known() -> tuple[str, ...]:
    """Names of all probes, found by the files in this folder."""
    import lab.probes

    return tuple(
        sorted(
            module.name.replace("_", "-")
            for module in pkgutil.iter_modules(lab.probes.__path__)
            if module.name not in ("base",)
        )
    )


@cache
def load(name: str) -> Probe:
    """The probe of that name. KeyError if there is none (``known()`` lists them)."""
    if name not in known():
        raise KeyError(name)
    module = importlib.import_module(f"lab.probes.{name.replace('-', '_')}")
    probe: Probe = module.PROBE
    return probe
