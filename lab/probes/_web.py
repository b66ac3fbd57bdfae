# SPDX-License-Identifier: MIT
"""What web-site and web-browse have in common: their programs, as files for the nodes, and what is known of a page."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar


@dataclass(frozen=True)
class Page:
    """One load of a page. Times are from the request."""

    label: ClassVar[str] = "loads of a page"

    failures: int  # objects
    bytes: int
    first_byte_ns: int
    screen_ns: int  # until what is on the first screen is complete
    total_ns: int
    scrolled_screen_ns: int | None = None  # the same, of the screen after a scroll


def file(name: str) -> str:
    """Return the name of a program's file in a node."""
    return f"web-{name}.py"


def programs(name: str) -> dict[str, str]:
    """Return the source of a program, by its file. It is never imported here: it runs with the guest's Python."""
    return {file(name): Path(__file__).with_name(f"_web_{name}_program.py").read_text(encoding="utf-8")}
