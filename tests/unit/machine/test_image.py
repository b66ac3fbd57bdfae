# SPDX-License-Identifier: MIT
"""The image: the list of packages, and a tree without what depends on the day."""

from __future__ import annotations

import io
import tarfile
from pathlib import Path

import pytest

from lab.builders.image.image import FILES, curate, ensure_image, image_key, package_versions
from lab.builders.image.tree import PACKAGES, read_packages, settle
from lab.cache.store import Store
from lab.errors import BuildError
from tests.kept import KeptReport
from tests.own_cache import own_cache

DAY_S = 86_400
PACKAGED_S = 1_750_000_000
STATUS = """\
Package: curl
Status: install ok installed
Version: 8.14.1-2+deb13u7
Description: command line tool
 Package: not a field

Package: gone
Status: deinstall ok config-files
Version: 1

Package: bash
Status: install ok installed
Version: 5.2.37-2+b10
"""


def add(tar: tarfile.TarFile, name: str, text: str | None, mtime_s: int, mode: int = 0o644) -> None:
    """A file, or with no text a directory."""
    entry = tarfile.TarInfo(name)
    entry.mtime, entry.mode = mtime_s, mode
    if text is None:
        entry.type = tarfile.DIRTYPE
        tar.addfile(entry)
    else:
        entry.size = len(text.encode())
        tar.addfile(entry, io.BytesIO(text.encode()))


def raw_tree(path: Path, day: int) -> int:
    """A tree as mmdebstrap would leave it on that day; returns when its making began."""
    started_s = PACKAGED_S + day * DAY_S
    now_s = started_s + 5
    with tarfile.open(path, "w") as tar:
        for name in ("./", "./dev/", "./etc/", "./tmp/", "./usr/", "./var/", "./var/lib/dpkg/"):
            add(tar, name, None, now_s, 0o755)
        add(tar, "./usr/bin/curl", "program", PACKAGED_S, 0o4755)
        add(tar, "./usr/lib/python3/dist-packages/a.py", "", PACKAGED_S - DAY_S)
        add(tar, "./dev/null", "", now_s)
        add(tar, "./etc/passwd", "root:x:0:0:root:/root:/bin/bash\n", now_s)
        add(tar, "./etc/passwd-", "backup", now_s)
        add(tar, "./etc/shadow", f"root:*:{20_000 + day}:0:99999:7:::\nbin:*:{20_000 + day}:0:99999:7:::\n", now_s)
        add(tar, "./etc/machine-id", f"{day:032d}\n", now_s)
        add(tar, "./etc/hostname", "builder\n", now_s)
        if day % 2:  # systemd-tmpfiles found /proc
            add(tar, "./run/lock", None, now_s)
            add(tar, "./etc/mtab", "rw", now_s)
            add(tar, "./etc/credstore", None, now_s, 0o700)
        add(tar, "./etc/resolv.conf", f"nameserver 10.0.0.{day % 256}\n", now_s)
        add(tar, "./usr/share/doc/curl/README", "read me", PACKAGED_S)
        add(tar, "./var/cache/apt/archives/curl.deb", "package", now_s)
        add(tar, "./var/log/apt/history.log", f"on day {day}", now_s)
        add(tar, "./var/lib/dpkg/status", STATUS, now_s)
        add(tar, "./var/lib/dpkg/status-old", STATUS, now_s)
    return started_s


def curated(tmp_path: Path, day: int) -> Path:
    raw, tree, clean = (tmp_path / f"{name}-{day}.tar" for name in ("raw", "tree", "clean"))
    settle(raw, tree, raw_tree(raw, day))
    curate(tree, clean)
    return clean


def test_a_tree_keeps_what_dpkg_knows_and_no_times_of_the_day(tmp_path: Path) -> None:
    raw, tree = tmp_path / "raw.tar", tmp_path / "tree.tar"
    settle(raw, tree, raw_tree(raw, 1))
    with tarfile.open(tree) as tar:
        times = {member.name: member.mtime for member in tar}
    assert times["./usr/bin/curl"] == PACKAGED_S
    assert times["./var/lib/dpkg/status"] == times["./etc/passwd"] == 0
    assert not [name for name in times if name.startswith("./var/cache/apt/")]


def test_tree_does_not_depend_on_the_day(tmp_path: Path) -> None:
    assert curated(tmp_path, 1).read_bytes() == curated(tmp_path, 200).read_bytes()


def test_tree_keeps_what_packages_brought(tmp_path: Path) -> None:
    with tarfile.open(curated(tmp_path, 1)) as tar:
        curl = tar.getmember("./usr/bin/curl")
        assert (curl.mode, curl.mtime) == (0o4755, PACKAGED_S)
        assert tar.getmember("./usr/lib/python3/dist-packages/a.py").mtime == PACKAGED_S - DAY_S
        assert tar.getmember("./etc/passwd").mtime == PACKAGED_S  # made by a script: as old as the youngest packaged


