# SPDX-License-Identifier: MIT
"""UML's management console: ask a stalled guest for its current process.

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
_TASK = re.compile(r"Pid: (?P<pid>\d+), comm: (?P<name>\S+)")


def ask(scratch: Path, command: str, timeout_s: float = 2.0) -> str:
    """Return the answer to ``command``; empty if the guest does not answer."""
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


def running(scratch: Path) -> str | None:
    """Return name and guest pid of the process that stalls the guest; None if the guest does not answer.

    Uses "show registers", which names the current task. ("Show state" would list all tasks, but in an interrupt it
    faults in UML 6.12.) Its lines are of level 6, which the log level must let through first.
    """
    ask(scratch, "sysrq 7")
    found = _TASK.search(ask(scratch, "sysrq p"))
    return f"{found['name']} (pid {found['pid']} in the guest)" if found else None
