# SPDX-License-Identifier: MIT
"""Kernels and images in the cache whose bytes are no longer those that were built."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from lab.builders.image import image, node_image
from lab.builders.kernel import kernel
from lab.cache.store import Store, file_sha256


@dataclass(frozen=True)
class Checked:
    """An entry of the cache, and what is wrong with it."""

    store: Store
    key: str
    damage: str | None


def check_cache(root: Path | None = None) -> Iterator[Checked]:
    """Read every kernel and every image, and compare its hash with the one that it had."""
    kinds = (
        (kernel, "the kernel", kernel.PROGRAM),
        (image, "the image", image.FILE),
        (node_image, "a node image", node_image.FILE),
    )
    for module, what, file in kinds:
        store = Store(module.KIND, what, root=root)
        for entry in sorted(store.directory.glob("[!.]*")):
            yield Checked(store, entry.name, store.damage(entry.name) or _difference(entry, file, module.FACTS))


def _difference(entry: Path, file: str, facts: str) -> str | None:
    try:
        wanted = json.loads((entry / facts).read_text())["sha256"]
        same = file_sha256(entry / file) == wanted
    except (OSError, ValueError, KeyError, TypeError) as error:
        return f"{file} or {facts} cannot be read: {error}"
    return None if same else f"{file} does not have its hash"
