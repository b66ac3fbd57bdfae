# SPDX-License-Identifier: MIT
"""UML's management console: asks a guest that does nothing who is running.

Protocol of arch/um/drivers/mconsole.h, version 2: a datagram with magic, version, length and command; answers
with error, more, length and text.
"""

from __future__ import annotations

import contextlib
import re
import socket
import struct
from pathlib import Path

_MAGIC = 0xCAFEBABE
_VERSION = 2
_REQUEST = struct.Struct("=III512s")
_REPLY_HEAD = struct.Struct("=III")
_TASK = re.compile(r"task:(?P<name>\S+)\s+state:R\b.*?\bpid:(?P<pid>\d+)")


def ask(scratch: Path, command: str, timeout_s: float = 2.0) -> str:
    """The answer to ``command``; empty when the guest does not answer."""
    text = b""
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as client:
        client.settimeout(timeout_s)
        client.bind(str(scratch / "ask"))
        with contextlib.suppress(OSError):
            client.sendto(
                _REQUEST.pack(_MAGIC, _VERSION, len(command), command.encode()), str(scratch / "guest" / "mconsole")
            )
            more = 1
            while more:
                reply = client.recv(65536)
                _, more, length = _REPLY_HEAD.unpack_from(reply)
                text += reply[_REPLY_HEAD.size : _REPLY_HEAD.size + length]
    (scratch / "ask").unlink(missing_ok=True)
    return text.decode(errors="replace")


def running(answer: str) -> str | None:
    """Name and guest pid of the running task in the answer to "sysrq t"; None if it shows none."""
    for found in _TASK.finditer(answer):
        if found["name"] not in ("swapper", "kthreadd"):
            return f"{found['name']} (pid {found['pid']} in the guest)"
    return None
