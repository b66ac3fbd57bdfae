# SPDX-License-Identifier: MIT
"""Boot the guest: as the lab's own tests do, or with the files of these tests."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from lab import runs
from lab.cache.report import SilentReport
from lab.plan.load import load
from tests import stored
from tests.system.conftest import Ran
from tests.system.conftest import boot as boot
from tests.system.conftest import boot_own as boot_own
from tests.system.conftest import machine as machine
from tests.system.conftest import plan_of as plan_of

TESTS = Path(__file__).parents[1]
STACK = TESTS.parent
FILES = TESTS / "fixtures" / "runs"


@pytest.fixture
def boot_files(
    tmp_path: Path,
    machine: runs.Machine,  # noqa: F811 # the fixture
    monkeypatch: pytest.MonkeyPatch,
) -> Callable[..., Ran]:
    """Run a topology and a workload of these tests, with the stack or a copy of it.

    Images are those in the folder images of these tests.
    """
    monkeypatch.chdir(TESTS)

    def run(topology: str, workload: str, stack: Path = STACK) -> Ran:
        plan = load(str(FILES / topology), str(FILES / workload))
        own = runs.with_stacks(runs.with_images(machine, plan, SilentReport()), [stack], SilentReport())
        directory = tmp_path / "run"
        directory.mkdir()
        stored.boot(plan, own, directory)
        return Ran(directory)

    return run
