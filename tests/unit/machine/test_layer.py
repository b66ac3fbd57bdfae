# SPDX-License-Identifier: MIT
"""Layers of node images: what a tree has that the base lacks, and what it lacks."""

from __future__ import annotations

import hashlib
import io
import stat
import subprocess
import tarfile
from pathlib import Path

import pytest

from lab.builders.image.layer import AddedFile, Member, listed, write

TIME_S = 1_750_000_000


def digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def directory(mode: int = 0o755, gid: int = 0) -> Member:
    return Member(tarfile.DIRTYPE, mode, 0, gid)


def file(text: str, mode: int = 0o644) -> Member:
    return Member(tarfile.REGTYPE, mode, 0, 0, digest(text))


BASE = {
    "etc": directory(),
    "etc/passwd": file("root"),
    "usr": directory(),
    "usr/bin": directory(),
    "usr/bin/curl": file("curl", 0o755),
    "usr/bin/old": file("old", 0o755),
    "usr/bin/python3": Member(tarfile.SYMTYPE, 0o777, 0, 0, "python3.13"),
    "usr/share": directory(),
    "usr/share/gone": directory(),
    "usr/share/gone/file": file("file"),
    "var": directory(),
    "var/mail": directory(0o2775, gid=8),
}


def add(tar: tarfile.TarFile, name: str, text: str | None = None, mode: int = 0o644, **fields: object) -> None:
    entry = tarfile.TarInfo(f"./{name}")
    entry.mode, entry.mtime = mode, TIME_S - 5
    for field, value in fields.items():
        setattr(entry, field, value)
    content = (text or "").encode()
    if text is None and "type" not in fields:
        entry.type, entry.mode = tarfile.DIRTYPE, mode | 0o111
    if entry.isreg():
        entry.size = len(content)
    tar.addfile(entry, io.BytesIO(content) if entry.isreg() else None)


def tree(path: Path) -> Path:
    """The base with a new program, another passwd, a changed mode, and without old and share/gone."""
    with tarfile.open(path, "w") as tar:
        for name in ("etc", "usr", "usr/bin", "usr/lib", "usr/share", "var"):
            add(tar, name)
        add(tar, "var/mail", mode=0o2775, type=tarfile.DIRTYPE, gid=8)
        add(tar, "etc/passwd", "root\npeer")
        add(tar, "usr/bin/curl", "curl", 0o4755)
        add(tar, "usr/bin/peer", "peer", 0o755)
        add(tar, "usr/bin/peer2", type=tarfile.LNKTYPE, linkname="./usr/bin/peer")
        add(tar, "usr/bin/python3", type=tarfile.SYMTYPE, linkname="python3.13", mode=0o777)
        add(tar, "usr/lib/libpeer.so", "library")
    return path


def members(path: Path) -> dict[str, tarfile.TarInfo]:
    with tarfile.open(path) as tar:
        return {member.name.removeprefix("./"): member for member in tar}


def test_layer_has_what_is_new_changed_or_gone_and_nothing_else(tmp_path: Path) -> None:
    layer = tmp_path / "layer.tar"
    write(tree(tmp_path / "full.tar"), BASE, {}, layer, TIME_S)
    found = members(layer)
    assert list(found) == [
        "etc",
        "etc/passwd",
        "usr",
        "usr/bin",
        "usr/bin/curl",
        "usr/bin/old",
        "usr/bin/peer",
        "usr/bin/peer2",
        "usr/lib",
        "usr/lib/libpeer.so",
        "usr/share",
        "usr/share/gone",
    ]
    assert found["usr/bin/curl"].mode == 0o4755
    for name in ("usr/bin/old", "usr/share/gone"):  # whiteouts: of a directory that is gone, only itself
        assert found[name].ischr()
        assert (found[name].devmajor, found[name].devminor) == (0, 0)
    with tarfile.open(layer) as tar:  # what it links to might not be in the layer
        linked = tar.extractfile("./usr/bin/peer2")
        assert linked is not None
        assert linked.read() == b"peer"
        assert not tar.getmember("./usr/bin/peer2").islnk()


def test_equal_tree_gives_an_empty_layer(tmp_path: Path) -> None:
    layer = tmp_path / "layer.tar"
    with tarfile.open(tmp_path / "full.tar", "w") as tar:
        add(tar, "etc")
        add(tar, "etc/passwd", "root")
    write(tmp_path / "full.tar", {"etc": directory(), "etc/passwd": file("root")}, {}, layer, TIME_S)
    assert members(layer) == {}


