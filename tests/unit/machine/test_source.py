# SPDX-License-Identifier: MIT
"""Where the kernel's source comes from, and that what comes is what was fetched."""

from __future__ import annotations

import gzip
import json
import tarfile
from pathlib import Path

import pytest

from lab.builders.kernel import source as module
from lab.builders.kernel.source import PACKAGE, KernelSource, ensure_source, given_source, unpack
from lab.builders.step import BuildLog
from lab.cache.store import Store, file_sha256
from lab.errors import BuildError, InputError
from tests.kept import KeptReport

MAKEFILE = "# SPDX\nVERSION = 6\nPATCHLEVEL = 12\nSUBLEVEL = 117\nEXTRAVERSION =\n"

pytestmark = pytest.mark.usefixtures("cache")


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    directory = tmp_path / "linux"
    (directory / "arch" / "um").mkdir(parents=True)
    (directory / "Makefile").write_text(MAKEFILE)
    return directory


@pytest.fixture
def archive(tmp_path: Path, tree: Path) -> Path:
    path = tmp_path / "linux-source.tar.xz"
    with tarfile.open(path, "w:xz") as tar:
        tar.add(tree, "linux-source-6.12")
    return path


@pytest.fixture
def debian(tmp_path: Path, archive: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """In place of Debian's archive: a package with our archive in it. Counts how often it is fetched."""
    fetched: list[str] = []
    changelog = tmp_path / "changelog.Debian.gz"
    with gzip.open(changelog, "wt") as file:
        file.write("linux (6.12.117-1) trixie-security; urgency=high\n\n  * New upstream stable update\n")

    def fetch_tar(tar: Path, options: object, packages: list[str], *rest: object) -> None:
        fetched.extend(packages)
        with tarfile.open(tar, "w") as out:
            out.add(archive, f"./usr/src/{PACKAGE}.tar.xz")
            out.add(changelog, f"./usr/share/doc/{PACKAGE}/changelog.Debian.gz")

    monkeypatch.setattr(module, "fetch_tar", fetch_tar)
    return fetched


def test_package_is_fetched_once_and_its_version_and_checksum_are_noted(
    debian: list[str], archive: Path, reported: KeptReport
) -> None:
    first = ensure_source(reported)
    assert (first.version, first.sha256, first.debian) == ("6.12.117-1", file_sha256(archive), True)
    assert ensure_source(reported) == first
    assert debian == [PACKAGE]
    ensure_source(reported, refresh=True)
    assert debian == [PACKAGE, PACKAGE]


def test_damaged_archive_is_an_error_that_says_what_to_do(
    debian: list[str], reported: KeptReport, log: BuildLog, tmp_path: Path
) -> None:
    source = ensure_source(reported)
    damaged = bytearray(source.path.read_bytes())
    damaged[len(damaged) // 2] ^= 1
    source.path.write_bytes(damaged)
    with pytest.raises(BuildError, match="kernel source fails its checksum") as caught:
        unpack(source, tmp_path / "out", log)
    assert "fetches it again" in str(caught.value)
    assert not (tmp_path / "out").exists()


def test_package_without_a_source(reported: KeptReport, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fetch_tar(tar: Path, *rest: object) -> None:
        tarfile.open(tar, "w").close()

    monkeypatch.setattr(module, "fetch_tar", fetch_tar)
    with pytest.raises(BuildError, match=f"{PACKAGE} does not contain ./usr/src"):
        ensure_source(reported)
    assert not Store("source", "the kernel source").has(PACKAGE)


def test_tree_by_path(tree: Path, log: BuildLog, tmp_path: Path) -> None:
    source = given_source(tree)
    assert (source.version, source.debian) == ("6.12.117", False)
    unpack(source, tmp_path / "out", log)
    assert (tmp_path / "out" / "Makefile").read_text() == MAKEFILE


def test_tree_that_changes_is_another_source(tree: Path) -> None:
    before = given_source(tree).sha256
    assert given_source(tree).sha256 == before
    (tree / "new.c").touch()
    assert given_source(tree).sha256 != before


def test_archive_by_path(archive: Path, log: BuildLog, tmp_path: Path) -> None:
    unpack(given_source(archive), tmp_path / "out", log)
    assert (tmp_path / "out" / "Makefile").read_text() == MAKEFILE


def test_other_architectures_are_left_out_but_not_their_kconfig(tree: Path, log: BuildLog, tmp_path: Path) -> None:
    for name in ("arch/arm/crypto/Kconfig", "arch/arm/mm/init.c", "arch/x86/um/ptrace.c", "net/core/dev.c"):
        (tree / name).parent.mkdir(parents=True, exist_ok=True)
        (tree / name).touch()
    path = tmp_path / "again.tar.xz"
    with tarfile.open(path, "w:xz") as tar:
        tar.add(tree, "linux-source-6.12")
    unpack(KernelSource(path, "6.12", file_sha256(path), debian=True), tmp_path / "out", log)
    out = tmp_path / "out"
    assert not (out / "arch/arm/mm/init.c").exists()
    for name in ("arch/arm/crypto/Kconfig", "arch/x86/um/ptrace.c", "net/core/dev.c", "Makefile"):
        assert (out / name).exists(), name


def test_tree_with_a_build_in_it(tree: Path, log: BuildLog, tmp_path: Path) -> None:
    (tree / ".config").touch()
    with pytest.raises(BuildError, match=r"contains a build\n.*make -C .* mrproper"):
        unpack(given_source(tree), tmp_path / "out", log)


def test_directory_that_is_no_kernel(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is not a kernel source tree"):
        given_source(tmp_path)


def test_path_that_is_nothing(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="neither a kernel source tree nor an archive"):
        given_source(tmp_path / "nowhere")


def test_note_is_readable(debian: list[str], reported: KeptReport) -> None:
    note = json.loads((ensure_source(reported).path.parent / "source.json").read_text())
    assert set(note) == {"archive", "version", "sha256"}
