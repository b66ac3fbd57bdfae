# SPDX-License-Identifier: MIT
"""The lab's images for a Docker engine, of which a program called docker writes down what it is asked."""

from __future__ import annotations

import subprocess
import tarfile
from pathlib import Path

import pytest

from lab.builders.image import engine
from lab.builders.image.image import Image
from lab.builders.image.node_image import NodeImage
from tests.docker_images import file, folder, layer, link
from tests.kept import KeptReport

DOCKER = """#!/bin/sh
echo "$*" >>{log}
case $1 in
import) cat >{kept}/base.tar ;;
build) for context; do :; done; cp "$context"/layer.tar {kept}/ ;;
version) test ! -e {kept}/broken || {{ echo no daemon >&2; exit 1; }} ;;
esac
"""


@pytest.fixture
def asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file with what docker is asked."""
    program, log = tmp_path / "bin" / "docker", tmp_path / "asked"
    program.parent.mkdir()
    program.write_text(DOCKER.format(log=log, kept=tmp_path))
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(program.parent), prepend=":")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return log


def squashfs(path: Path, content: bytes) -> Path:
    subprocess.run(["sqfstar", "-quiet", "-no-progress", str(path)], input=content, check=True)
    return path


def members(path: Path) -> dict[str, tuple[int, int, bytes]]:
    with tarfile.open(path) as tar:
        return {member.name: (member.mode, member.uid, member.type) for member in tar}


def test_base_and_layer(asked: Path, tmp_path: Path) -> None:
    low = layer(folder("bin"), file("bin/su", b"x", 0o4755, uid=7), link("sh", "bin/su"))
    base = Image(squashfs(tmp_path / "base.squashfs", low), "", {}, "")
    gone = file("bin/gone", type=tarfile.CHRTYPE, mode=0)
    added = NodeImage("more", squashfs(tmp_path / "layer.squashfs", layer(file("new"), gone)), "", {}, "")
    with_file, without = tmp_path / "more", tmp_path / "plain"
    for directory in (with_file, without):
        directory.mkdir()
    (with_file / "Dockerfile").write_text("FROM hwsim-lab/base:trixie\n")
    names = engine.import_images(KeptReport(), base, [(with_file, added), (without, added)])
    assert names == ["hwsim-lab/base:trixie", "hwsim-lab/more"]
    imported, built = asked.read_text().splitlines()
    assert imported.endswith("- hwsim-lab/base:trixie")
    assert built.startswith(f"build --tag hwsim-lab/more --file {with_file}/Dockerfile ")
    assert members(tmp_path / "base.tar") == {
        "bin": (0o755, 0, tarfile.DIRTYPE),
        "bin/su": (0o4755, 7, tarfile.REGTYPE),
        "sh": (0o777, 0, tarfile.SYMTYPE),
    }
    assert list(members(tmp_path / "layer.tar")) == ["bin", "new", "run/lab/removed"]
    with tarfile.open(tmp_path / "layer.tar") as tar:
        listed = tar.extractfile("run/lab/removed")
        assert listed is not None and listed.read() == b"/bin/gone\n"


def test_where_there_is_no_engine(asked: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert engine.engine_problem() is None
    (tmp_path / "broken").touch()
    assert engine.engine_problem() == "no daemon"
    monkeypatch.setenv("PATH", "")
    assert engine.engine_problem() == "docker is not installed"
