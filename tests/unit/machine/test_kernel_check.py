# SPDX-License-Identifier: MIT
"""checkpatch and sparse: that they are asked about everything of ours, and that a new complaint fails the check."""

from __future__ import annotations

from pathlib import Path

import pytest

from lab.builders.kernel.check import check_series
from lab.builders.kernel.series import PatchSeries
from lab.builders.kernel.source import given_source
from lab.errors import BuildError
from tests.kept import KeptReport

# In place of the kernel's: complains about the word "untidy", as checkpatch does.
CHECKPATCH = """\
my ($file) = $ARGV[-1];
open(my $in, "<", $file) or die;
while (<$in>) { if (/untidy/) { print "WARNING:UNTIDY: tidy up\\n#$.: FILE: $file:$.:\\n"; exit 1; } }
"""
# A kernel's make in small: where sparse looks on, it complains about "unsound", in our files and in the kernel's own.
MAKEFILE = """\
VERSION = 6
PATCHLEVEL = 12
SUBLEVEL = 117

allnoconfig:
	cp $(KCONFIG_ALLCONFIG) $(O)/.config
prepare:
	@true
net/%.o:
	@test "$(CHECK)" = sparse
	@grep -n unsound $(CURDIR)/net/$*.c | sed 's|:.*|:2: warning: unsound|; s|^|$(CURDIR)/net/$*.c:|'
	@! grep -qs "option" $(CURDIR)/net/Kconfig || echo "$(CURDIR)/net/old.c:9:2: warning: part of an option"
	@echo "$(CURDIR)/include/linux/old.h:3:4: warning: the kernel's own"
"""
PATCH = "Subject: [PATCH] change\n\n--- a/net/old.c\n+++ b/net/old.c\n@@ -1,2 +1,2 @@\n one\n-two\n+{word}\n"


class Checked:
    """A series and the kernel it applies to."""

    def __init__(self, root: Path) -> None:
        self.tree, self.directory, self.reported = root / "linux", root / "hwsim-patches" / "own", KeptReport()
        for directory in ("arch/um", "net", "scripts"):
            (self.tree / directory).mkdir(parents=True)
        (self.tree / "Makefile").write_text(MAKEFILE)
        (self.tree / "scripts" / "checkpatch.pl").write_text(CHECKPATCH)
        (self.tree / "net" / "old.c").write_text("one\ntwo\n")
        for directory in ("patches", "files/net", "config"):
            (self.directory / directory).mkdir(parents=True)
        (self.directory / "config" / "00-base.config").write_text("CONFIG_NET=y\n")
        (self.directory / "series").write_text("0001-change.patch\n")
        (self.directory.parent / "series").write_text("own\n")
        self.write(patch="tidy", file="sound")

    def write(self, patch: str, file: str) -> None:
        (self.directory / "patches" / "0001-change.patch").write_text(PATCH.format(word=patch))
        (self.directory / "files" / "net" / "new.c").write_text(f"{file}\n")

    def check(self) -> None:
        check_series(given_source(self.tree), PatchSeries(self.directory.parent), self.reported)


@pytest.fixture
def checked(tmp_path: Path) -> Checked:
    return Checked(tmp_path)


def test_tidy_series_passes_and_is_not_checked_again(checked: Checked) -> None:
    checked.check()
    assert "kernel patches: checkpatch on 1 patches and 1 files" in checked.reported.steps
    checked.reported.steps.clear()
    checked.check()
    assert checked.reported.steps == []


def test_untidy_patch(checked: Checked) -> None:
    checked.write(patch="untidy", file="sound")
    with pytest.raises(
        BuildError, match=r"(?s)checkpatch of \S+/own/patches/0001-change\.patch failed.*WARNING:UNTIDY: tidy up"
    ):
        checked.check()


def test_untidy_file(checked: Checked) -> None:
    checked.write(patch="tidy", file="untidy")
    with pytest.raises(BuildError, match=r"(?s)checkpatch of \S+/own/files/net/new\.c failed.*WARNING:UNTIDY"):
        checked.check()


def test_sparse_complains_about_ours(checked: Checked) -> None:
    checked.write(patch="tidy", file="unsound")
    with pytest.raises(BuildError, match=r"sparse reports problems:\n    net/new\.c:1:2: warning: unsound$"):
        checked.check()


def test_sparse_complains_about_a_file_that_a_patch_changes(checked: Checked) -> None:
    checked.write(patch="unsound", file="sound")
    with pytest.raises(BuildError, match=r"sparse reports problems:\n    net/old\.c:2:2: warning: unsound$"):
        checked.check()


def test_what_sparse_says_of_the_kernels_own_file_anyway_passes(checked: Checked) -> None:
    """Once before, on another line; a second one is one too many."""
    (checked.tree / "net" / "old.c").write_text("one\ntwo\nthree\nunsound\n")
    checked.write(patch="tidy\n+tidy", file="sound")
    lengthen = (checked.directory / "patches" / "0001-change.patch").read_text().replace("-1,2 +1,2", "-1,2 +1,3")
    (checked.directory / "patches" / "0001-change.patch").write_text(lengthen)
    checked.check()
    (checked.directory / "patches" / "0001-change.patch").write_text(
        lengthen.replace("+tidy\n+tidy", "+tidy\n+unsound")
    )
    said = r"net/old\.c:3:2: warning: unsound \(2 times, 1 without the series\)\n    net/old\.c:5:2: "
    with pytest.raises(BuildError, match=said):
        checked.check()


def test_what_an_option_of_the_series_compiles_is_the_kernels_own(checked: Checked) -> None:
    """Both sides are compiled with the same options, or old code would look new."""
    (checked.directory / "files" / "net" / "Kconfig").write_text("config NET_OPTION # option\n")
    checked.check()


def test_failure_is_not_remembered(checked: Checked) -> None:
    checked.write(patch="untidy", file="sound")
    for _ in range(2):
        with pytest.raises(BuildError):
            checked.check()
    checked.write(patch="tidy", file="sound")
    checked.check()
