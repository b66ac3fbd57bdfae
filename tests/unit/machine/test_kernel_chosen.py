# SPDX-License-Identifier: MIT
"""``--kernel``: kernels by hash and by path, and what is said of those that are none."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from lab.builders.kernel.chosen import chosen_kernel
from lab.builders.kernel.kernel import Kernel
from lab.builders.kernel.series import PatchSeries
from lab.cache.store import Store, file_sha256
from tests.kept import KeptReport
from tests.refused import refused

LINUX = "#!/bin/sh\necho 6.12.117-hwsim-lab\n"


class Kernels:
    """A cache with kernels that were built from a series or from another one."""

    def __init__(self, place: Path) -> None:
        self.store = Store("kernel", "the kernel")
        self.series = PatchSeries(place / "hwsim-patches")
        self.series.directory.mkdir()
        (self.series.directory / "tested").write_text("package 6.12.1-1\nsha256 1\nseries 2\nobjects 2\n")

    def add(self, key: str, series: str = "2", text: str = LINUX) -> Path:
        def make(directory: Path) -> None:
            linux = directory / "linux"
            linux.write_text(text)
            linux.chmod(0o755)
            facts = {
                "sha256": file_sha256(linux),
                "release": "6.12.117-hwsim-lab",
                "package_version": "6.12.1-1",
                "package_sha256": "1",
                "series_sha256": series,
                "compiler": "gcc",
            }
            (directory / "kernel.json").write_text(json.dumps(facts))

        return self.store.build(key, make, KeptReport(), needed_bytes=1) / "linux"

    def choose(self, text: str | Path) -> Kernel:
        return chosen_kernel(str(text), self.series)

    def refusal(self, text: str | Path) -> str:
        return refused(self.choose, text)


@pytest.fixture
def kernels(tmp_path: Path, cache: None) -> Kernels:
    return Kernels(tmp_path)


def test_by_the_beginning_of_a_hash(kernels: Kernels) -> None:
    path = kernels.add("aaaabbbb")
    kernels.add("aaaacccc", series="other", text=LINUX + "\n")
    chosen = kernels.choose("aaaab")
    assert (chosen.path, chosen.key, chosen.tested) == (path, "aaaabbbb", True)
    assert kernels.choose(file_sha256(path)).key == "aaaabbbb"
    assert not kernels.choose("aaaac").tested


def test_several_or_none(kernels: Kernels) -> None:
    assert kernels.refusal("aaaa").endswith("\n  the cache has none; `lab kernel` builds one")
    kernels.add("aaaabbbb")
    kernels.add("aaaacccc", series="other")
    several = kernels.refusal("aaaa")
    assert several.startswith("--kernel aaaa: 2 kernels have a hash that begins so:\n")
    assert "    aaaacccc  6.12.117-hwsim-lab, not tested" in several
    none = kernels.refusal("dddd")
    assert none.startswith("--kernel dddd: it is neither a file nor the beginning of a kernel's hash")
    assert "    aaaabbbb  6.12.117-hwsim-lab, tested" in none
    assert "neither a file nor" in kernels.refusal("")


def test_by_path(kernels: Kernels, tmp_path: Path) -> None:
    path = kernels.add("aaaabbbb")
    assert kernels.choose(path) == kernels.choose(path.parent) == kernels.choose("aaaa")
    own = shutil.copy(path, tmp_path / "linux")
    chosen = kernels.choose(own)
    assert (chosen.path, chosen.sha256, chosen.release) == (own, file_sha256(path), "6.12.117-hwsim-lab")
    assert (chosen.tested, chosen.package_version, chosen.series_sha256) == (False, "unknown", None)


@pytest.mark.parametrize("text", ["not a program", "#!/bin/sh\necho usage >&2; exit 2\n", "#!/bin/sh\necho hello\n"])
def test_file_that_is_no_kernel(kernels: Kernels, tmp_path: Path, text: str) -> None:
    program = tmp_path / "program"
    program.write_text(text)
    program.chmod(0o755)
    assert "is not a kernel of User Mode Linux" in kernels.refusal(program)


def test_kernel_that_is_cut_off_is_not_offered(kernels: Kernels) -> None:
    path = kernels.add("aaaabbbb", text=LINUX + "#" * 200_000)
    path.write_text(LINUX)
    assert "the cache has none" in kernels.refusal("aaaa")
