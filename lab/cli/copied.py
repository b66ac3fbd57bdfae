# SPDX-License-Identifier: MIT
"""Notices a checkout that was copied with its environment, which would run the code of the original."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from lab.checkout import CHECKOUT, IS_CHECKOUT
from lab.errors import InputError


def refuse_copy(program: str) -> None:
    """Refuse to run if the environment of a checkout was made for another one.

    Programs in ``.venv/bin`` and its ``activate`` name the directory for which they were created.

    Raises:
        InputError: If this is such a copy, or the current directory is in one.
    """
    if not IS_CHECKOUT:
        return
    try:
        directory = Path.cwd()
    except FileNotFoundError:  # it was removed; what needs it will say so
        return
    for checkout in _checkouts([*(directory / program).parents, directory, *directory.parents]):
        try:
            original = Path((checkout / ".venv" / "stamp").read_text().splitlines()[0])
        except (OSError, IndexError, UnicodeError):
            continue
        if original.resolve() != checkout.resolve():
            raise InputError(
                f"{checkout / '.venv'} was copied from {original}, so this would run the code of {CHECKOUT}",
                hint=f"make an environment for the copy: make -C {checkout} lab",
            )


def _checkouts(folders: Iterable[Path]) -> Iterable[Path]:
    return (folder for folder in folders if (folder / "lab" / "checkout.py").is_file() and folder.resolve() != CHECKOUT)
