# SPDX-License-Identifier: MIT
"""What has been typed at prompts, kept from session to session as shells keep it."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

_MOST = 1000  # lines
_LONGEST = 4096  # characters
_MOST_BYTES = 1 << 20  # of the file, before older lines go


def _file() -> Path:
    state = os.environ.get("XDG_STATE_HOME") or Path("~/.local/state").expanduser()
    return Path(state, "hwsim-lab", "history")


def lines() -> list[str]:
    """Return the latest lines, the oldest first; none if they cannot be read."""
    with contextlib.suppress(OSError):
        return _file().read_text(encoding="utf-8", errors="replace").splitlines()[-_MOST:]
    return []


def add(line: str) -> None:
    """Add a line. Several sessions may do so; a history that cannot be written is none."""
    if not line.strip() or len(line) > _LONGEST or "\n" in line:
        return
    path = _file()
    with contextlib.suppress(OSError):
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        if path.exists() and path.stat().st_size > _MOST_BYTES:
            path.write_bytes(path.read_bytes()[-_MOST_BYTES // 2 :].partition(b"\n")[2])
        path.touch(mode=0o600)
        with path.open("a", encoding="utf-8") as file:
            file.write(f"{line}\n")
