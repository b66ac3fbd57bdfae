# SPDX-License-Identifier: MIT
"""Lines of JSON to the program that drives the lab, and back, over /dev/hostask.

While the agent waits for the next line, the whole guest stands still, and with it virtual time.
"""

from __future__ import annotations

import json
import os
from typing import Any

DEVICE = "/dev/hostask"
_BLOCK_BYTES = 4096


class Host:
    """The host's end of the device."""

    def __init__(self, descriptor: int | None = None) -> None:
        """``descriptor``: of the device; None: open it."""
        self._device = os.open(DEVICE, os.O_RDWR) if descriptor is None else descriptor
        self._read = b""

    def tell(self, answer: dict[str, Any]) -> None:
        """Send a line."""
        data = json.dumps(answer).encode() + b"\n"
        while data:
            data = data[os.write(self._device, data) :]

    def ask(self) -> dict[str, Any] | None:
        """The next line; None if no more lines come."""
        while b"\n" not in self._read:
            data = os.read(self._device, _BLOCK_BYTES)
            if not data:
                return None
            self._read += data
        line, _, self._read = self._read.partition(b"\n")
        found: dict[str, Any] = json.loads(line)
        return found
