# SPDX-License-Identifier: MIT
"""The code of the plan's stack: a squashfs on the host becomes /opt/<stack> in every node.

It is a file behind a loop device, like the image, instead of a directory of the host. So inode numbers, order and times
of files are the same on every host, and reading takes no virtual time.
"""

from __future__ import annotations

import fcntl
import os
import struct
from pathlib import Path

from lab.guest.errors import GuestError
from lab.guest.network.container import mount, share
from lab.guest.tasks import ENVIRONMENT
from lab.shared.paths import STACK, STACK_FILE

_OPTION = "lab.stack="
_MS_RDONLY = 1
_LOOP = Path("/dev/loop1")  # the image has loop0
# include/uapi/linux/loop.h: struct loop_config is fd, block size, struct loop_info64 (of which only lo_flags is set,
# behind 52 bytes), 64 bytes reserved
_LOOP_CONFIGURE = 0x4C0A
_LO_FLAGS_READ_ONLY = 1
_LOOP_CONFIG = struct.Struct("=II52xI176x64x")


def offer(name: str) -> None:
    """Mount the code in every node; processes started there find its programs, libraries and Python modules.

    Raises:
        GuestError: The host provides none, or it cannot be mounted.
    """
    words = Path("/proc/cmdline").read_text().split()
    packed = next((Path(word.removeprefix(_OPTION)) for word in words if word.startswith(_OPTION)), None)
    if packed is None:
        raise GuestError(f"no {_OPTION} on the kernel's command line, but the plan needs the code of {name}")
    for directory in (STACK_FILE, STACK):
        directory.mkdir()
    mount("none", STACK_FILE, "hostfs", str(packed.parent), _MS_RDONLY)
    _attach(STACK_FILE / packed.name)
    mount(str(_LOOP), STACK, "squashfs", "", _MS_RDONLY)
    prefix = f"/opt/{name}"
    share(STACK, prefix)
    ENVIRONMENT.update(
        PATH=f"{prefix}/bin:{ENVIRONMENT['PATH']}",
        LD_LIBRARY_PATH=f"{prefix}/lib",
        PYTHONPATH=f"{prefix}/lib/python3",
    )


def _attach(path: Path) -> None:
    file = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    loop = os.open(_LOOP, os.O_RDWR | os.O_CLOEXEC)
    fcntl.ioctl(loop, _LOOP_CONFIGURE, _LOOP_CONFIG.pack(file, 0, _LO_FLAGS_READ_ONLY))
    os.close(loop)
    os.close(file)
