# SPDX-License-Identifier: MIT
"""Programs that probes bring: files that every node sees."""

from __future__ import annotations

from collections.abc import Mapping

from lab.guest.network.container import share
from lab.shared.paths import PROGRAMS, PROGRAMS_IN_NODE


def share_programs(programs: Mapping[str, str]) -> None:
    """Have every node that is made from now on see the programs, by file name, read-only."""
    PROGRAMS.mkdir()
    for name, text in sorted(programs.items()):
        (PROGRAMS / name).write_text(text)
    share(PROGRAMS, PROGRAMS_IN_NODE)
