# SPDX-License-Identifier: MIT
"""scripts/test-debug in a checkout that only has what it looks for."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from lab.checkout import CHECKOUT


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """With a stack that has a part of the kernel and tests, one without that part, and one without tests."""
    for folder in ("scripts", ".venv/bin", "tests/system"):
        (tmp_path / folder).mkdir(parents=True)
    for folder in ("both/kernel", "both/tests/system", "plain/tests/system", "untested/kernel"):
        (tmp_path / "workloads" / folder).mkdir(parents=True)
    for name in ("test_mesh.py", "test_medium_keys.py"):
        (tmp_path / "tests" / "system" / name).touch()
    shutil.copy(CHECKOUT / "scripts" / "test-debug", tmp_path / "scripts")
    for name in ("lab", "python"):
        program = tmp_path / ".venv" / "bin" / name
        program.write_text(f'#!/bin/sh\necho {name} "$@"\n')
        program.chmod(0o755)
    return tmp_path


def chosen(checkout: Path, *arguments: str) -> list[str]:
    """What pytest is asked to run."""
    words = [str(checkout / "scripts" / "test-debug"), *arguments]
    said = subprocess.run(words, capture_output=True, text=True, check=True).stdout.splitlines()
    assert said[:2] == ["lab kernel --debug", "lab rootfs"]
    (asked,) = said[2:]
    begin, _, rest = asked.partition(" --numprocesses ")
    assert begin == "python -m pytest --debug-kernel"
    return rest.split()[1:]


def test_the_stacks_with_a_part_of_the_kernel_are_tested(checkout: Path) -> None:
    own = ["tests/debug", "tests/kernel/test_kunit.py", "tests/system/test_medium_keys.py"]
    assert chosen(checkout) == [*own, "workloads/both/tests/system"]


def test_without_stacks_the_medium_is_tested(checkout: Path) -> None:
    shutil.rmtree(checkout / "workloads")
    (checkout / "workloads").mkdir()
    assert chosen(checkout)[-1] == "tests/system/test_medium_keys.py"


def test_some_of_it_can_be_run(checkout: Path) -> None:
    assert chosen(checkout, "tests/debug", "-k", "leak") == ["tests/debug", "-k", "leak"]
