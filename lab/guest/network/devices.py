# SPDX-License-Identifier: MIT
"""Squashfs files of the host that nodes see besides the base image: the code of the plan's stack, and node images.

The code of the stack becomes /opt/<stack> in every node. If the stack uses others, the squashfs has a directory for
each of them, and each becomes an /opt/<stack>. An image becomes a layer over the base, of the nodes that have it.

They are block devices, like the base image, instead of directories of the host. So inode numbers, order and times of
files are the same on every host, and reading takes no virtual time.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from lab.guest.errors import GuestError
from lab.guest.network.container import mount
from lab.shared.paths import IMAGES, STACK

_MS_RDONLY = 1
_STACK_DEVICE = 1  # the second hostrom= of the kernel's command line; the base image is the first


def offer_stack() -> None:
    """Mount the code of the stack where the containers of nodes find it.

    Raises:
        GuestError: If the host provides none, or it cannot be mounted.
    """
    _mount(_STACK_DEVICE, STACK, "the code of a stack")


def offer_images(names: Sequence[str], first_device: int) -> None:
    """Mount node images where the containers of nodes find them.

    ``names`` are in the order of their hostrom=; ``first_device``: the number of the first one.

    Raises:
        GuestError: If the host does not provide them, or they cannot be mounted.
    """
    IMAGES.mkdir()
    for number, name in enumerate(names, first_device):
        _mount(number, IMAGES / name, f"the image {name}")


def _mount(number: int, place: Path, what: str) -> None:
    device = Path(f"/dev/hostrom{number}")
    if not device.exists():
        raise GuestError(f"the plan needs {what}, but {device} does not exist")
    place.mkdir()
    mount(str(device), place, "squashfs", "", _MS_RDONLY)
