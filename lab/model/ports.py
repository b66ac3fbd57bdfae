# SPDX-License-Identifier: MIT
"""Ports on which programs listen, as users write them: ``tcp/80``."""

from __future__ import annotations

import re

_PORT = re.compile(r"(tcp|udp|udplite)/(?P<number>\d{1,5})\Z")
_EXAMPLES = "tcp/80, udp/5001 or udplite/5001"


def port_mistake(port: object) -> str | None:
    """Explain what is wrong with a port, and what to write instead; None if nothing is."""
    match = _PORT.match(port) if isinstance(port, str) else None
    if match and 1 <= int(match["number"]) <= 65535:
        return None
    bare = str(port).isdecimal()
    write = f"tcp/{port}, or udp/{port}" if bare and 1 <= int(str(port)) <= 65535 else _EXAMPLES
    return f'"{port}" is not a valid port; write {write}'
