# SPDX-License-Identifier: MIT
"""make kernel-edit and make kernel-patches: there and back changes no byte, and what is committed comes back."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from lab.builders.kernel.edit import edit, git, write_back
from lab.builders.kernel.series import PatchSeries
from lab.builders.kernel.source import KernelSource, given_source
from lab.errors import BuildError, InputError
from tests.kept import KeptReport

USER = {
    "GIT_AUTHOR_NAME": "A User",
    "GIT_AUTHOR_EMAIL": "user@example.org",
    "GIT_COMMITTER_NAME": "A User",
    "GIT_COMMITTER_EMAIL": "user@example.org",
    "GIT_AUTHOR_DATE": "2025-01-02T03:04:05Z",
    "GIT_COMMITTER_DATE": "2025-01-02T03:04:05Z",
}


@pytest.fixture
def source(tmp_path: Path) -> KernelSource:
    tree = tmp_path / "linux"
    (tree / "arch" / "um").mkdir(parents=True)
    (tree / "net").mkdir()
    (tree / "Makefile").write_text("VERSION = 6\nPATCHLEVEL = 12\nSUBLEVEL = 117\n")
    (tree / "net" / "hello.c").write_text("zero\none\nhello\nthree\n")
    (tree / ".gitignore").write_text("*.o\n/*\n!/debian/\n")
    return given_source(tree)


@pytest.fixture
def series(tmp_path: Path) -> PatchSeries:
    """Two parts of the instrument, and one of a stack; none has anything yet."""
    for folder in ("hwsim-patches/low", "hwsim-patches/high", "workloads/stack/kernel"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "hwsim-patches" / "series").write_text("low\nhigh\n")
    return PatchSeries(tmp_path / "hwsim-patches")


@pytest.fixture
def tree(source: KernelSource, series: PatchSeries, tmp_path: Path) -> Path:
    directory = tmp_path / "build" / "kernel"
    edit(source, series, directory, KeptReport())
    return directory


def commit(tree: Path, message: str, part: str | None = "low") -> None:
    git(tree, "add", "--all")
    trailer = [f"--trailer=Part: {part}"] if part else []
    git(tree, "commit", "--quiet", f"--message={message}", *trailer, env=USER)


def content(series: PatchSeries) -> dict[str, bytes]:
    parts = [path for part in series.parts for path in part.directory.rglob("*") if path.is_file()]
    return {str(path): path.read_bytes() for path in parts}


def names(patches: list[Path]) -> list[str]:
    """The last folder but one, and the name: low/0001-change.patch."""
    return [f"{path.parent.parent.name}/{path.name}" for path in patches]


def lengthen(tree: Path, name: str, line: str, after: str) -> None:
    path = tree / name
    path.write_text(path.read_text().replace(f"{after}\n", f"{after}\n{line}\n"))


def change(tree: Path) -> None:
    """Two commits: one touches an old file and adds a new one, one changes both."""
    (tree / "net" / "hello.c").write_text("zero\none\nHELLO\nthree\n")
    (tree / "net" / "new.c").write_text("new\n")
    (tree / "net" / "new.c").chmod(0o755)
    commit(
        tree, "net: greet louder\n\nThe reason, in a line that tells it.\n\nSigned-off-by: A User <user@example.org>"
    )
    (tree / "net" / "hello.c").write_text("zero\none\nHELLO!\nthree\n")
    (tree / "net" / "new.c").write_text("newer\n")
    commit(tree, "net: greet louder still")


def test_commits_become_patches_and_new_files(tree: Path, series: PatchSeries) -> None:
    change(tree)
    written = write_back(tree, series)
    assert names(written) == ["low/0001-net-greet-louder.patch", "low/0002-net-greet-louder-still.patch"]
    assert series.patches == written
    assert series.files == [Path("net/new.c")]
    assert (series.directory / "low" / "files" / "net" / "new.c").read_text() == "newer\n"
    patch = series.patches[0].read_text()
    assert "Signed-off-by: A User <user@example.org>\n---\n" in patch
    assert "+HELLO\n" in patch
    assert "new.c" not in patch
    assert "From: A User <user@example.org>\nDate: Thu, 2 Jan 2025 03:04:05 +0000\n" in patch


def test_there_and_back_changes_no_byte(tree: Path, series: PatchSeries, source: KernelSource, tmp_path: Path) -> None:
    change(tree)
    write_back(tree, series)
    before = content(series)
    again = tmp_path / "again"
    edit(source, series, again, KeptReport())
    assert (again / "net" / "hello.c").read_text() == "zero\none\nHELLO!\nthree\n"
    write_back(again, series)
    assert content(series) == before


def test_user_configuration_of_git_does_not_show(
    tree: Path, series: PatchSeries, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    change(tree)
    write_back(tree, series)
    before = content(series)
    config = tmp_path / "gitconfig"
    config.write_text("[diff]\n\tnoprefix = true\n\tcontext = 9\n[format]\n\tsignature = me\n\tsubjectPrefix = NET\n")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(config))
    write_back(tree, series)
    assert content(series) == before


def test_commits_made_there_are_by_the_project(tree: Path, series: PatchSeries, tmp_path: Path) -> None:
    config = tmp_path / "gitconfig"
    config.write_text("[user]\n\tname = A User\n\temail = user@example.org\n")
    (tree / "net" / "hello.c").write_text("zero\none\nHELLO\nthree\n")
    command = ["git", "commit", "--quiet", "--all", "--signoff", "--message=net: greet", "--trailer=Part: low"]
    plain = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    subprocess.run(command, cwd=tree, check=True, env={**plain, "GIT_CONFIG_GLOBAL": str(config)})
    (patch,) = write_back(tree, series)
    assert "\nFrom: hwsim-lab <hwsim-lab@localhost>\n" in patch.read_text()
    assert "\nSigned-off-by: hwsim-lab <hwsim-lab@localhost>\n" in patch.read_text()


def stacked(tree: Path) -> None:
    """The stack changes a file of Linux and one that the low part adds, and adds one itself."""
    change(tree)
    lengthen(tree, "net/hello.c", "four", after="three")
    (tree / "net" / "new.c").write_text("newer\nmore\nstill more\nhook\n")
    (tree / "net" / "stack.c").write_text("stack\n")
    commit(tree, "net: let the stack in", "stack")


def test_each_part_has_its_own(tree: Path, series: PatchSeries, source: KernelSource, tmp_path: Path) -> None:
    stacked(tree)
    assert names(write_back(tree, series))[2:] == ["kernel/0001-net-let-the-stack-in.patch"]
    low, high, stack = series.parts
    assert (low.directory / "files" / "net" / "new.c").read_text() == "newer\n"
    assert (high.patches, high.files, stack.files) == ([], [], [Path("net/stack.c")])
    assert not (high.directory / "series").exists()
    assert "+hook\n" in stack.patches[0].read_text()
    before = content(series)
    again = tmp_path / "again"
    edit(source, series, again, KeptReport())
    write_back(again, series)
    assert content(series) == before


def test_a_commit_on_top_goes_to_its_part(tree: Path, series: PatchSeries) -> None:
    stacked(tree)
    lengthen(tree, "net/hello.c", "half", after="zero")
    (tree / "net" / "low.c").write_text("low\n")
    commit(tree, "net: count halves", "low")
    after = {name: (tree / name).read_text() for name in ("net/hello.c", "net/new.c", "net/low.c", "net/stack.c")}
    assert names(write_back(tree, series)) == [
        "low/0001-net-greet-louder.patch",
        "low/0002-net-greet-louder-still.patch",
        "low/0003-net-count-halves.patch",
        "kernel/0001-net-let-the-stack-in.patch",
    ]
    assert series.parts[0].files == [Path("net/low.c"), Path("net/new.c")]
    assert {name: (tree / name).read_text() for name in after} == after
    assert "Part:" not in "".join(patch.read_text() for patch in series.patches)


def test_a_commit_that_cannot_go_to_its_part_can_be_resolved(tree: Path, series: PatchSeries) -> None:
    stacked(tree)
    lengthen(tree, "net/hello.c", "five", after="four")
    commit(tree, "net: count on", "low")
    with pytest.raises(BuildError, match=r"(?s)cannot be moved to its part.*git rebase --continue"):
        write_back(tree, series)
    with pytest.raises(InputError, match="a rebase is not finished"):
        write_back(tree, series)


@pytest.mark.parametrize(("part", "said"), [(None, "names no part"), ("other", "names the part other")])
def test_a_commit_of_no_part(tree: Path, series: PatchSeries, part: str | None, said: str) -> None:
    (tree / "net" / "hello.c").write_text("changed\n")
    commit(tree, "net: change", part)
    with pytest.raises(InputError, match=rf'"net: change" {said}') as caught:
        write_back(tree, series)
    assert "the parts are low, high, stack" in str(caught.value)


def test_a_part_does_not_change_files_that_a_later_one_adds(
    tree: Path, series: PatchSeries, source: KernelSource, tmp_path: Path
) -> None:
    stacked(tree)
    write_back(tree, series)
    again = tmp_path / "again"
    edit(source, series, again, KeptReport())
    (again / "net" / "stack.c").write_text("changed\n")
    commit(again, "net: change", "high")
    with pytest.raises(InputError, match=r"of part high changes net/stack\.c, which is a new file of part stack"):
        write_back(again, series)


def test_removed_commit_and_file_go(tree: Path, series: PatchSeries) -> None:
    change(tree)
    write_back(tree, series)
    git(tree, "reset", "--quiet", "--hard", "lab-files")
    assert write_back(tree, series) == []
    assert series.patches == []
    assert series.files == []


def test_new_files_are_seen_though_debian_ignores_them(tree: Path, series: PatchSeries) -> None:
    (tree / "fresh.c").write_text("fresh\n")
    assert "fresh.c" in git(tree, "status", "--porcelain")


def test_uncommitted_change_is_refused(tree: Path, series: PatchSeries) -> None:
    (tree / "net" / "hello.c").write_text("changed\n")
    with pytest.raises(InputError, match=r"(?s)uncommitted changes:\n.*net/hello\.c"):
        write_back(tree, series)


def test_tree_is_not_overwritten(tree: Path, series: PatchSeries, source: KernelSource) -> None:
    with pytest.raises(InputError, match="exists already"):
        edit(source, series, tree, KeptReport())


def test_tree_that_is_not_there(series: PatchSeries, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="does not exist"):
        write_back(tmp_path / "nowhere", series)


def test_patch_that_no_longer_applies_can_be_resolved_in_the_tree(
    tree: Path, series: PatchSeries, source: KernelSource, tmp_path: Path
) -> None:
    change(tree)
    write_back(tree, series)
    (source.path / "net" / "hello.c").write_text("quite\nanother\nfile\n")
    again = tmp_path / "again"
    with pytest.raises(
        BuildError, match=r"(?s)no longer applies to Linux 6\.12\.117.*0001 net: greet louder"
    ) as caught:
        edit(given_source(source.path), series, again, KeptReport())
    assert "git am --continue" in str(caught.value)
    with pytest.raises(InputError, match="not applied yet"):
        write_back(again, series)
