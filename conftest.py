# SPDX-License-Identifier: MIT
"""What holds for all tests."""

from __future__ import annotations

import signal
from pathlib import PurePath

import pytest
from hypothesis import HealthCheck, settings
from xdist.scheduler import LoadScopeScheduling

# Whoever starts the tests in the background may have SIGINT ignored, which every program started here would inherit: a
# test that sends it would wait for ever.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# Other work on the machine must not fail a test: neither a slow example nor slow making of examples is an error.
settings.register_profile("lab", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("lab")

# Folders whose tests take long, wherever they are, go first, each test by itself: at the end, when a worker has nothing
# more to begin, what the others still do is short. Tests of other folders take milliseconds, or share what a fixture
# has built: a worker gets a file of them.
LONG = ("determinism", "system")
LAST = "unit"


def folders(nodeid: str) -> tuple[str, ...]:
    """The folders that a test is in."""
    return PurePath(nodeid.partition("::")[0]).parts[:-1]


def rank(nodeid: str) -> int:
    """Tests of a smaller rank begin earlier."""
    return next((n for n, name in enumerate(LONG) if name in folders(nodeid)), len(LONG) + (LAST in folders(nodeid)))


class Scheduling(LoadScopeScheduling):  # type: ignore[misc] # has no types
    """What a worker gets at once: a test that takes long, or a file of tests."""

    def _split_scope(self, nodeid: str) -> str:
        return nodeid if rank(nodeid) < len(LONG) else nodeid.partition("::")[0]


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: object) -> Scheduling:
    """Where there are several workers: in the order of collection, not files with many tests first."""
    config.option.loadscopereorder = False
    return Scheduling(config, log)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put long tests first. Sorting is stable, so each worker has the same order."""
    items.sort(key=lambda item: rank(item.nodeid))
