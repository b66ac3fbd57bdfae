# SPDX-License-Identifier: MIT
"""The first process of a guest that has this machine's files as its root (in_guest.py): runs a command, powers off.

init: python guest_init.py CALL, a JSON file with argv, environment and directory. Only the standard library.
"""

from __future__ import annotations

import ctypes
import fcntl
import json
import os
import socket
import struct
import subprocess
import sys
from pathlib import Path

SIOCSIFFLAGS, IFF_UP = 0x8914, 1
RB_POWER_OFF = 0x4321FEDC

libc = ctypes.CDLL(None, use_errno=True)


def mount(kind: str, at: str) -> None:
    """Mount a file system that needs no device."""
    if libc.mount(kind.encode(), at.encode(), kind.encode(), 0, None):
        raise OSError(ctypes.get_errno(), f"mount {kind} at {at}")


def main() -> None:
    """It never returns: a kernel panics when its first process ends."""
    try:
        call = json.loads(Path(sys.argv[1]).read_bytes())
        for kind, at in (("proc", "/proc"), ("devtmpfs", "/dev"), ("tmpfs", call["scratch"])):
            mount(kind, at)
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
            fcntl.ioctl(any_socket, SIOCSIFFLAGS, struct.pack("16sH22x", b"lo", IFF_UP))
        subprocess.run(call["argv"], env=call["environment"], cwd=call["directory"], stdin=subprocess.DEVNULL)
    finally:
        sys.stdout.flush()
        os.sync()
        libc.reboot(RB_POWER_OFF)


main()
