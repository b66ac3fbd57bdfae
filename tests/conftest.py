# SPDX-License-Identifier: MIT
"""What holds for all tests."""

from __future__ import annotations

import signal

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

# Folders whose tests take long go first, each by itself: at the end, when a worker has nothing more to begin, what the
# others still do is short. Tests of the other folders take milliseconds, or share what a fixture has built: a worker
# gets a file of them.
LONG = ("tests/determinism", "tests/system")
ORDER = (*LONG, "tests/sap_web", "tests/sap", "tests/kernel")


class Scheduling(LoadScopeScheduling):  # type: ignore[misc] # has no types
    """What a worker gets at once: a test that takes long, or a file of tests."""

    def _split_scope(self, nodeid: str) -> str:
        return nodeid if nodeid.startswith(LONG) else nodeid.partition("::")[0]


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: object) -> Scheduling:
    """Where there are several workers: in the order of collection, not files with many tests first."""
    config.option.loadscopereorder = False
    return Scheduling(config, log)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put long tests first; sorting is stable, so the order is the same in each worker."""
    items.sort(
        key=lambda item: next((n for n, folder in enumerate(ORDER) if item.nodeid.startswith(folder)), len(ORDER))
    )
