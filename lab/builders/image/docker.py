# SPDX-License-Identifier: MIT
"""Docker images: what skopeo reads of them, and their files as one squashfs.

The squashfs depends on the layers alone, whatever the image is called and wherever it is: the same layers give the same
name and the same bytes. Nobody needs privileges, since layers are merged as tar files (lab.builders.image.merge).
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from lab.builders.image.image import SQFSTAR, pack
from lab.builders.image.merge import MOST_BYTES, BrokenLayerError, merge
from lab.builders.image.node_image import FACTS, FILE, SHELF, NodeImage, load
from lab.builders.step import BuildLog
from lab.cache.report import Report
from lab.cache.store import Store, content_key, file_sha256, remove_tree
from lab.docker.reference import Reference
from lab.docker.skopeo import copying, explained, layers_name, require
from lab.errors import BuildError

RECIPE = 1  # increment when the code here or in lab.builders.image.merge changes the result
_NEEDED_BYTES = 4_000_000_000
_STALLED_S = 60.0  # without a further byte from a file: it is a pipe or a device


def ensure_docker_image(report: Report, reference: Reference, name: str, where: str) -> NodeImage:
    """Return the files of a Docker image, packed unless they are cached.

    ``name``: of its files (``layers_name``); ``where``: the place of the node that has it, for errors.

    Raises:
        BuildError: If a layer is broken, or the image is not the same any more.
        HostError: If a tool, space or permission is missing.
    """
    store = Store(SHELF, "a node image")
    key = content_key(name, *SQFSTAR, str(RECIPE))
    try:
        entry = store.build(
            key, lambda partial: _make(partial, reference, name, store, report), report, needed_bytes=_NEEDED_BYTES
        )
    except BuildError as error:
        raise BuildError(error.message, where=where, hint=error.hint) from None
    return replace(load(name, entry), reference=str(reference))


def _make(directory: Path, reference: Reference, name: str, store: Store, report: Report) -> None:
    require()
    log = BuildLog(store.log, directory)
    copy, merged, image = directory / "copy", directory / "merged.tar", directory / FILE
    report.step(f"image {reference}: copying its layers")
    argv = copying(reference.below(Path.cwd()), copy, directory)
    try:
        log.run(f"copying the layers of {reference}", argv, on_tick=_bounded(reference, directory))
    except _TooLargeError:
        raise
    except BuildError:
        error = explained(reference, log.path.read_text(errors="replace"))
        raise BuildError(error.message, hint=error.hint or f"the whole log: {log.path}") from None
    layers = _layers(copy, reference, name)
    report.step(f"image {reference}: packing {len(layers)} layers")
    try:
        found = merge(layers, merged)
    except BrokenLayerError as error:
        raise BuildError(f"{reference} is broken: {error}") from None
    if found.left_out:
        shown = ", ".join(found.left_out[:4]) + (", …" if len(found.left_out) > 4 else "")
        report.step(f"image {reference}: device files are left out, since nodes have a /dev of their own: {shown}")
    remove_tree(copy)
    pack(merged, image, found.newest_s, log, "-root-mode", "755")
    facts = {"sha256": file_sha256(image), "packages": {}}
    (directory / FACTS).write_text(json.dumps(facts, indent=2, sort_keys=True) + "\n")


class _TooLargeError(BuildError):
    """Copying an image has no end, or takes more space than an image should."""


def _bounded(reference: Reference, directory: Path) -> Callable[[], None]:
    """Return what ends copying an image once it takes too much space, or nothing arrives from a file."""
    size_bytes, since_s = 0, time.monotonic()

    def check() -> None:
        nonlocal size_bytes, since_s
        before, size_bytes = size_bytes, sum(path.lstat().st_blocks * 512 for path in directory.rglob("*"))
        if size_bytes > MOST_BYTES:
            raise _TooLargeError(f"{reference} has more than {MOST_BYTES / 1e9:g} GB when unpacked")
        if size_bytes != before:
            since_s = time.monotonic()
        if reference.path is not None and time.monotonic() - since_s > _STALLED_S:
            raise _TooLargeError(f"{reference} cannot be read: nothing has arrived for {_STALLED_S:g} s")

    return check


def _layers(copy: Path, reference: Reference, name: str) -> list[Path]:
    """Return the layers that skopeo has copied, the lowest one first; they must be those of the configuration."""
    manifest = json.loads((copy / "manifest.json").read_text())
    config = json.loads((copy / manifest["config"]["digest"].rpartition(":")[2]).read_text())
    if layers_name(config) != name:
        raise BuildError(f"{reference} has changed since the plan was made", hint="run the command again")
    digests = [layer["digest"] for layer in manifest["layers"]]
    for number, (has, wanted) in enumerate(zip(digests, config["rootfs"]["diff_ids"], strict=False), 1):
        if has != wanted:
            raise BuildError(f"{reference} is broken: layer {number} has not the content that its configuration names")
    if len(digests) != len(config["rootfs"]["diff_ids"]):
        raise BuildError(f"{reference} is broken: its manifest has {len(digests)} layers, its configuration others")
    return [copy / digest.rpartition(":")[2] for digest in digests]
