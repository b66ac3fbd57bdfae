# SPDX-License-Identifier: MIT
"""``lab run --dry-run``: what a run would do, in its order: the steps that the guest executes are printed here."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from lab import library
from lab.build.stack import files, stack, sysroot
from lab.guest import script
from lab.guest.steps import Step, Write, place_of
from lab.machine.process import MEMORY_BYTES, GuestFiles, command_line
from lab.model.document import label_of
from lab.plan.load import load
from lab.shared.types import Plan, radio_numbers

# what is known only when a run is made
_FILES = GuestFiles(Path("KERNEL"), Path("INITRD"), Path("IMAGE"), Path("CODE"), Path("RUN"))


def print_commands(
    topology: str, workload: str, seed: int, settings: list[str], as_json: bool, pcap: str | None = None
) -> None:
    """The verb: print every command of a run, building and booting nothing."""
    plan = load(topology, workload, seed, settings, pcap=pcap)
    lines = commands(plan, library.code_of(workload, plan.stack))
    print(json.dumps(lines, indent=2) if as_json else "\n".join(lines))


def commands(plan: Plan, code: Path | None = None) -> list[str]:
    """Commands, with here-documents as their input; lines that begin with # say where, when, and what else is done.

    ``code`` is the folder of the plan's stack, where that has code.
    """
    return list(_all(plan, code))


def _all(plan: Plan, code: Path | None) -> Iterator[str]:
    yield "# on the host"
    files = _FILES
    if code:
        files = replace(files, stack=Path(stack.SQUASHFS))
        yield from _build(code)
    radios = len(radio_numbers(plan.nodes))
    yield shlex.join(
        command_line(files, Path("SCRATCH"), seed=plan.seed, radios=radios, mode="run", memory_bytes=MEMORY_BYTES)
    )
    yield from guest_lines(plan)


def guest_lines(plan: Plan) -> Iterator[str]:
    """What the guest does for a plan, by the steps that it executes."""
    lines = _Lines()
    yield from lines.of(script.network(plan, lambda name: f"<pid of {name}>"))
    yield from lines.of(script.before_timeline(plan))
    at_ns = None
    for moment in script.timeline(plan):
        if moment.at_ns != at_ns:
            yield lines.heading(f"at {moment.at_ns / 1e9:g} s")
        at_ns = moment.at_ns
        yield from lines.of(moment.steps())
    yield lines.heading(f"at {plan.duration_ns / 1e9:g} s, the end")
    yield from lines.of(script.end(plan))
    yield from lines.of(script.after_record(plan))


class _Lines:
    """Steps as lines, below headings that say where they happen. A text that is written again is not shown again."""

    def __init__(self) -> None:
        self._place = ""
        self._written: dict[str, str] = {}  # text, and where it was shown

    def heading(self, text: str) -> str:
        """A heading, after which the place is named again."""
        self._place = ""
        return f"# {text}"

    def of(self, steps: Iterable[Step]) -> Iterator[str]:
        """The lines of steps."""
        for step in steps:
            place = place_of(step)
            if place and place != self._place:
                yield f"# in {place}"
                self._place = place
            yield from self._write(step) if isinstance(step, Write) else step.describe()

    def _write(self, step: Write) -> Iterator[str]:
        shown = self._written.setdefault(step.text, step.place)
        if shown == step.place:
            yield from step.describe()
        else:
            yield f"# {step.path}: as in {shown}"


def _build(code: Path) -> Iterator[str]:
    """What makes the code of a stack, unless the cache has it."""
    yield f"# {label_of(code)}, unless it is built: FILES is a copy of it, SYSROOT has headers and libraries of"
    packages = [*sysroot.PACKAGES, *files.listed(code / files.BUILD_PACKAGES)]
    yield f"# {', '.join(packages)}"
    sources = {package: Path(stack.variable(package)) for package in files.listed(code / files.SOURCES)}
    for package in sources:
        yield f"# {stack.variable(package)} has the source of the image's {package}"
    yield shlex.join(stack.make_command(code.name, Path("FILES"), Path("ROOT"), Path("SYSROOT"), sources))
