# SPDX-License-Identifier: MIT
"""Standard input of a script without a terminal: the host's, a line at a time."""

from __future__ import annotations

import io
from collections.abc import Callable


class HostInput(io.TextIOBase):
    """What ``input()`` and ``CLI(net)`` read. ``ask`` returns the next line; None at the end."""

    def __init__(self, ask: Callable[[], str | None]) -> None:
        super().__init__()
        self._next = ask
        self._at_end = False

    def readable(self) -> bool:
        """Return True: it is for reading only."""
        return True

    def readline(self, _size: int | None = -1) -> str:  # type: ignore[override]
        """Return the next line, always whole; empty at the end."""
        line = None if self._at_end else self._next()
        self._at_end = line is None
        return "" if line is None else f"{line}\n"

    def read(self, _size: int | None = -1) -> str:
        """Return all lines that are left."""
        return "".join(self)
