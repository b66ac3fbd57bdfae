# SPDX-License-Identifier: MIT
"""The code of the plan's stack: a squashfs on the host becomes /opt/<stack> in every node.

It is a block device, like the image, instead of a directory of the host. So inode numbers, order and times of files are
the same on every host, and reading takes no virtual time.
"""

from __future__ import annotations

from pathlib import Path

from lab.guest.errors import GuestError
from lab.guest.network.container import mount
from lab.guest.tasks import ENVIRONMENT
from lab.shared.paths import STACK

_MS_RDONLY = 1
_DEVICE = Path("/dev/hostrom1")  # the second hostrom= of the kernel's command line; the image is the first


def offer(name: str) -> None:
    """Mount the code in every node; processes started there find its programs, libraries and Python modules.

    Raises:
        GuestError: The host provides none, or it cannot be mounted.
    """
    if not _DEVICE.exists():
        raise GuestError(f"the plan needs the code of {name}, but {_DEVICE} does not exist")
    STACK.mkdir()
    mount(str(_DEVICE), STACK, "squashfs", "", _MS_RDONLY)
    prefix = f"/opt/{name}"
    ENVIRONMENT.update(
        PATH=f"{prefix}/bin:{ENVIRONMENT['PATH']}",
        LD_LIBRARY_PATH=f"{prefix}/lib",
        PYTHONPATH=f"{prefix}/lib/python3",
    )
