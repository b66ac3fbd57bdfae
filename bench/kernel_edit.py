# SPDX-License-Identifier: MIT
"""From a changed line of mac80211 to a guest that runs it.

    python -m bench.kernel_edit [--header] [--clean]

It adds a message to mac80211 in a copy of its parts, builds that kernel with the kept objects, and boots it. If they
are missing, it makes them first. ``--header`` adds a line to mac80211's header for drivers instead, which 79 files
include. ``--clean`` also builds the changed kernel from scratch and compares the bytes.
"""

from __future__ import annotations

import argparse
import difflib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from unittest import mock

from bench.machine import load_average, machine
from lab.builders.kernel.kernel import Kernel, ensure_kernel
from lab.builders.kernel.series import PatchSeries
from lab.builders.kernel.source import PACKAGE, ensure_source
from lab.builders.kernel.tree import SHELF
from lab.cache.report import LineReport
from lab.cache.store import Store, cache_root

LIMIT_S = 60
LAB = (sys.executable, "-c", "from lab.cli.entry import main; main()")
NAME = "9999-bench.patch"


@dataclass(frozen=True)
class Change:
    """A line for a file, before the first one that begins like ``before``; ``prints``: the guest shows the mark."""

    file: str
    before: str
    line: str  # {mark}: another one in each build
    prints: bool = False


CODE = Change(
    "net/mac80211/main.c",
    "\tBUILD_BUG_ON(sizeof(struct ieee80211_tx_info) >",  # the first statement of ieee80211_init
    '\tpr_info("{mark}\\n");',
    prints=True,
)
HEADER = Change("include/net/mac80211.h", "struct device;", '#define LAB_BENCH "{mark}"')


def copy_of(series: PatchSeries, directory: Path) -> Path:
    """Copy the parts of a series, with an additional one: bench."""
    for part in series.parts:
        shutil.copytree(part.directory, directory / part.name, dirs_exist_ok=True)
    (directory / "bench" / "patches").mkdir(parents=True, exist_ok=True)
    (directory / "series").write_text("".join(f"{name}\n" for name in dict.fromkeys([*series.names, "bench"])))
    shutil.copy(series.directory / "tested", directory)
    return directory


def changed_series(unchanged: PatchSeries, directory: Path, change: Change, mark: str) -> PatchSeries:
    """Copy a series to a new directory, with one more change."""
    copy_of(unchanged, directory)
    (tree,) = (cache_root() / SHELF).glob("[!.]*")
    file, line = change.file, change.line.format(mark=mark)
    before = (tree / "source" / file).read_text().splitlines(keepends=True)
    at = next(number for number, text in enumerate(before) if text.startswith(change.before))
    after = [*before[:at], f"{line}\n", *before[at:]]
    (directory / "bench" / "patches" / NAME).write_text(
        "".join(difflib.unified_diff(before, after, f"a/{file}", f"b/{file}"))
    )
    (directory / "bench" / "series").write_text(f"{NAME}\n")
    return PatchSeries(directory)


def boot(kernel: Kernel, message: str = "") -> float:
    """Boot it, which prints the message; return the wall time of `lab run` from its start to the end of the boot, s."""
    with tempfile.TemporaryDirectory() as parent:
        out = Path(parent) / "run"
        argv = [*LAB, "run", "one-ap", "idle", "--kernel", kernel.key, "--set", "console_level=info", "--out", str(out)]
        began_s = time.monotonic()
        subprocess.run(argv, check=True, capture_output=True)
        took_s = time.monotonic() - began_s
        if message not in (out / "console.log").read_text():
            sys.exit(f"the guest did not print {message!r}")
        walls = json.loads((out / "wall.json").read_text())
    return float(took_s - walls["wall_s"] + walls["boot_wall_s"])


def clean_build(series: PatchSeries, root: Path) -> Kernel:
    """Build the kernel of a series from scratch, in another cache."""
    source = ensure_source(LineReport()).path.parent
    with mock.patch.dict(os.environ, XDG_CACHE_HOME=str(root)):
        (cache_root() / "source").mkdir(parents=True)
        (cache_root() / "source" / PACKAGE).symlink_to(source)
        return ensure_kernel(LineReport(), series=series)


def main() -> None:
    """Measure, print, and fail if the limit is exceeded or the bytes differ."""
    parser = argparse.ArgumentParser(prog="python -m bench.kernel_edit", description=__doc__)
    parser.add_argument("--header", action="store_true", help=f"change {HEADER.file} instead of {CODE.file}")
    parser.add_argument("--clean", action="store_true", help="also build it from nothing, and compare")
    chosen = parser.parse_args()
    change = HEADER if chosen.header else CODE
    print(f"{machine()}; {load_average()}")
    with tempfile.TemporaryDirectory() as parent:
        unchanged = PatchSeries(copy_of(PatchSeries(), Path(parent) / "unchanged"))
        # another kernel than any in the cache, so that it is built, with the same objects
        page = unchanged.directory / "bench" / "files" / "Documentation" / "bench.rst"
        page.parent.mkdir(parents=True)
        page.write_text(f"{time.time_ns()}\n")
        first = ensure_kernel(LineReport(), series=unchanged)
        mark = f"bench.kernel_edit {time.time_ns()}"
        series = changed_series(unchanged, Path(parent) / "changed", change, mark)
        began_s = time.monotonic()
        kernel = ensure_kernel(LineReport(), series=series)
        built_s = time.monotonic() - began_s
        booted_s = built_s + boot(kernel, mark if change.prints else "")
        print(
            f"a line of {change.file}: built after {built_s:.1f} s, booted after {booted_s:.1f} s; limit: {LIMIT_S} s"
        )
        failed = booted_s > LIMIT_S
        if chosen.clean:
            began_s = time.monotonic()
            clean = clean_build(series, Path(parent) / "cache")
            same = clean.sha256 == kernel.sha256
            failed |= not same
            print(f"from nothing: {time.monotonic() - began_s:.0f} s, {'the same bytes' if same else 'OTHER BYTES'}")
    for built in (first, kernel):
        Store("kernel", "the kernel").remove(built.key, LineReport())
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
