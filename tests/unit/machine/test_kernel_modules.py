# SPDX-License-Identifier: MIT
"""Kernel modules of stacks: their place in the source, and what is said of those that build nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from lab.builders.kernel.chosen import KernelChoice
from lab.builders.kernel.modules import WithModules
from lab.builders.kernel.series import PatchSeries
from lab.builders.step import BuildLog
from lab.cache.report import SilentReport
from lab.errors import BuildError, InputError


@pytest.fixture
def module(tmp_path: Path) -> Path:
    folder = tmp_path / "workloads" / "stack" / "modules" / "tcp-one"
    (folder / "deep").mkdir(parents=True)
    (folder / "Makefile").write_text("obj-m += tcp_one.o\n")
    for name in ("tcp_one.c", "deep/own.h", "tcp_one.o", "README.md"):
        (folder / name).write_text(name)
    return folder


@pytest.fixture
def series(tmp_path: Path) -> PatchSeries:
    (tmp_path / "hwsim-patches").mkdir(parents=True)
    return PatchSeries(tmp_path / "hwsim-patches")


def test_a_module_becomes_part_of_the_source(module: Path, series: PatchSeries, log: BuildLog, tmp_path: Path) -> None:
    linux = {Path("drivers/Makefile"): b"obj-y += cache/\n"}
    changes = WithModules(series, {"tcp-one": module}).changes(linux.get, tmp_path / "scratch", "6.12", log)
    assert changes == {
        Path("drivers/Makefile"): b"obj-y += lab-modules/\nobj-y += cache/\n",
        Path("drivers/lab-modules/Makefile"): b"obj-y += tcp-one/\n",
        Path("drivers/lab-modules/tcp-one/Kbuild"): b"include $(src)/Makefile\nobj-y += $(obj-m)\nobj-m :=\n",
        Path("drivers/lab-modules/tcp-one/Makefile"): b"obj-m += tcp_one.o\n",
        Path("drivers/lab-modules/tcp-one/tcp_one.c"): b"tcp_one.c",
        Path("drivers/lab-modules/tcp-one/deep/own.h"): b"deep/own.h",
    }


def test_its_files_are_part_of_the_hash(module: Path, series: PatchSeries) -> None:
    def sha256() -> str:
        return WithModules(series, {"tcp-one": module}).sha256()

    before = sha256()
    assert before != series.sha256()
    (module / "README.md").write_text("more")
    assert sha256() == before
    (module / "tcp_one.c").write_text("more")
    assert sha256() != before


@pytest.mark.parametrize("text", ["", "obj-$(CONFIG_ONE) += tcp_one.o\n"])
def test_a_module_that_builds_nothing(module: Path, series: PatchSeries, text: str) -> None:
    (module / "Makefile").write_text(text)
    with pytest.raises(BuildError, match="the kernel module tcp-one builds no object") as caught:
        WithModules(series, {"tcp-one": module}).sha256()
    assert str(caught.value).startswith(f"{module}/Makefile")
    assert "write obj-m += tcp_one.o for tcp_one.c" in str(caught.value)


def test_a_built_kernel_takes_no_modules(module: Path) -> None:
    with pytest.raises(InputError, match="--kernel 78f9: the kernel must be built with the modules tcp-one"):
        KernelChoice(built="78f9", modules={"tcp-one": module}).kernel(SilentReport())
