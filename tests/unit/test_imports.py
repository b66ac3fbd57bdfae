# SPDX-License-Identifier: MIT
"""What the lab imports before its guest runs, and what it puts off: a trial of a second is not to wait for a report."""

from __future__ import annotations

import subprocess
import sys

import pytest

SHOWS = ("rich", "jinja2", "matplotlib", "lab.report", "lab.record")
COMPUTES = ("numpy", "scipy")
NEEDS_NONE = ("dask", "distributed", "lab.experiments", "lab.runs.provenance", "lab.machine.mconsole")


def imported(program: str) -> set[str]:
    """The modules that a Python has once it has run ``program``."""
    shown = subprocess.run(
        [sys.executable, "-c", f"{program}\nimport sys\nprint(*sys.modules)"],
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    ).stdout
    return set(shown.split())


PLANNED = """
import lab.cli.main, lab.runs.command, lab.machine.guest
from lab.plan.load import load
from lab.terminal import reporter
with reporter(), lab.runs.command._RunBars(["one"], 1):
    load({topology!r}, "ping/ping")
"""


@pytest.mark.parametrize(
    ("topology", "later"),
    [("one-ap", SHOWS + NEEDS_NONE + COMPUTES), ("capture", (*SHOWS, *NEEDS_NONE, "scipy"))],
    ids=["perfect", "medium"],
)
def test_what_can_wait_is_not_imported_before_the_guest_runs(topology: str, later: tuple[str, ...]) -> None:
    assert imported(PLANNED.format(topology=topology)) & set(later) == set()


def test_all_that_shows_results_is_imported_while_it_runs() -> None:
    before = imported("from lab.runs.command import _prepare_report\n_prepare_report()")
    assert before >= {"rich.table", "jinja2", "lab.report.plots", "lab.views.goodput"}


def test_numpy_starts_no_threads() -> None:
    program = "import lab.phy.links\nimport os\nassert os.listdir('/proc/self/task') == [str(os.getpid())]"
    assert "numpy" in imported(program)


def test_importing_the_benchmarks_measures_nothing() -> None:
    program = "import importlib, pkgutil, bench\nfor one in pkgutil.walk_packages(bench.__path__, 'bench.'):\n"
    assert imported(f"{program}    importlib.import_module(one.name)") >= {"bench.__main__", "bench.ns3.__main__"}
