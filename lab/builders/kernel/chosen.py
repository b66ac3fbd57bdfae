# SPDX-License-Identifier: MIT
"""Which kernel guests boot; ``--kernel``: one that has been built, by its hash or its path."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from lab.builders.kernel.kernel import FACTS, PROGRAM, SHELF, Kernel, ensure_kernel, load_kernel, shelf
from lab.builders.kernel.series import PatchSeries
from lab.cache.report import Report
from lab.cache.store import Store, file_sha256
from lab.errors import InputError

_HASH = re.compile(r"[0-9a-f]{4,64}")
_TIMEOUT_S = 10
UNKNOWN = "unknown"


@dataclass(frozen=True)
class KernelChoice:
    """Which kernel guests boot; default: that of this checkout."""

    source: Path | None = None  # to build it from: see ensure_kernel
    built: str | None = None  # one that has been built: see chosen_kernel
    modules: Mapping[str, Path] = field(default_factory=dict)  # folders by name

    def kernel(self, report: Report) -> Kernel:
        """Return the kernel; build it if necessary.

        Raises:
            InputError: If the kernel does not exist, or parts of the choice contradict each other.
        """
        if self.built is None:
            return ensure_kernel(report, source=self.source, modules=self.modules)
        if self.source is not None:
            raise InputError("--kernel and --kernel-source: give one of them")
        if self.modules:
            raise InputError(
                f"--kernel {self.built}: the kernel must be built with the modules {', '.join(self.modules)}",
                hint="leave --kernel out, or run a workload without modules:",
            )
        kernel = chosen_kernel(self.built)
        report.step(f"kernel: {describe(kernel)}")
        return kernel


def chosen_kernel(text: str, series: PatchSeries | None = None) -> Kernel:
    """Return a kernel that has been built.

    Args:
        text: the path of the program ``linux`` or of the folder that holds it, or the beginning of a hash: of the
            kernel's key in the cache, or of its SHA-256, which records have.
        series: decides whether it is tested; default: hwsim-patches of this checkout.

    Raises:
        InputError: If no kernel matches, or several do.
    """
    series = series or PatchSeries()
    path = Path(text)
    program = path / PROGRAM if path.is_dir() else path
    if program.is_file():
        return _at(program.resolve(), series)
    kernels = cached_kernels(series)
    matching = [kernel for kernel in kernels if kernel.key.startswith(text) or kernel.sha256.startswith(text)]
    if len(matching) == 1 and _HASH.fullmatch(text):
        return matching[0]
    known = "".join(f"\n    {line}" for line in map(describe, matching or kernels))
    if matching and _HASH.fullmatch(text):
        raise InputError(f"--kernel {text}: {len(matching)} kernels have a hash that begins so:{known}")
    raise InputError(
        f"--kernel {text}: it is neither a file nor the beginning of a kernel's hash (four digits or more)",
        hint=f"the cache has these, newest first:{known}" if known else "the cache has none; `lab kernel` builds one",
    )


def built_kernel(sha256: str | None, series_sha256: str | None) -> Kernel | None:
    """Return the kernel of these hashes, if it is cached."""
    wanted, kernels = (sha256, series_sha256), cached_kernels(PatchSeries())
    return next((each for each in kernels if (each.sha256, each.series_sha256) == wanted), None)


def cached_kernels(series: PatchSeries) -> list[Kernel]:
    """Return the kernels in the cache, newest first; without those that are damaged."""
    stores = [Store(shelf(SHELF, debug), "the kernel") for debug in (False, True)]
    found = [(store, path.parent) for store in stores for path in store.directory.glob(f"[!.]*/{FACTS}")]
    entries = [entry for store, entry in found if store.damage(entry.name) is None]
    return [load_kernel(entry, series) for entry in sorted(entries, key=lambda entry: -(entry / FACTS).stat().st_mtime)]


def describe(kernel: Kernel) -> str:
    """Describe a kernel: ``78f9cfceb202ced7e460  6.12.118-hwsim-lab, tested``."""
    return f"{kernel.key}  {kernel.release}, {'tested' if kernel.tested else 'not tested'}"


def _at(program: Path, series: PatchSeries) -> Kernel:
    sha256 = file_sha256(program)
    try:
        facts = json.loads((program.parent / FACTS).read_text())
        if facts["sha256"] == sha256 and program.name == PROGRAM:
            return load_kernel(program.parent, series)
    except (OSError, ValueError, KeyError, TypeError):
        pass  # somebody else has built it
    return Kernel(
        path=program,
        sha256=sha256,
        release=_release(program),
        package_version=UNKNOWN,
        package_sha256=None,
        series_sha256=None,
        compiler=UNKNOWN,
        tested=False,
        key=sha256[:20],
    )


def _release(program: Path) -> str:
    """Return what ``linux --version`` prints; raise InputError if it is not a kernel of User Mode Linux."""
    try:
        done = subprocess.run(
            [str(program), "--version"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_TIMEOUT_S,
            check=False,
            env={},
        )
        found = re.fullmatch(r"\d+\.\d+\.\S+", done.stdout.decode(errors="replace").strip())
    except (OSError, subprocess.TimeoutExpired):
        found = None
    if not found:
        raise InputError(
            f"--kernel {program}: it is not a kernel of User Mode Linux: called with --version it does not print one",
            hint="give the program `linux` that a build with ARCH=um makes",
        )
    return found[0]
