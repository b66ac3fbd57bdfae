# SPDX-License-Identifier: MIT
"""A program that valgrind has started once and runs for each call: errors and statuses are those of the call."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from workloads.sap.tests.library import native
from workloads.sap.tests.web.conftest import served
from workloads.sap.tests.web.guest_files import GuestFiles

pytestmark = pytest.mark.guest  # no boot, but the image


@pytest.fixture(scope="module")
def wrong(guest_tree: GuestFiles, tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[str]]:
    """Yield the command that runs wrong.c."""
    to = tmp_path_factory.mktemp("wrong")
    native.run(["gcc", "-g", "-O0", "-o", str(to / "wrong"), str(Path(__file__).parent / "wrong.c")])
    with served(guest_tree, to / "wrong", to) as command:
        yield command


@pytest.mark.parametrize(("words", "status"), [(["leak"], 9), (["read"], 9), ([], 0), (["three"], 3), (["leak"], 9)])
def test_every_call_is_judged_by_itself(wrong: list[str], words: list[str], status: int) -> None:
    assert subprocess.run([*wrong, *words], timeout=120).returncode == status
