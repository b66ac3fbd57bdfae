# SPDX-License-Identifier: MIT
"""When a process is ready: a listening socket, a line in its output."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from lab.guest.tasks import Task

# state column of /proc/net/{tcp,udp,udplite}: proc(5), include/net/tcp_states.h
_LISTEN = {"tcp": "0A", "udp": "07", "udplite": "07"}


def listening(pid: int, socket: str) -> Callable[[], bool]:
    """Return a check whether ``socket`` ("tcp/80", "udp/5001") is bound in the network namespace of ``pid``."""
    protocol, _, port = socket.partition("/")
    wanted = f":{int(port):04X}"

    def bound(table: Path) -> bool:
        for line in table.read_text().splitlines()[1:]:
            fields = line.split()
            if fields[1].endswith(wanted) and fields[3] == _LISTEN[protocol]:
                return True
        return False

    tables = [Path(f"/proc/{pid}/net/{protocol}"), Path(f"/proc/{pid}/net/{protocol}6")]
    return lambda: any(bound(table) for table in tables)


def listens_on(node: str, pid: int) -> str:
    """Describe the ports that are bound in the network namespace of ``pid``: ``h1 listens on tcp/8080``, or nothing."""
    found = set()
    for protocol, state in _LISTEN.items():
        for table in (Path(f"/proc/{pid}/net/{protocol}"), Path(f"/proc/{pid}/net/{protocol}6")):
            for line in table.read_text().splitlines()[1:] if table.exists() else ():
                fields = line.split()
                if fields[3] == state:
                    found.add((protocol, int(fields[1].rpartition(":")[2], 16)))
    ports = ", ".join(f"{protocol}/{port}" for protocol, port in sorted(found))
    return f"{node} listens on {ports}" if ports else ""


def logged(task: Task, pattern: str) -> Callable[[], bool]:
    """Return a check whether the output of ``task`` has matched ``pattern``."""
    expression = re.compile(pattern, re.MULTILINE)
    error_log = task.out.with_suffix(".err")
    logs = [task.out, error_log]
    return lambda: any(expression.search(log.read_text(errors="replace")) for log in logs if log.exists())
