# SPDX-License-Identifier: MIT
"""The lab's images as Docker images, in a Docker engine: the base imported, the others built upon it.

An image ``images/<name>`` with a Dockerfile becomes ``hwsim-lab/<name>``. The Dockerfile finds the files of the layer
in layer.tar; what the layer removes is listed in /run/lab/removed in there.
"""

from __future__ import annotations

import io
import os
import shutil
import subprocess
import tarfile
import tempfile
from collections.abc import Sequence
from pathlib import Path

from lab.builders.image.debian import SUITE
from lab.builders.image.image import Image
from lab.builders.image.layer import Member, entry_of, listed, removed, unpack
from lab.builders.image.node_image import NodeImage
from lab.builders.step import BuildLog
from lab.cache.report import Report
from lab.cache.store import Store, remove_tree

DOCKERFILE, LAYER, REMOVED = "Dockerfile", "layer.tar", "run/lab/removed"
BASE = f"hwsim-lab/base:{SUITE}"
_PATH = "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
_TIME_S = 1_750_000_000  # of all files


def engine_problem() -> str | None:
    """Return why there is no Docker engine to use; None if there is one."""
    if shutil.which("docker") is None:
        return "docker is not installed"
    done = subprocess.run(
        ["docker", "version", "--format", "{{.Server.Version}}"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    return None if done.returncode == 0 else done.stderr.strip().rpartition("\n")[2] or "no daemon answers"


def import_images(report: Report, base: Image, built: Sequence[tuple[Path, NodeImage]]) -> list[str]:
    """Import the base, and build the images that have a Dockerfile; return the names of all of them.

    ``built``: folders, and the layers made from them.

    Raises:
        BuildError: If a step failed.
    """
    store = Store("docker-import", "a Docker image")
    with tempfile.TemporaryDirectory(prefix="hwsim-lab-") as scratch, store.lock(report):
        directory = Path(scratch)
        log = BuildLog(store.log, directory)
        engine = {name: value for name, value in os.environ.items() if name.startswith("DOCKER_")}
        report.step(f"Docker: importing {BASE}")
        _write(base.path, directory / "base.tar", directory, log)
        with (directory / "base.tar").open("rb") as tar:
            changes = [f"--change=ENV {_PATH}", '--change=CMD ["bash"]']
            log.run("importing the base", ["docker", "import", *changes, "-", BASE], stdin=tar, env=engine)
        names = [BASE]
        for folder, image in built:
            if (folder / DOCKERFILE).is_file():
                names.append(f"hwsim-lab/{image.name}")
                report.step(f"Docker: building {names[-1]}")
                context = directory / image.name
                context.mkdir()
                _write(image.path, context / LAYER, directory, log)
                argv = ["docker", "build", "--tag", names[-1], "--file", str(folder / DOCKERFILE), str(context)]
                log.run(f"building {names[-1]}", argv, env=engine)
        return names


def _write(squashfs: Path, target: Path, directory: Path, log: BuildLog) -> None:
    """Write the files of a squashfs to a tar file, with their owners; an ordinary user cannot unpack these."""
    unpacked, text = unpack(squashfs, directory, log, "-no-exit-code")  # nobody but root can unpack whiteouts
    gone = "".join(f"/{name}\n" for name in removed(text))
    with tarfile.open(target, "w", format=tarfile.PAX_FORMAT) as tar:
        for name, member in sorted(listed(text, unpacked).items()):
            _add(tar, name, member, unpacked / name)
        if gone:
            entry = entry_of(REMOVED, tarfile.REGTYPE, 0o644, _TIME_S)
            entry.size = len(gone.encode())
            tar.addfile(entry, io.BytesIO(gone.encode()))
    remove_tree(unpacked)


def _add(tar: tarfile.TarFile, name: str, member: Member, path: Path) -> None:
    entry = entry_of(name, member.type, member.mode, _TIME_S)
    entry.uid, entry.gid = member.uid, member.gid
    if member.type == tarfile.SYMTYPE:
        entry.linkname = member.content
    if member.type != tarfile.REGTYPE:
        tar.addfile(entry)
        return
    entry.size = path.stat().st_size
    with path.open("rb") as content:
        tar.addfile(entry, content)
