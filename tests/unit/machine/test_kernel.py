# SPDX-License-Identifier: MIT
"""The way from a source to a kernel, with a source that compiles in no time."""

from __future__ import annotations

from pathlib import Path

import pytest

from lab.builders.kernel import tested
from lab.builders.kernel.chosen import chosen_kernel
from lab.builders.kernel.kernel import Kernel, ensure_kernel
from lab.builders.kernel.series import PatchSeries
from lab.builders.kernel.source import given_source
from lab.cache.store import Store
from lab.errors import BuildError
from tests.kept import KeptReport

# A kernel's make in small: allnoconfig knows two options, linux writes its options.
MAKEFILE = """\
VERSION = 6
PATCHLEVEL = 12
SUBLEVEL = 117
EXTRAVERSION =

allnoconfig:
	grep -E '^CONFIG_(KNOWN|OTHER)=' $(KCONFIG_ALLCONFIG) > $(O)/.config || true

linux:
	mkdir -p $(O)/include/config
	echo $(VERSION).$(PATCHLEVEL).$(SUBLEVEL)-hwsim-lab > $(O)/include/config/kernel.release
	@echo '  CC      net/core/dev.o'
	@echo '  CC      net/core/sock.o'
	cat greeting > $(O)/linux
	echo $(KBUILD_BUILD_TIMESTAMP) >> $(O)/linux
"""


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    directory = tmp_path / "linux"
    (directory / "arch" / "um").mkdir(parents=True)
    (directory / "Makefile").write_text(MAKEFILE)
    (directory / "greeting").write_text("hello\n")
    return directory


@pytest.fixture
def series(tmp_path: Path) -> PatchSeries:
    directory = tmp_path / "hwsim-patches"
    (directory / "own" / "config").mkdir(parents=True)
    (directory / "own" / "config" / "00-base.config").write_text("# why\nCONFIG_KNOWN=y\n")
    (directory / "series").write_text("own\n")
    (directory / "tested").write_text("package 6.12.1-1\nsha256 0\nseries 0\nobjects 2\n")
    return PatchSeries(directory)


class Builder:
    """``ensure_kernel`` with everything in a directory of the test."""

    def __init__(self, tree: Path, series: PatchSeries, store: Store) -> None:
        self.tree, self.series, self.store = tree, series, store
        self.reported = KeptReport()

    def __call__(self) -> Kernel:
        return ensure_kernel(self.reported, source=self.tree, series=self.series)

    def name_as_tested(self) -> None:
        tested.note(self.series, given_source(self.tree))


@pytest.fixture
def build(tree: Path, series: PatchSeries, cache: None) -> Builder:
    return Builder(tree, series, Store("kernel", "the kernel"))


def test_kernel_and_what_it_was_made_of(build: Builder) -> None:
    kernel = build()
    assert kernel.path.read_text() == "hello\n1970-01-01 00:00:00 UTC\n"
    assert kernel.release == "6.12.117-hwsim-lab"
    assert kernel.package_version == "6.12.117"
    assert kernel.series_sha256 == build.series.sha256()
    assert "gcc" in kernel.compiler
    assert kernel.parts == ("own",)
    assert sorted(path.name for path in kernel.path.parent.iterdir()) == ["config", "kernel.json", "linux"]


class ChangesTheSeries(KeptReport):
    """What a user may do while a build waits for another one."""

    def __init__(self, fragment: Path) -> None:
        super().__init__()
        self.fragment = fragment

    def step(self, text: str) -> None:
        super().step(text)
        self.fragment.write_text("# why\nCONFIG_KNOWN=y\nCONFIG_OTHER=y\n")


def test_a_series_that_changes_before_it_is_read_makes_no_kernel_under_the_old_key(build: Builder) -> None:
    fragment = build.series.directory / "own" / "config" / "00-base.config"
    before = fragment.read_text()
    build.reported = ChangesTheSeries(fragment)
    with pytest.raises(BuildError, match="changed since the command was given"):
        build()
    fragment.write_text(before)
    build.reported = KeptReport()
    assert (build().path.parent / "config").read_text() == "CONFIG_KNOWN=y\n"


def test_kernel_that_checks_itself(build: Builder) -> None:
    """It is another kernel, and neither waits for builds of the other nor replaces it."""
    usual = build()
    config = build.series.directory / "debug" / "config"
    config.mkdir(parents=True)
    (config / "debug.config").write_text("# why\nCONFIG_OTHER=y\n")
    assert build() == usual
    build.series = PatchSeries(build.series.directory, debug=True)
    debug = build()
    assert debug.parts == ("own", "debug")
    assert debug.key != usual.key
    assert debug.path.parent.parent != usual.path.parent.parent
    assert (debug.path.parent / "config").read_text() == "CONFIG_KNOWN=y\nCONFIG_OTHER=y\n"
    for kernel in (usual, debug):
        assert chosen_kernel(kernel.key, build.series) == kernel


def test_progress_counts_objects(build: Builder) -> None:
    build()
    assert build.reported.progressed == [(1, 2, "net/core/dev.o"), (2, 2, "net/core/sock.o")]


def test_source_that_was_not_tested_is_reported(build: Builder) -> None:
    assert not build().tested
    said = "6.12.117; the lab was last tested with 6.12.1-1. You need not do anything;"
    assert any(said in step for step in build.reported.steps)


def test_tested_source_is_not(build: Builder) -> None:
    build.name_as_tested()
    assert build().tested


def test_tested_source_with_other_patches_is_reported(build: Builder) -> None:
    build.name_as_tested()
    (build.series.directory / "own" / "config" / "10-more.config").write_text("# why\nCONFIG_OTHER=y\n")
    assert not build().tested
    assert any("tested with other patches and modules, as usual after a change or with your own. You need not" in step
               for step in build.reported.steps)  # fmt: skip


def test_a_suite_that_passed_names_what_it_passed_with(build: Builder) -> None:
    source = given_source(build.tree)
    assert tested.note(build.series, source)
    assert build().tested
    assert not tested.note(build.series, source)


def test_second_time_nothing_is_built(build: Builder) -> None:
    first = build()
    build.reported.steps.clear()
    assert build() == first
    assert build.reported.steps == []


def test_change_of_source_or_configuration_is_another_kernel(build: Builder) -> None:
    keys = {build().key}
    (build.tree / "greeting").write_text("good day\n")
    keys.add(build().key)
    (build.series.directory / "own" / "config" / "10-more.config").write_text("CONFIG_OTHER=y\n")
    keys.add(build().key)
    assert len(keys) == 3


def test_option_that_the_kernel_does_not_take(build: Builder) -> None:
    (build.series.directory / "own" / "config" / "10-more.config").write_text("# why\nCONFIG_UNKNOWN=y\n")
    with pytest.raises(BuildError, match=r"10-more\.config:2  CONFIG_UNKNOWN=y was not kept"):
        build()
    assert not list(build.store.directory.glob("*/linux"))


def test_compilation_that_fails_shows_why(build: Builder) -> None:
    (build.tree / "greeting").unlink()
    with pytest.raises(
        BuildError, match=r"(?s)compiling the kernel failed: exit status 2.*greeting: No such file"
    ) as caught:
        build()
    assert str(build.store.log) in str(caught.value)
    assert [path.name for path in build.store.directory.iterdir()] == [".lock"]
