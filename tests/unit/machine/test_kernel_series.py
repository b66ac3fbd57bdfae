# SPDX-License-Identifier: MIT
"""hwsim-patches into a source tree, and its ways to fail."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from lab.builders.kernel.series import PatchSeries, failed_file
from lab.builders.step import BuildLog
from lab.errors import BuildError

PATCH = """\
Subject: [PATCH] greet louder

--- a/net/hello.c
+++ b/net/hello.c
@@ -1,3 +1,3 @@
 one
-hello
+HELLO
 three
"""


@pytest.fixture
def series(tmp_path: Path) -> PatchSeries:
    directory = tmp_path / "hwsim-patches" / "own"
    (directory / "patches").mkdir(parents=True)
    (directory / "files" / "net").mkdir(parents=True)
    (directory / "config").mkdir()
    (directory / "patches" / "0001-greet-louder.patch").write_text(PATCH)
    (directory / "files" / "net" / "new.c").write_text("new\n")
    (directory / "config" / "00-base.config").write_text("CONFIG_NET=y\n")
    (directory / "series").write_text("# comment\n0001-greet-louder.patch  # why\n")
    (directory.parent / "series").write_text("own\n")
    return PatchSeries(directory.parent)


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    (tmp_path / "tree" / "net").mkdir(parents=True)
    (tmp_path / "tree" / "net" / "hello.c").write_text("zero\none\nhello\nthree\n")
    return tmp_path / "tree"


def test_patches_and_files_are_put_into_the_tree(series: PatchSeries, tree: Path, log: BuildLog) -> None:
    series.apply(tree, "6.12", log)
    assert (tree / "net" / "hello.c").read_text() == "zero\none\nHELLO\nthree\n"
    assert (tree / "net" / "new.c").read_text() == "new\n"


def test_patch_that_no_longer_applies_is_named_with_its_file(series: PatchSeries, tree: Path, log: BuildLog) -> None:
    (tree / "net" / "hello.c").write_text("quite\nanother\nfile\n")
    with pytest.raises(BuildError) as caught:
        series.apply(tree, "6.12.200-1", log)
    assert "0001-greet-louder.patch no longer applies to Linux 6.12.200-1: net/hello.c" in str(caught.value)
    assert "make kernel-edit" in str(caught.value)


def test_patch_for_a_file_that_is_gone(series: PatchSeries, tree: Path, log: BuildLog) -> None:
    (tree / "net" / "hello.c").unlink()
    with pytest.raises(BuildError, match=r"no longer applies to Linux 6\.12: net/hello\.c"):
        series.apply(tree, "6.12", log)


def test_patch_that_is_in_the_kernel_already(series: PatchSeries, tree: Path, log: BuildLog) -> None:
    (tree / "net" / "hello.c").write_text("zero\none\nHELLO\nthree\n")
    with pytest.raises(BuildError, match=r"no longer applies to Linux 6\.12: net/hello\.c"):
        series.apply(tree, "6.12", log)


def test_new_file_must_be_new(series: PatchSeries, tree: Path, log: BuildLog) -> None:
    (tree / "net" / "new.c").write_text("old\n")
    with pytest.raises(BuildError, match=r"files/net/new\.c already exists in the kernel source"):
        series.apply(tree, "6.12", log)


def test_series_names_what_is_not_there(series: PatchSeries) -> None:
    (series.directory / "own" / "series").write_text("0001-greet-louder.patch\n0002-gone.patch\n")
    with pytest.raises(BuildError, match=r"own/series:2  \S+/own/patches/0002-gone\.patch does not exist"):
        _ = series.patches


def test_patch_that_series_forgot(series: PatchSeries) -> None:
    (series.directory / "own" / "series").write_text("")
    with pytest.raises(BuildError, match=r"patches/0001-greet-louder\.patch is not listed"):
        _ = series.patches


@pytest.mark.parametrize("changed", ["patches/0001-greet-louder.patch", "files/net/new.c", "config/00-base.config"])
def test_hash_sees_every_change(series: PatchSeries, changed: str) -> None:
    before = series.sha256()
    path = series.directory / "own" / changed
    path.write_text(path.read_text() + "\n")
    assert series.sha256() != before


def test_hash_does_not_see_the_comments_of_series(series: PatchSeries) -> None:
    before = series.sha256()
    (series.directory / "own" / "series").write_text("0001-greet-louder.patch\n")
    assert series.sha256() == before


def test_file_that_patch_failed_on() -> None:
    """As patch 2.7.6 prints it."""
    output = "patching file a/b.c\nHunk #1 succeeded at 1.\npatching file c.h\nHunk #1 FAILED at 29.\n"
    assert failed_file(output) == "c.h"


@pytest.fixture
def stack(series: PatchSeries) -> Path:
    """The part of a stack, which changes a new file of the series."""
    folder = series.directory.parent / "workloads" / "stack" / "kernel"
    (folder / "patches").mkdir(parents=True)
    (folder / "config").mkdir()
    (folder / "patches" / "0001-more.patch").write_text(
        "Subject: [PATCH] more\n\n--- a/net/new.c\n+++ b/net/new.c\n@@ -1 +1,2 @@\n new\n+more\n"
    )
    (folder / "config" / "stack.config").write_text("CONFIG_STACK=y\n")
    (folder / "series").write_text("0001-more.patch\n")
    return folder


def test_the_part_of_a_stack_follows(series: PatchSeries, stack: Path, tree: Path, log: BuildLog) -> None:
    assert series.names == ["own", "stack"]
    assert [path.name for path in series.fragments] == ["00-base.config", "stack.config"]
    series.apply(tree, "6.12", log)
    assert (tree / "net" / "new.c").read_text() == "new\nmore\n"
    assert series.patched == [Path("net/hello.c")]


def test_without_the_stack_the_kernel_is_that_without_its_part(series: PatchSeries, tmp_path: Path) -> None:
    before = series.sha256()
    folder = tmp_path / "workloads" / "stack" / "kernel" / "files"
    folder.mkdir(parents=True)
    (folder / "stack.c").write_text("stack\n")
    assert series.sha256() != before
    shutil.rmtree(folder.parent.parent)
    assert (series.names, series.sha256()) == (["own"], before)


def test_the_same_files_in_another_part_are_another_series(series: PatchSeries) -> None:
    before = series.sha256()
    (series.directory / "own").rename(series.directory / "other")
    (series.directory / "series").write_text("other\n")
    assert series.sha256() != before


def test_a_part_that_is_not_listed(series: PatchSeries) -> None:
    (series.directory / "more").mkdir()
    with pytest.raises(BuildError, match=r"hwsim-patches/more is not listed in \S+/hwsim-patches/series"):
        _ = series.parts


def test_a_part_that_does_not_exist(series: PatchSeries) -> None:
    (series.directory / "series").write_text("own\nmore\n")
    with pytest.raises(BuildError, match=r"series:2  \S+/more does not exist"):
        _ = series.parts


def test_a_stack_with_the_name_of_a_part(series: PatchSeries) -> None:
    (series.directory.parent / "workloads" / "own" / "kernel").mkdir(parents=True)
    with pytest.raises(BuildError, match=r"workloads/own/kernel: \S+ already has a part own"):
        _ = series.parts


def test_the_part_debug_comes_last_and_only_if_it_is_asked_for() -> None:
    usual, debug = PatchSeries(), PatchSeries(debug=True)
    assert "debug" not in usual.names
    assert debug.names == [*usual.names, "debug"]
    assert debug.fragments[: len(usual.fragments)] == usual.fragments
    assert "CONFIG_PROVE_LOCKING=y" in debug.fragments[-1].read_text()
    assert debug.sha256() != usual.sha256()


def test_our_own_series_is_whole() -> None:
    ours = PatchSeries()
    assert ours.patches
    assert ours.files
    assert len(ours.tested.sha256) == 64


def test_the_part_of_a_stack_in_the_current_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is in the kernel and in its hash; that of a stack of the lab's own with the same name is not."""
    before = PatchSeries()
    taken = next((part.name for part in before.parts if part.directory.parent != before.directory), "other")
    for name in ("mine", taken):
        config = tmp_path / "workloads" / name / "kernel" / "config"
        config.mkdir(parents=True)
        (config / "mine.config").write_text("CONFIG_NET=y\n")
    hashed = before.sha256()
    monkeypatch.chdir(tmp_path)
    here = PatchSeries()
    assert {*here.names} == {*before.names, taken, "mine"}
    parts = {part.name: part.directory for part in here.parts}
    assert parts["mine"] == tmp_path / "workloads" / "mine" / "kernel"
    assert parts[taken] == tmp_path / "workloads" / taken / "kernel"
    assert here.sha256() != hashed


def test_each_part_of_the_instrument_applies_without_the_others() -> None:
    """So the medium can be posted without the rest: no file has to do with two parts."""
    ours = PatchSeries()
    parts: dict[str, list[str]] = {}
    for part in (part for part in ours.parts if part.directory.parent == ours.directory):
        patched = re.findall(r"^(?:\+\+\+ b|--- a)/(\S+)", "".join(map(Path.read_text, part.patches)), re.MULTILINE)
        for name in {*patched, *map(str, part.files)}:
            parts.setdefault(name, []).append(part.name)
    assert {name: both for name, both in parts.items() if len(both) > 1} == {}
    assert {"uml", "net", "wifi", "medium"} <= {names[0] for names in parts.values()}
