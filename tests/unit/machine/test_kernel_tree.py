# SPDX-License-Identifier: MIT
"""The kept source and objects of the kernel: a change compiles what depends on it, and nothing stale survives."""

from __future__ import annotations

import os
import tarfile
import time
from pathlib import Path

import pytest

from lab.builders.kernel.edit import edit
from lab.builders.kernel.kernel import FEW, Kernel, ensure_kernel, with_own_paths
from lab.builders.kernel.series import PatchSeries
from lab.builders.kernel.source import given_source
from lab.cache.store import cache_root
from lab.errors import BuildError, InputError
from tests.kept import KeptReport
from tests.own_cache import own_cache

# A kernel's make in small. An object is the text of what it was made of; a file with "error" does not compile.
MAKEFILE = """\
VERSION = 6
PATCHLEVEL = 12
SUBLEVEL = 117
EXTRAVERSION =
OBJECTS = $(patsubst net/%.c,$(O)/net/%.o,$(sort $(wildcard net/*.c)))

allnoconfig:
	cp $(KCONFIG_ALLCONFIG) $(O)/.config

linux: $(OBJECTS)
	mkdir -p $(O)/include/config
	echo 6.12.117-hwsim-lab > $(O)/include/config/kernel.release
	cat $(OBJECTS) > $(O)/linux

$(O)/net/b.o: include/b.h
$(O)/net/%.o: net/%.c include/all.h
	@echo '  CC      net/$*.o'
	@mkdir -p $(O)/net
	! grep error net/$*.c
	cat $^ > $@

.DELETE_ON_ERROR:
"""
FILES = {
    "Makefile": MAKEFILE,
    "arch/um/Kconfig": "",
    "net/a.c": "a\n",
    "net/b.c": "b\n",
    "include/all.h": "all\n",
    "include/b.h": "for b\n",
}
PATCH = """\
Subject: [PATCH] change it

--- a/{name}
+++ b/{name}
@@ -1 +1 @@
-{old}
+{new}
"""


class Lab:
    """Builds in caches of the test; a series whose patches change one line each."""

    def __init__(self, place: Path) -> None:
        self.place = place
        self.archive = place / "linux-6.12.117.tar.xz"
        self.pack(self.archive)
        self.series = PatchSeries(place / "hwsim-patches")
        for name in ("config", "patches", "files"):
            (self.series.directory / "own" / name).mkdir(parents=True)
        (self.series.directory / "series").write_text("own\n")
        (self.series.directory / "own" / "config" / "00-base.config").write_text("CONFIG_KNOWN=y\n")
        (self.series.directory / "tested").write_text("package 6.12.1-1\nsha256 0\nseries 0\nobjects 2\n")

    def pack(self, archive: Path, **more: str) -> None:
        tree = self.place / archive.name.removesuffix(".tar.xz")
        for name, text in {**FILES, **more}.items():
            (tree / name).parent.mkdir(parents=True, exist_ok=True)
            (tree / name).write_text(text)
            os.utime(tree / name, (1_000_000_000, 1_000_000_000))
        with tarfile.open(archive, "w:xz") as tar:
            tar.add(tree, tree.name)

    def change(self, **files: str) -> None:
        """The series: these are the new texts of files of Linux (a_c: net/a.c)."""
        for patch in self.series.patches:
            patch.unlink()
        names = {"a_c": "net/a.c", "b_c": "net/b.c", "all_h": "include/all.h", "b_h": "include/b.h"}
        for word, new in files.items():
            name = names[word]
            text = PATCH.format(name=name, old=FILES[name].strip(), new=new)
            (self.series.directory / "own" / "patches" / f"{word}.patch").write_text(text)
        (self.series.directory / "own" / "series").write_text("".join(f"{word}.patch\n" for word in files))

    def add(self, name: str, text: str) -> None:
        path = self.series.directory / "own" / "files" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def build(self, cache: str = "cache", source: Path | None = None) -> Kernel:
        """Build it, also if it is in the cache."""
        self.reported = KeptReport()
        with own_cache(self.place / cache):
            for entry in (cache_root() / "kernel").glob("[!.]*"):
                entry.rename(self.place / f"old-{time.monotonic_ns()}")
            return ensure_kernel(self.reported, source=source or self.archive, series=self.series)

    @property
    def compiled(self) -> list[str]:
        """The files that the last build named: those that it made again."""
        return [step.strip() for step in self.reported.steps if step.startswith("  ")]

    @property
    def unpacked(self) -> bool:
        return any("unpacking" in step for step in self.reported.steps)

    @property
    def tree(self) -> Path:
        (tree,) = (self.place / "cache" / "hwsim-lab" / "kernel-tree").glob("[!.]*")
        return tree


@pytest.fixture
def lab(tmp_path: Path) -> Lab:
    made = Lab(tmp_path)
    made.build()
    assert made.unpacked
    assert sorted(text for *_, text in made.reported.progressed) == ["net/a.o", "net/b.o"]
    return made


def test_a_change_compiles_what_depends_on_it(lab: Lab) -> None:
    lab.change(a_c="A")
    kernel = lab.build()
    assert kernel.path.read_text() == "A\nall\nb\nall\nfor b\n"
    assert lab.compiled == ["net/a.o"]
    assert not lab.unpacked
    assert "kernel: net/a.c has changed since the last build" in lab.reported.steps
    lab.change(a_c="A", b_h="for B")
    lab.build()
    assert lab.compiled == ["net/b.o"]
    lab.change(all_h="ALL")
    assert lab.build().path.read_text() == "a\nALL\nb\nALL\nfor b\n"
    assert sorted(lab.compiled) == ["net/a.o", "net/b.o"]


