# SPDX-License-Identifier: MIT
"""Which files of a node are copied, and what is said of others."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any

import pytest

from lab.guest import collecting
from lab.guest.errors import GuestError
from lab.shared.types import Collect

Copied = Callable[..., list[str]]


class Here:
    """A node whose files are those of this machine."""

    def files(self) -> AbstractContextManager[None]:
        """Stay here."""
        return nullcontext()


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """The folder that is collected from."""
    folder = tmp_path / "root"
    folder.mkdir()
    return folder


@pytest.fixture
def copied(tmp_path: Path, root: Path, monkeypatch: pytest.MonkeyPatch) -> Copied:
    """Collect a path below root; returns the paths of the copies there."""
    monkeypatch.setattr(collecting, "COLLECTED", tmp_path / "collected")
    kept = tmp_path / "collected" / "h1" / str(root).lstrip("/")

    def collect(pattern: str) -> list[str]:
        here: Any = Here()
        collecting.collect(here, Collect("h1", f"{root}/{pattern}", False, 1000, "w.yaml:3"))
        return sorted(path.relative_to(kept).as_posix() for path in kept.rglob("*") if path.is_file())

    return collect


def test_names_in_messages_are_clean(root: Path, copied: Copied) -> None:
    for name in (b"\x1b[31mred", b"a\xff"):
        (root / os.fsdecode(name)).touch()
    with pytest.raises(GuestError) as reported:
        copied("x")
    assert rf"; {root} has \x1b[31mred, a\xff; write optional: true" in reported.value.message


@pytest.mark.parametrize(
    ("pattern", "files"),
    [
        ("*", ["a.csv", "deep/b.csv", "deep/er/.c", "to_a"]),
        ("**", ["a.csv", "deep/b.csv", "deep/er/.c", "to_a"]),
        ("**/*.csv", ["a.csv", "deep/b.csv"]),
        ("de[e]p/*/.?", ["deep/er/.c"]),
        ("to_a", ["to_a"]),
        ("to_deep", ["to_deep/b.csv", "to_deep/er/.c"]),
        ("to_deep/*.csv", ["to_deep/b.csv"]),
        ("", ["a.csv", "deep/b.csv", "deep/er/.c", "to_a"]),
    ],
)
def test_regular_files_are_copied_and_links_to_folders_not_walked(
    root: Path, copied: Copied, pattern: str, files: list[str]
) -> None:
    (root / "deep" / "er").mkdir(parents=True)
    for name in ("a.csv", "deep/b.csv", "deep/er/.c"):
        (root / name).write_text(name)
    os.mkfifo(root / "fifo")
    for name, target in {
        "to_a": "a.csv",
        "to_deep": "deep",
        "to_all": "/",
        "to_itself": "to_itself",
        "to_nothing": "nothing",
        "to_kernel": "/proc/version",
        "deep/to_parent": "..",
    }.items():
        (root / name).symlink_to(target)
    assert copied(pattern) == files


@pytest.mark.parametrize(
    ("pattern", "reported"),
    [
        ("x", "/root/x of h1 leads to /proc/version; files of /proc, /sys and /dev are not copied"),
        ("all/sys/*", "/root/all/sys/* of h1 leads to /sys; files"),
        ("all/dev/null", "/root/all/dev/null of h1 leads to /dev/null; files"),
        ("fifo", "/root/fifo of h1 is not a regular file; have a program copy its content first"),
    ],
)
def test_what_might_never_end_is_refused(root: Path, copied: Copied, pattern: str, reported: str) -> None:
    (root / "x").symlink_to("/proc/version")
    (root / "all").symlink_to("/")
    os.mkfifo(root / "fifo")
    with pytest.raises(GuestError) as error:
        copied(pattern)
    assert reported in error.value.message and error.value.message.startswith("w.yaml:3: collect: /")


def test_nothing_of_the_kernel_is_walked() -> None:
    assert not list(collecting._expanded("/", ["proc", "**"]))
    assert not collecting._matching("/pro[c]/version") and not collecting._matching("/pro[c]")
    assert not collecting.is_special("/dev/shm/x") and not collecting.is_special("/")


def test_a_file_that_fills_the_room_is_whole_and_one_byte_more_is_too_much(
    root: Path, copied: Copied, tmp_path: Path
) -> None:
    (root / "a").write_bytes(b"x" * 999)
    (root / "b").write_bytes(b"y")
    assert copied("*") == ["a", "b"]  # 1000 bytes, the limit
    kept = tmp_path / "collected" / "h1" / str(root).lstrip("/")
    assert [(kept / name).read_bytes() for name in "ab"] == [b"x" * 999, b"y"]
    (root / "b").write_bytes(b"yy")
    with pytest.raises(GuestError, match=r"are larger than 1000 B in total; write a larger at_most:"):
        copied("*")
    (root / "b").unlink()
    (root / "a").write_bytes(b"z" * 1000)
    assert copied("a") and (kept / "a").read_bytes() == b"z" * 1000
