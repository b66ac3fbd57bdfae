# SPDX-License-Identifier: MIT
"""The code of the plan's stack: a squashfs on the host becomes /opt/<stack> in every node.

If the stack uses others, the squashfs has a directory for each of them, and each becomes an /opt/<stack>.

It is a block device, like the image, instead of a directory of the host. So inode numbers, order and times of files are
the same on every host, and reading takes no virtual time.
"""

from __future__ import annotations

from pathlib import Path

from lab.guest.errors import GuestError
from lab.guest.network.container import mount
from lab.shared.paths import STACK

_MS_RDONLY = 1
_DEVICE = Path("/dev/hostrom1")  # the second hostrom= of the kernel's command line; the image is the first


def offer() -> None:
    """Mount the code where the containers of nodes find it.

    Raises:
        GuestError: The host provides none, or it cannot be mounted.
    """
    if not _DEVICE.exists():
        raise GuestError(f"the plan needs the code of a stack, but {_DEVICE} does not exist")
    STACK.mkdir()
    mount(str(_DEVICE), STACK, "squashfs", "", _MS_RDONLY)
