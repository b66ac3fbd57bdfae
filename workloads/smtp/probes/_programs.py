# SPDX-License-Identifier: MIT
"""The programs that probes of this stack bring into nodes. They are never imported here: they run in the guest."""

from __future__ import annotations

from pathlib import Path


def file(name: str) -> str:
    """Return the name of a program's file in a node."""
    return f"smtp-{name}.py"


def of(name: str) -> dict[str, str]:
    """Return the source of a program, by its file."""
    return {file(name): Path(__file__).with_name(f"_{name}_program.py").read_text(encoding="utf-8")}
