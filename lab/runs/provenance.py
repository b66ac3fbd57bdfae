# SPDX-License-Identifier: MIT
"""The parts of a run: versions for people, and hashes of everything that determines its result.

A run depends on its plan and on what that uses: kernel, image and initrd, how they are booted, the code of its stack,
the lab's code in its guest (lab.machine.guest_code), and the lab's code that makes its record: lab.record with the
probes and metrics that the plan names, each with what it imports. The hashes cover nothing else of the lab. So stored
trials stay valid when other parts change: other probes, metrics, stacks and kinds of events, tables, pictures, reports.

Code in the guest counts byte by byte; code that makes the record runs on the host, and lab.runs.recording says what of
it counts.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from functools import cache, lru_cache
from importlib.metadata import version
from pathlib import Path

from lab.builders.stack.stack import Stack
from lab.cache.store import content_key
from lab.machine.machine import Machine
from lab.machine.memory import RULE
from lab.machine.process import GuestFiles, Setup, command_line
from lab.machine.uses import Uses
from lab.runs.recording import recording

_recording = lru_cache(1000)(recording)


def stack_entry(name: str) -> str:
    """Return the name of a stack's code in hashes and versions."""
    return f"stack {name}"


def image_entry(name: str) -> str:
    """Return the name of a node image in hashes and versions."""
    return f"image {name}"


def versions(uses: Uses, machine: Machine) -> dict[str, object]:
    """Return the versions for the record of a plan that uses this."""
    stack = machine.stack(uses)
    return {
        "lab": lab_version(),
        "kernel": machine.kernel.release,
        "kernel_package": machine.kernel.package_version,
        "kernel_parts": machine.kernel.parts,
        **({} if machine.kernel.tested else {"kernel_tested": "no"}),
        "packages": machine.image.packages,
        **({stack_entry(stack.name): stack_version(stack)} if stack else {}),
        **{image_entry(image.name): image.reference or image.packages for image in machine.images_of(uses)},
    }


def all_versions(each: Iterable[Uses], machine: Machine) -> dict[str, object]:
    """Return the versions of several plans together."""
    found: dict[str, object] = {}
    for uses in each:
        found |= versions(uses, machine)
    return found


@cache
def lab_version() -> str:
    """Return the version of the package."""
    return version("hwsim-lab")


def stack_version(stack: Stack) -> str:
    """Describe what the code of a stack was built with."""
    sources = [f"source of {package} {version}" for package, version in stack.sources.items()]
    return "; ".join([stack.compiler, *sources])


def hashes(uses: Uses, machine: Machine) -> dict[str, str | None]:
    """Return the hashes for the record of a plan that uses this: equal hashes and equal plans give equal bytes.

    ``host python`` and ``host <package>`` are versions. None stands for a stack whose code is not available, and for a
    package without a version.
    """
    stack = machine.stacks.get(uses.stack or "")
    on_host = _recording(uses)
    return {
        "kernel": machine.kernel.sha256,
        "kernel_source": machine.kernel.package_sha256,
        "series": machine.kernel.series_sha256,
        "image": machine.image.sha256,
        "initrd": machine.initrd.sha256,
        "code": content_key(machine.code.bundle(uses).key, _boot_command(), on_host.code),
        **on_host.versions,
        **({stack_entry(uses.stack): stack.sha256 if stack else None} if uses.stack else {}),
        **{image_entry(image.name): image.sha256 for image in machine.images_of(uses)},
    }


def combined(each: Iterable[dict[str, str | None]]) -> dict[str, str | None]:
    """Combine the hashes of several plans: where they differ, one hash over all."""
    found: dict[str, set[str | None]] = {}
    for hashes in each:
        for name, digest in hashes.items():
            found.setdefault(name, set()).add(digest)
    return {
        name: next(iter(digests)) if len(digests) == 1 else content_key(*sorted(digest or "" for digest in digests))
        for name, digests in found.items()
    }


@cache
def _boot_command() -> str:
    """Return the command that boots a guest, without the parts that depend on the plan and on paths."""
    files = GuestFiles(Path("kernel"), Path("initrd"), Path("image"), Path("code"), Path("run"))
    return json.dumps([*command_line(Setup(files), Path("scratch")), *RULE])
