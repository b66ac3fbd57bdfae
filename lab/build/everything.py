# SPDX-License-Identifier: MIT
"""What the lab builds before its first run, as a whole: for those who keep the cache from one machine to the next."""

from __future__ import annotations

import json
from dataclasses import dataclass

from lab.build.cache import cache_root, content_key
from lab.build.image.image import image_key, read_packages
from lab.build.image.initrd import initrd_key
from lab.build.kernel.kernel import MAKE_VARIABLES, RECIPE
from lab.build.kernel.series import Series
from lab.build.toolchain import toolchain_versions


@dataclass(frozen=True)
class Cache:
    """The user's cache."""

    key: str  # another one: kernel, image or initrd have to be built again
    directory: str


def cache() -> Cache:
    """Describe the user's cache; nothing is built or fetched.

    The key does not contain the versions of Debian's packages, of which the cache keeps what it has.

    Raises:
        HostError: there is no compiler.
    """
    kernel = (Series().sha256(), toolchain_versions(), json.dumps(MAKE_VARIABLES), str(RECIPE))
    return Cache(content_key(*kernel, image_key(read_packages()), initrd_key()), str(cache_root()))
