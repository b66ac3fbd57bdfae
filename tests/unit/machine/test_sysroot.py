# SPDX-License-Identifier: MIT
"""Headers and libraries of the guest, and sources of its packages: what of them needs no network."""

from __future__ import annotations

from pathlib import Path

import pytest

from lab.builders.debian_source import described_version, ensure_source
from lab.builders.image.image import Image
from lab.builders.stack.sysroot import keep_links_inside, tree_sha256
from lab.cache.report import SilentReport
from lab.errors import BuildError

IMAGE = Image(Path("image.squashfs"), "0" * 64, {"libc6": "2.41-12"}, "key")


def tree(root: Path) -> Path:
    (root / "usr/lib").mkdir(parents=True)
    (root / "usr/lib/libz.so.1").write_text("library")
    return root


def test_absolute_links_stay_in_the_sysroot(tmp_path: Path) -> None:
    root = tree(tmp_path)
    (root / "usr/lib/libz.so").symlink_to("/usr/lib/libz.so.1")
    (root / "usr/lib/near.so").symlink_to("libz.so.1")
    keep_links_inside(root)
    assert (root / "usr/lib/libz.so").readlink() == Path("libz.so.1")
    assert (root / "usr/lib/near.so").readlink() == Path("libz.so.1")


def test_the_sum_of_a_tree_is_of_names_links_rights_and_contents(tmp_path: Path) -> None:
    first, second = tree(tmp_path / "a"), tree(tmp_path / "b")
    sums = {tree_sha256(first), tree_sha256(second)}
    assert len(sums) == 1
    (second / "usr/lib/libz.so.1").write_text("another")
    sums.add(tree_sha256(second))
    (second / "usr/lib/libz.so.1").chmod(0o755)
    sums.add(tree_sha256(second))
    (second / "usr/lib/libz.so").symlink_to("libz.so.1")
    sums.add(tree_sha256(second))
    (second / "usr/empty").mkdir()
    sums.add(tree_sha256(second))
    assert len(sums) == 5


def test_the_version_of_a_source(tmp_path: Path) -> None:
    assert described_version("Source: lighttpd\nVersion: 1.4.79-2\nBuild-Depends: x\n") == "1.4.79-2"
    with pytest.raises(BuildError, match="has no version"):
        described_version("Source: lighttpd\n")


def test_a_source_is_of_a_package_of_the_image() -> None:
    with pytest.raises(BuildError) as failure:
        ensure_source(SilentReport(), IMAGE, "lighttp", "workloads/swp/sources")
    assert str(failure.value).startswith("workloads/swp/sources  lighttp is not a package of the image\n")
