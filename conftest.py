# SPDX-License-Identifier: MIT
"""Settings for all tests."""

from __future__ import annotations

import gc
import signal
import traceback
from functools import cache
from pathlib import Path, PurePath

import pytest
from hypothesis import HealthCheck, settings
from xdist.scheduler import LoadScopeScheduling

from lab.builders.kernel.series import PatchSeries
from lab.model.event import EVENTS
from lab.model.mobility import MOBILITY
from lab.model.node import NODES
from tests import booted, stored

# If the tests were started in the background, SIGINT may be ignored, and by nohup SIGHUP. Every program started here
# would inherit that, and a test that sends the signal would wait forever.
for number, usual in ((signal.SIGINT, signal.default_int_handler), (signal.SIGHUP, signal.SIG_DFL)):
    if signal.getsignal(number) is signal.SIG_IGN:
        signal.signal(number, usual)

# Other work on the machine must not fail a test: slow examples, and slow generation of examples, are not errors.
settings.register_profile("lab", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("lab")

# Tests in these folders and files take long, so they run first, one at a time. Then only short tests remain at the end,
# when some workers have nothing left to do. Other tests take milliseconds, or share the result of a fixture, so workers
# get whole files of them.
LONG = ("determinism", "system", "test_without_stacks.py")
LAST = "unit"
# Tests in these folders have a kernel of their own, and run only with an option.
TESTS = Path(__file__).parent / "tests"
OWN_KERNEL = {TESTS / "debug": "--debug-kernel", TESTS / "smp": "--smp"}
# In a file of long tests: they share a run or a build. One worker gets all of them, or each worker would repeat it.
SHARES = 'scope="module"'


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add options: what boots, whether runs may come from the store, and whether all of validation is measured."""
    parser.addoption("--debug-kernel", action="store_true", help="boot the kernel of `make kernel-debug`")
    parser.addoption("--fresh", action="store_true", help="boot a guest for each run; take none from the store")
    parser.addoption("--smp", action="store_true", help="run tests/smp, which take minutes in QEMU")
    parser.addoption("--sweeps", action="store_true", help="run tests marked sweep, too: all rows of validation")


def pytest_configure(config: pytest.Config) -> None:
    """Choose the kernel, and whether runs may come from the store."""
    booted.series = PatchSeries(debug=config.getoption("--debug-kernel"))
    stored.fresh = config.getoption("--fresh")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave out tests whose kernel has not been asked for."""
    option = OWN_KERNEL.get(collection_path)
    return True if option and not config.getoption(option) else None


def pytest_sessionstart() -> None:
    """End at once if a kind of node, event or mobility cannot be imported.

    Nearly every test would fail then, each with a traceback through pydantic that takes pytest a second.
    """
    try:
        for room in (NODES, EVENTS, MOBILITY):
            room.classes()
    except Exception as error:  # whatever a module may raise
        last = traceback.extract_tb(error.__traceback__)[-1]
        where = (
            f"{error.filename}:{error.lineno}" if isinstance(error, SyntaxError) else f"{last.filename}:{last.lineno}"
        )
        pytest.exit(f"{where}: {type(error).__name__}: {error}", returncode=pytest.ExitCode.TESTS_FAILED)


def places(nodeid: str) -> tuple[str, ...]:
    """Return the folders that a test is in, and its file."""
    return PurePath(nodeid.partition("::")[0]).parts


def rank(nodeid: str) -> int:
    """Return the rank of a test; tests with a lower rank start earlier."""
    return next((n for n, name in enumerate(LONG) if name in places(nodeid)), len(LONG) + (LAST in places(nodeid)))


@cache
def shares(file: str) -> bool:
    """Check whether the tests of a file share a fixture."""
    return SHARES in (TESTS.parent / file).read_text()


class Scheduling(LoadScopeScheduling):  # type: ignore[misc] # has no types
    """Assigns work to workers: a single long test, or a file of tests that are short or share something."""

    def _split_scope(self, nodeid: str) -> str:
        file = nodeid.partition("::")[0]
        return file if rank(nodeid) >= len(LONG) or shares(file) else nodeid


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: object) -> Scheduling:
    """With several workers, keep the order of collection; by default, files with the most tests start first."""
    config.option.loadscopereorder = False
    return Scheduling(config, log)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what only sweeps measure. Put long tests first, and those of stacks before the lab's.

    The lab's last files take least. Sorting is stable, so each worker has the same order.
    """
    if not config.getoption("--sweeps"):
        if left_out := [item for item in items if item.get_closest_marker("sweep")]:
            config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if not item.get_closest_marker("sweep")]
    items.sort(key=lambda item: (rank(item.nodeid), item.nodeid.startswith("tests/")))


def pytest_collection_finish() -> None:
    """Spare the garbage collector the thousands of collected tests: they live until the end."""
    gc.collect()
    gc.freeze()


RUNS = {"taken": 0, "booted": 0}  # of all workers


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Report how many runs of this worker came from the store."""
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["runs"] = {"taken": stored.taken, "booted": stored.booted}


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: object) -> None:
    """Add what a worker says."""
    for name, number in getattr(node, "workeroutput", {}).get("runs", {}).items():
        RUNS[name] += number


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print how many runs came from the store."""
    taken, ran = RUNS["taken"] + stored.taken, RUNS["booted"] + stored.booted
    if taken or ran:
        terminalreporter.write_line(f"runs: {ran} booted a guest, {taken} were stored (--fresh boots all)")
