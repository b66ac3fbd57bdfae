# SPDX-License-Identifier: MIT
"""``lab run --dry-run``: the steps that a run would execute, in order."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from dataclasses import replace
from itertools import chain
from pathlib import Path

from lab import library
from lab.builders.image import node_image
from lab.builders.stack import cxx, files, stack, sysroot
from lab.guest import script
from lab.guest.steps import lines
from lab.machine.memory import guest_bytes
from lab.machine.process import GuestFiles, Setup, command_line
from lab.model.document import label_of
from lab.shared.types import Plan

# placeholders for what is known only during a run
_FILES = GuestFiles(Path("KERNEL"), Path("INITRD"), Path("IMAGE"), Path("CODE"), Path("RUN"))


def commands(plan: Plan, code: Path | None = None) -> list[str]:
    """Return commands, with here-documents as input; lines that begin with # say where, or describe other steps.

    ``code`` is the folder of the plan's stack, if the stack has code.
    """
    return list(_all(plan, code))


def _all(plan: Plan, code: Path | None) -> Iterator[str]:
    yield "# on the host"
    files = _FILES
    if code:
        files = replace(files, stack=Path(stack.SQUASHFS))
        yield from _build(code, set())
    files = replace(files, node_images=tuple(Path(f"IMAGE-{name}", node_image.FILE) for name in plan.images()))
    setup = Setup(
        files,
        plan.seed,
        memory_bytes=guest_bytes(plan),
        console_level=plan.console_level,
        rate_control=plan.rate_control,
        start_ns=plan.start_ns,
    )
    yield shlex.join(command_line(setup, Path("SCRATCH")))
    yield from guest_lines(plan)


def guest_lines(plan: Plan) -> Iterator[str]:
    """Return the steps that the guest executes for a plan."""
    return lines(chain(script.steps(plan, lambda name: f"<pid of {name}>"), script.after_outcome(plan)))


def _build(code: Path, shown: set[Path]) -> Iterator[str]:
    """Yield the commands that build the code of a stack that is not cached, after those of the stacks it uses."""
    used = library.used_by(code)
    for other in used:
        if other not in shown:
            yield from _build(other, shown)
    shown.add(code)
    yield f"# {label_of(code)}, unless it is built: FILES is a copy of it, SYSROOT has headers and libraries of"
    packages = [*sysroot.PACKAGES, *files.build_packages(code)]
    yield f"# {', '.join(packages)}"
    sources = {package: Path(stack.variable(package)) for package in files.listed(code / files.SOURCES)}
    for package in sources:
        yield f"# {stack.variable(package)} has the source of the image's {package}"
    installed = {folder.name: Path(f"INSTALLED-{folder.name}") for folder in used}
    for name, path in installed.items():
        yield f"# {path} has what {name} installs"
    compiler = Path("COMPILER") if cxx.PACKAGE in packages else None
    if compiler:
        yield f"# {compiler}/{cxx.DRIVER} calls SYSROOT's {cxx.DRIVER}"
    command = stack.make_command(code.name, Path("FILES"), Path("ROOT"), Path("SYSROOT"), sources, installed, compiler)
    yield shlex.join(command)
