# SPDX-License-Identifier: MIT
"""Programs of probes: files that every node sees."""

from __future__ import annotations

from collections.abc import Mapping

from lab.shared.paths import PROGRAMS


def share_programs(programs: Mapping[str, str]) -> None:
    """Write the programs, by file name, where every node mounts them."""
    PROGRAMS.mkdir()
    for name, text in sorted(programs.items()):
        (PROGRAMS / name).write_text(text)
