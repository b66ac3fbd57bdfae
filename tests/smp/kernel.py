# SPDX-License-Identifier: MIT
"""A kernel for QEMU's x86-64 machine: the radios and their medium, with several processors and the checks of `debug`.

    python -m tests.smp.kernel

The guest's kernel is a process with one processor, so races between processors cannot happen there. Of the series, this
one has the parts that are not of User Mode Linux, and of `base` only the options of radios and tests. A second one has
KCSAN instead of `debug`.
"""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

from lab.builders.kernel.config import check_survived, read_options
from lab.builders.kernel.kernel import NEEDED_BYTES, make
from lab.builders.kernel.series import PatchSeries, SeriesPart
from lab.builders.kernel.source import KernelSource, ensure_source
from lab.builders.kernel.tree import kernel_tree
from lab.builders.step import BuildLog
from lab.builders.toolchain import toolchain_versions
from lab.cache.report import LineReport, Report
from lab.cache.store import Store, content_key

PARTS = ("base", "wifi", "medium", "debug")
OWN = Path(__file__).with_name("smp.config")
KCSAN = Path(__file__).with_name("kcsan.config")
OF_BASE = ("40-wireless.config", "50-tests.config")
IMAGE = Path("arch", "x86", "boot", "bzImage")
RECIPE = "ARCH=x86_64"


class SmpSeries(PatchSeries):
    """The parts that any architecture can have.

    ``kcsan``: with the detector of data races instead of the part ``debug``, whose KASAN excludes it.
    """

    def __init__(self, *, kcsan: bool = False) -> None:
        super().__init__(debug=not kcsan)
        self.shelf = "kernel-tree-kcsan" if kcsan else "kernel-tree-smp"
        self._own = [OWN, *([KCSAN] if kcsan else [])]

    @property
    def parts(self) -> list[SeriesPart]:
        """Those of PARTS."""
        return [part for part in super().parts if part.name in PARTS]

    @property
    def fragments(self) -> list[Path]:
        """Their Kconfig fragments, and those of this machine."""
        found = [path for part in self.parts for path in part.fragments if part.name != "base" or path.name in OF_BASE]
        return [*found, *self._own]

    def sha256(self) -> str:
        """Hash what the series of the guest's kernel hashes, and the options of this machine."""
        return content_key(super().sha256(), *(path.read_bytes() for path in self.fragments))


def ensure_smp_kernel(report: Report, *, kcsan: bool = False) -> Path:
    """Return the kernel's image; build it unless it is cached.

    Raises:
        BuildError: If a step failed; with its name and the last lines of its log.
    """
    store, source = Store("kernel-smp", "the kernels for QEMU", most=6), ensure_source(report)
    series = SmpSeries(kcsan=kcsan)
    key = content_key(series.sha256(), source.sha256, toolchain_versions(), RECIPE)

    def build(directory: Path) -> None:
        _build(directory, series, source, store, report)

    return store.build(key, build, report, needed_bytes=NEEDED_BYTES) / IMAGE.name


def _build(directory: Path, series: SmpSeries, source: KernelSource, store: Store, report: Report) -> None:
    log = BuildLog(store.log, directory)
    with kernel_tree(source, RECIPE, directory, log, report, series.shelf) as tree:
        tree.update(lambda plain, scratch: series.changes(plain, scratch, source.version, log))
        tree.objects.mkdir(exist_ok=True)
        together = tree.objects / "fragments.config"
        together.write_text("".join(path.read_text() for path in series.fragments))
        config = [RECIPE, f"KCONFIG_ALLCONFIG={together}", "allnoconfig"]
        jobs = len(os.sched_getaffinity(0)) + 1
        with tree.making():
            log.run("configuring the kernel", make(tree.source, tree.objects, *config))
            check_survived([one for path in series.fragments for one in read_options(path)], tree.objects / ".config")
            report.step("kernel: compiling for QEMU (some ten minutes of processor time, once)")
            log.run("compiling the kernel", make(tree.source, tree.objects, RECIPE, f"--jobs={jobs}", IMAGE.name))
        shutil.copyfile(tree.objects / IMAGE, directory / IMAGE.name)
    (directory / "kernel.json").write_text(json.dumps({"parts": series.names}) + "\n")


if __name__ == "__main__":
    for kcsan in (False, True):
        print(ensure_smp_kernel(LineReport(), kcsan=kcsan))
