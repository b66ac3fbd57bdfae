# SPDX-License-Identifier: MIT
"""Fixtures: a report that remembers its calls, a store in a temporary directory, a guest whose kernel is a script."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from lab.builders.step import BuildLog
from lab.cache.store import Store
from lab.machine.process import GuestFiles, Setup
from tests.kept import KeptReport
from tests.own_cache import own_cache

# what init and the agent leave in the run directory, which the kernel's command line names
HEAD = """#!/bin/sh
for word; do case $word in lab.run=*) run=${word#lab.run=} ;; lab.agent=*) echo "agent ${word#lab.agent=}" ;; esac; done
"""


@pytest.fixture
def reported() -> KeptReport:
    return KeptReport()


@pytest.fixture
def cache(tmp_path: Path) -> Iterator[None]:
    with own_cache(tmp_path / "cache"):
        yield


@pytest.fixture
def store(cache: None) -> Store:
    return Store("thing", "the thing")


@pytest.fixture
def log(tmp_path: Path) -> BuildLog:
    return BuildLog(tmp_path / "log" / "thing.log", tmp_path)


@pytest.fixture
def setup(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Setup]:
    """What a guest is started with whose kernel is a script."""
    monkeypatch.setattr("lab.machine.guest.memory_directory", lambda needed_bytes: tmp_path)

    def of(script: str) -> Setup:
        kernel, run = tmp_path / "linux", tmp_path / "run"
        kernel.write_text(HEAD + script)
        kernel.chmod(0o755)
        run.mkdir()
        (tmp_path / "code").mkdir()
        return Setup(GuestFiles(kernel, tmp_path / "initrd", tmp_path / "image", tmp_path / "code", run), seed=7)

    return of