def test_tree_has_mount_points_and_fixed_files_only_once(tmp_path: Path) -> None:
    with tarfile.open(curated(tmp_path, 1)) as tar:
        names = tar.getnames()
        for name in ("proc", "sys", "dev", "run", "tmp", "lab"):
            assert names.count(f"./{name}") == 1
        assert tar.getmember("./tmp").mode == 0o1777
        for name, text in FILES.items():
            assert names.count(f"./{name}") == 1
            content = tar.extractfile(f"./{name}")
            assert content is not None
            assert content.read().decode() == text


def test_tree_lacks_documents_devices_logs_and_backups(tmp_path: Path) -> None:
    with tarfile.open(curated(tmp_path, 1)) as tar:
        names = set(tar.getnames())
    assert not names & {
        "./dev/null",
        "./usr/share/doc/curl/README",
        "./var/log/apt/history.log",
        "./etc/passwd-",
        "./etc/resolv.conf",
        "./var/lib/dpkg/status-old",
    }


def test_versions_are_those_of_installed_packages() -> None:
    assert package_versions(STATUS) == {"bash": "5.2.37-2+b10", "curl": "8.14.1-2+deb13u7"}


def test_package_list(tmp_path: Path) -> None:
    path = tmp_path / "packages"
    path.write_text("# header\n\ncurl  # a client\niw\n")
    assert read_packages(path) == ["curl", "iw"]


def test_two_packages_in_a_line(tmp_path: Path) -> None:
    path = tmp_path / "packages"
    path.write_text("curl iw\n")
    with pytest.raises(BuildError, match=r'packages:1  "curl iw" is more than one package'):
        read_packages(path)


@pytest.mark.parametrize("name", ["--purge", "iw-", "Iw", "curl/trixie", "iw=", "curl:i386", "iw,curl", "i"])
def test_what_is_no_name_of_a_package_is_not_given_to_apt(tmp_path: Path, name: str) -> None:
    path = tmp_path / "packages"
    path.write_text(f"g++\nlibstdc++6\niw=5.19-1+b1\nmosquitto=1:2.0~rc1-1\n{name}\n")
    with pytest.raises(BuildError, match=rf'packages:5  "{name}" is not the name of a Debian package; write curl, or'):
        read_packages(path)


def test_order_and_comments_of_the_list_do_not_matter() -> None:
    assert image_key(["a", "b"]) == image_key(["b", "a"])
    assert image_key(["a"]) != image_key(["a", "b"])


def test_every_package_of_ours_says_why() -> None:
    lines = [line for line in PACKAGES.read_text().splitlines() if line and not line.startswith("#")]
    assert len(lines) == len(read_packages())
    assert all(line.partition("#")[2].strip() for line in lines)


@pytest.mark.usefixtures("cache")
def test_build_cut_off_half_way_starts_clean(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the network's end, a kill or a crash leaves, is gone before the next build begins."""
    store = Store("tree", "the tree of Debian packages")
    partial = store.directory / f".partial-{image_key(read_packages())}"
    (partial / "raw.tar").mkdir(parents=True)

    def fetch_tar(tar: Path, *rest: object) -> None:
        assert not list(tar.parent.iterdir())
        raise BuildError("far enough")

    monkeypatch.setattr("lab.builders.image.tree.fetch_tar", fetch_tar)
    reported = KeptReport()
    with pytest.raises(BuildError, match="far enough"):
        ensure_image(reported)
    assert "removing what an interrupted build of the tree of Debian packages left" in reported.steps
    assert not partial.exists()


def test_image_is_packed_and_described(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Everything but Debian's archive: the same tree gives the same image, found again without a build."""

    def fetch_tar(tar: Path, *rest: object) -> None:
        raw_tree(tar, 1)

    monkeypatch.setattr("lab.builders.image.tree.fetch_tar", fetch_tar)
    monkeypatch.setattr("lab.builders.image.tree.time.time", lambda: PACKAGED_S + DAY_S)
    with own_cache(tmp_path / "a"):
        first = ensure_image(KeptReport())
        assert ensure_image(KeptReport()) == first
        assert ensure_image(KeptReport(), refresh=True).sha256 == first.sha256
    assert first.packages == {"bash": "5.2.37-2+b10", "curl": "8.14.1-2+deb13u7"}
    assert first.path.read_bytes()[:4] == b"hsqs"
    with own_cache(tmp_path / "b"):
        assert ensure_image(KeptReport()).sha256 == first.sha256
