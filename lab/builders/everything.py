# SPDX-License-Identifier: MIT
"""What the lab builds before its first run, as a whole: for those who keep the cache from one machine to the next."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from lab.builders.image.image import Image, ensure_image, image_key
from lab.builders.image.initrd import initrd_key
from lab.builders.image.node_image import RECIPE as LAYER_RECIPE
from lab.builders.image.node_image import Folder, NodeImage, ensure_node_image
from lab.builders.image.tree import read_packages
from lab.builders.kernel.kernel import MAKE_VARIABLES, RECIPE
from lab.builders.kernel.series import PatchSeries
from lab.builders.toolchain import toolchain_versions
from lab.cache.report import Report
from lab.cache.store import cache_root, content_key
from lab.library import image_meant
from lab.library import images as known
from lab.model.image import image_file


@dataclass(frozen=True)
class Cache:
    """The user's cache."""

    key: str  # another one: kernel, image, initrd or a node image have to be built again
    directory: str


def cache(images: Iterable[Path] = ()) -> Cache:
    """Describe the user's cache; nothing is built or fetched.

    The key does not contain the versions of Debian's packages, of which the cache keeps what it has. Of folders of node
    images it has its own part at its end, so that without that, it is the key of a cache with the rest.

    Raises:
        BuildError: If a list of an image has a mistake.
        HostError: If there is no compiler.
        InputError: If an image has nothing to build.
    """
    kernel = (PatchSeries().sha256(), toolchain_versions(), json.dumps(MAKE_VARIABLES), str(RECIPE))
    key = content_key(*kernel, image_key(read_packages()), initrd_key())
    folders = [Folder(path) for path in images]
    for folder in folders:
        folder.check()
    if folders:
        key += "-" + content_key(*sorted({content_key(*folder.content(), str(LAYER_RECIPE)) for folder in folders}))
    return Cache(key, str(cache_root()))


def ensure_images(
    report: Report, names: Iterable[str] = (), *, refresh: bool = False
) -> tuple[Image, list[tuple[Path, NodeImage]]]:
    """Build the base and images of nodes unless they are cached; return the folder of each with its image.

    Args:
        report: gets the steps.
        names: which ones, or their folders; none: all.
        refresh: build those of nodes again, with newer packages.

    Raises:
        BuildError: If a list has a mistake, a package is not available, or a step failed.
        HostError: If a tool, space or permission is missing.
        InputError: If there is no such image, or it has nothing to build, or a mistake.
    """
    folders = [image_meant(name) for name in names] or list(known().values())
    for folder in folders:
        image_file(folder)  # reports its mistakes before anything is built
    base = ensure_image(report)
    return base, [(folder, ensure_node_image(report, folder, base, refresh=refresh)) for folder in folders]