def test_the_same_bytes_as_from_nothing(lab: Lab) -> None:
    for change in ({"a_c": "A"}, {"b_h": "x", "a_c": "y"}, {}, {"all_h": "z"}):
        lab.change(**change)
        assert lab.build().sha256 == lab.build(cache=f"fresh-{len(change)}-{'all_h' in change}").sha256


def test_new_files_come_and_go(lab: Lab) -> None:
    lab.add("net/c.c", "c\n")
    assert lab.build().path.read_text().endswith("c\nall\n")
    assert lab.compiled == ["net/c.o"]
    (lab.series.directory / "own" / "files" / "net" / "c.c").unlink()
    assert lab.build().path.read_text() == "a\nall\nb\nall\nfor b\n"
    assert lab.compiled == []


def test_new_header_that_may_be_found_in_place_of_another_one(lab: Lab) -> None:
    lab.add("net/c.h", "c\n")
    lab.build()
    assert lab.compiled == []
    lab.add("net/all.h", "another\n")
    lab.build()
    assert [(done, total) for done, total, _ in lab.reported.progressed] == [(1, 2), (2, 2)]
    assert not lab.unpacked


def test_change_of_a_script_compiles_all(lab: Lab) -> None:
    lab.add("scripts/a.sh", "a\n")
    lab.build()
    assert [(done, total) for done, total, _ in lab.reported.progressed] == [(1, 2), (2, 2)]


def test_change_that_does_not_compile_keeps_the_other_objects(lab: Lab) -> None:
    lab.change(a_c="error", b_c="B")
    with pytest.raises(BuildError, match="compiling the kernel failed"):
        lab.build()
    lab.change(a_c="A", b_c="B")
    assert lab.build().path.read_text() == "A\nall\nB\nall\nfor b\n"
    assert "net/a.o" in lab.compiled


def test_a_compilers_message_names_the_users_own_files(tmp_path: Path) -> None:
    source = tmp_path / "kernel-tree" / "0123abcd" / "source"
    message = f"{source}/net/a.c:1:2: error\n{source}/drivers/lab-modules/one/one.c:3:4: error"
    found = with_own_paths(message, tmp_path, {"one": Path("/home/me/workloads/mine/modules/one")})
    assert found == "net/a.c:1:2: error\n/home/me/workloads/mine/modules/one/one.c:3:4: error"


def test_what_an_interrupted_build_made_is_made_again(lab: Lab) -> None:
    (lab.tree / "begun").touch()
    (lab.tree / "objects" / "net" / "a.o").write_text("hal")
    lab.change(b_c="B")
    assert lab.build().path.read_text() == "a\nall\nB\nall\nfor b\n"


def test_progress_of_an_interrupted_build_continues(lab: Lab) -> None:
    (lab.tree / "begun").touch()
    (lab.tree / "objects" / "net" / "a.o").write_text("hal")
    lab.build()
    assert lab.reported.progressed == [(2, 2, "net/a.o")], "the other one of two is there"


def test_progress_of_more_objects_than_expected_stays_at_its_end(lab: Lab) -> None:
    lab.add("net/c.c", "c\n")
    lab.add("scripts/a.sh", "a\n")  # starts again
    lab.build()
    assert [(done, total) for done, total, _ in lab.reported.progressed] == [(1, 2), (2, 2), (3, 3)]


def test_source_that_somebody_changed_is_unpacked_again(lab: Lab) -> None:
    (lab.tree / "source" / "net" / "a.c").write_text("not Linux\n")
    lab.change(b_c="B")
    assert lab.build().path.read_text() == "a\nall\nB\nall\nfor b\n"
    assert lab.unpacked


def test_objects_from_the_future_are_not_used(lab: Lab) -> None:
    later_s = time.time() + 3600
    os.utime(lab.tree / "objects" / "net" / "a.o", (later_s, later_s))
    lab.change(a_c="A")
    assert lab.build().path.read_text() == "A\nall\nb\nall\nfor b\n"
    assert lab.unpacked


def test_only_one_tree_is_kept(lab: Lab) -> None:
    before = lab.tree
    other = lab.place / "linux-6.12.118.tar.xz"
    lab.pack(other, **{"net/a.c": "newer\n"})
    assert lab.build(source=other).path.read_text() == "newer\nall\nb\nall\nfor b\n"
    assert lab.tree != before


def test_many_files_are_counted_after_the_first(lab: Lab) -> None:
    for number in range(FEW + 2):
        lab.add(f"net/x{number}.c", "x\n")
    lab.build()
    assert len(lab.compiled) == FEW
    assert [done for done, total, _ in lab.reported.progressed if total is None] == [FEW + 1, FEW + 2]


def test_tree_of_kernel_edit_is_built_as_it_is(lab: Lab) -> None:
    lab.add("net/c.c", "c\n")
    tree = lab.place / "edited"
    edit(given_source(lab.archive), lab.series, tree, KeptReport())
    lab.build()
    (tree / "net" / "a.c").write_text("not committed\n")
    (tree / "net" / "d.c").write_text("d\n")
    (tree / "include" / "unused.h").write_text("")
    kernel = lab.build(source=tree)
    assert kernel.path.read_text() == "not committed\nall\nb\nall\nfor b\nc\nall\nd\nall\n"
    assert not kernel.tested
    assert sorted(lab.compiled) == ["net/a.o", "net/d.o"]
    (tree / "net" / "a.c").write_text("again\n")
    assert lab.build(source=tree).key != kernel.key


def test_tree_of_kernel_edit_of_another_linux(lab: Lab) -> None:
    tree = lab.place / "edited"
    edit(given_source(lab.archive), lab.series, tree, KeptReport())
    lab.pack(lab.archive, **{"net/a.c": "newer\n"})
    with pytest.raises(InputError, match=r"edited was made of another Linux than linux-6\.12\.117"):
        lab.build(source=tree)
