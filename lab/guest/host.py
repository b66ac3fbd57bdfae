# SPDX-License-Identifier: MIT
"""Lines of JSON to the program that drives the lab, and back, over /proc/hostask.

While the agent waits for the next line, the whole guest stands still, and with it virtual time.
"""

from __future__ import annotations

import json
import os
from typing import Any

_FILE = "/proc/hostask"
_BLOCK_BYTES = 4096


def opened() -> int:
    """Open the file; only one program at a time can do so."""
    return os.open(_FILE, os.O_RDWR)


class Host:
    """The program at the other end. ``descriptor`` is that of the open file."""

    def __init__(self, descriptor: int) -> None:
        self.file = descriptor
        self._read = b""

    def send(self, answer: dict[str, Any]) -> None:
        """Send a line."""
        data = json.dumps(answer).encode() + b"\n"
        while data:
            data = data[os.write(self.file, data) :]

    def ask(self) -> dict[str, Any] | None:
        """Return the next line; None if no more lines come."""
        while b"\n" not in self._read:
            data = os.read(self.file, _BLOCK_BYTES)
            if not data:
                return None
            self._read += data
        line, _, self._read = self._read.partition(b"\n")
        found: dict[str, Any] = json.loads(line)
        return found
