# SPDX-License-Identifier: MIT
"""Ports on which programs listen, as users write them: ``tcp/80``."""

from __future__ import annotations

import re

_PORT = re.compile(r"(tcp|udp|udplite)/(?P<number>\d{1,5})\Z")


def port_mistake(port: object) -> str | None:
    """What is wrong with it, and what to write instead; None if nothing is."""
    match = _PORT.match(port) if isinstance(port, str) else None
    if match and 1 <= int(match["number"]) <= 65535:
        return None
    digits = re.search(r"\d+", str(port))
    write = f"tcp/{digits[0]}, or udp/{digits[0]}" if digits else "tcp/80, udp/5001 or udplite/5001"
    return f'"{port}" is not a valid port; write {write}'