def test_directory_of_the_base_that_holds_new_files_is_never_removed(tmp_path: Path) -> None:
    """A tar file need not have an entry for each directory."""
    layer = tmp_path / "layer.tar"
    with tarfile.open(tmp_path / "full.tar", "w") as tar:
        add(tar, "run/lock/new", "new")
    write(tmp_path / "full.tar", {"run": directory(), "run/lock": directory(0o1777)}, {}, layer, TIME_S)
    found = members(layer)
    assert found["run/lock"].isdir()
    assert found["run/lock"].mode == 0o1777


def test_added_files_come_over_both_and_keep_their_directories_modes(tmp_path: Path) -> None:
    layer = tmp_path / "layer.tar"
    added = {
        "usr/bin/peer": AddedFile(b"mine", executable=True),
        "var/mail/box": AddedFile(b"mail"),
        "opt/app/link": AddedFile(b"", link="../x"),
    }
    write(tree(tmp_path / "full.tar"), BASE, added, layer, TIME_S)
    found = members(layer)
    with tarfile.open(layer) as tar:
        program = tar.extractfile("./usr/bin/peer")
        assert program is not None
        assert program.read() == b"mine"
    assert found["usr/bin/peer"].mode == 0o755
    assert (found["var/mail"].mode, found["var/mail"].gid) == (0o2775, 8)
    assert (found["opt/app/link"].issym(), found["opt/app/link"].linkname) == (True, "../x")
    assert {found[name].mtime for name in ("usr", "usr/bin", "var", "var/mail", "opt", "opt/app")} == {TIME_S}


def test_without_a_tree_the_layer_has_only_the_added_files(tmp_path: Path) -> None:
    layer = tmp_path / "layer.tar"
    write(None, BASE, {"usr/bin/mine": AddedFile(b"mine", executable=True)}, layer, TIME_S)
    assert list(members(layer)) == ["usr", "usr/bin", "usr/bin/mine"]


@pytest.mark.parametrize(
    ("line", "member"),
    [
        ("drwxrwxrwt 0/0                       3 2026-11-15 15:22 base/tmp", directory(0o1777)),
        ("drwxrwsr-x 0/8                       3 2026-11-15 15:22 base/tmp", directory(0o2775, gid=8)),
        ("lrwxrwxrwx 0/0  7 2026-11-08 20:20 base/tmp -> usr/bin", Member(tarfile.SYMTYPE, 0o777, 0, 0, "usr/bin")),
    ],
)
def test_listing_of_unsquashfs_is_understood(line: str, member: Member, tmp_path: Path) -> None:
    assert listed(f"drwxr-xr-x 0/0 280 2026-11-15 15:22 base\n{line}\n", tmp_path) == {"tmp": member}


def test_listing_agrees_with_what_was_packed(tmp_path: Path) -> None:
    """The tools of this machine, with modes, owners, and names with spaces."""
    with tarfile.open(tmp_path / "in.tar", "w") as tar:
        add(tar, "usr")
        add(tar, "usr/set-user", "a", 0o4755, uid=5, gid=42)
        add(tar, "usr/no-run", "b", 0o2644)
        add(tar, "usr/a name -> b", "c", 0o600)
        add(tar, "usr/link", type=tarfile.SYMTYPE, linkname="a name", mode=0o777)
        add(tar, "dev-zero", type=tarfile.CHRTYPE, devmajor=1, devminor=5, mode=0o666)
    with (tmp_path / "in.tar").open("rb") as stream:
        subprocess.run(["sqfstar", "-quiet", str(tmp_path / "image")], stdin=stream, check=True)
    words = ["unsquashfs", "-quiet", "-no-progress", "-no-xattrs"]
    listing = subprocess.run(
        [*words, "-lln", "-dest", "base", str(tmp_path / "image")], check=True, capture_output=True, text=True
    ).stdout
    subprocess.run([*words, "-dest", str(tmp_path / "out"), str(tmp_path / "image"), "usr"], check=True)
    assert listed(listing, tmp_path / "out") == {
        "usr": directory(),
        "usr/set-user": Member(tarfile.REGTYPE, 0o755 | stat.S_ISUID, 5, 42, digest("a")),
        "usr/no-run": Member(tarfile.REGTYPE, 0o644 | stat.S_ISGID, 0, 0, digest("b")),
        "usr/a name -> b": Member(tarfile.REGTYPE, 0o600, 0, 0, digest("c")),
        "usr/link": Member(tarfile.SYMTYPE, 0o777, 0, 0, "a name"),
    }
