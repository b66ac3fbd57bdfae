# SPDX-License-Identifier: MIT
"""Headers and libraries of the guest, and sources of its packages: what of them needs no network."""

from __future__ import annotations

from pathlib import Path

import pytest

from lab.builders import debian_source
from lab.builders.debian_source import described_version, ensure_source
from lab.builders.image.image import Image
from lab.builders.image.node_image import NodeImage
from lab.builders.stack.sysroot import keep_links_inside, tree_sha256
from lab.cache.report import SilentReport
from lab.errors import BuildError, InputError

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


def test_a_source_may_be_of_a_package_of_a_node_image(
    cache: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It has the version of that image, or of the base if the image does not change the package."""
    folder = tmp_path / "images" / "peer"
    folder.mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    peer = NodeImage("peer", Path("layer.squashfs"), "1" * 64, {"transmission-daemon": "4.1-3+b2"}, "key")
    asked: list[object] = []

    def make(directory: Path, package: str, version: str, *_: object) -> None:
        (directory / "source.json").write_text(f'{{"package": "{package}", "version": "{version} of the source"}}')

    def built(_: object, *given: object) -> NodeImage:
        asked.append(given)
        return peer

    monkeypatch.setattr(debian_source, "_make", make)
    monkeypatch.setattr(debian_source, "ensure_node_image", built)
    found = ensure_source(SilentReport(), IMAGE, "peer/transmission-daemon", "sources:1")
    assert (found.package, found.version) == ("transmission-daemon", "4.1-3+b2 of the source")
    assert asked == [(folder.resolve(), IMAGE)]
    assert ensure_source(SilentReport(), IMAGE, "peer/libc6", "sources:1").version == "2.41-12 of the source"
    with pytest.raises(BuildError, match="curl is not a package of the image peer") as failure:
        ensure_source(SilentReport(), IMAGE, "peer/curl", "sources:2")
    assert failure.value.where == "sources:2" and "images/peer/packages" in (failure.value.hint or "")


def test_a_source_of_a_node_image_that_does_not_exist() -> None:
    with pytest.raises(InputError, match='unknown image "pear"') as failure:
        ensure_source(SilentReport(), IMAGE, "pear/transmission-daemon", "workloads/x/sources:3")
    assert failure.value.where == "workloads/x/sources:3"
