# SPDX-License-Identifier: MIT
"""Programs of probes: files that every node sees."""

from __future__ import annotations

from collections.abc import Mapping

from lab.guest.network.container import share
from lab.shared.paths import PROGRAMS, PROGRAMS_IN_NODE


def share_programs(programs: Mapping[str, str]) -> None:
    """Mount the programs, by file name, read-only, in every node that is created from now on."""
    PROGRAMS.mkdir()
    for name, text in sorted(programs.items()):
        (PROGRAMS / name).write_text(text)
    share(PROGRAMS, PROGRAMS_IN_NODE)
