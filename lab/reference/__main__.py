# SPDX-License-Identifier: MIT
"""``python -m lab.reference`` writes docs/reference; with ``--check`` it only lists the files that are out of date.

The files include what stacks add. Without a stack that they name, a file may have more than what is here now.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

from lab.checkout import checkout
from lab.reference import api, keys, schema


def files() -> dict[str, str]:
    """Return the files of the folder, by name."""
    return {f"{file_type}.schema.json": schema.text(file_type) for file_type in schema.MODELS} | {
        "files.md": keys.text(),
        "api.md": api.text(),
    }


def out_of_date(folder: Path) -> dict[str, str]:
    """Return the files that have to be written, by name."""
    removed = bool(keys.removed(folder / "files.md"))
    return {name: text for name, text in files().items() if not _same(folder / name, text, removed)}


def main(arguments: list[str], folder: Path | None = None) -> int:
    """Return the exit status: 1 if ``--check`` found a file that is out of date."""
    check = "--check" in arguments
    folder = folder or checkout("python -m lab.reference") / "docs" / "reference"
    old = out_of_date(folder)
    for name, text in old.items():
        if not check:
            folder.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(text, encoding="utf-8")
        print(f"docs/reference/{name} is out of date; run: python -m lab.reference" if check else f"wrote {name}")
    return int(check and bool(old))


def _same(path: Path, text: str, removed: bool) -> bool:
    """Return whether a file has that text; if stacks were ``removed``, among what these had added."""
    written = path.read_text(encoding="utf-8") if path.is_file() else ""
    if not removed:
        return written == text
    there = _words(written)
    return all(word in there for word in _words(text))  # each after the one before: an iterator continues


def _words(text: str) -> Iterator[str]:
    return (found[0] for found in re.finditer(r"\w+", text))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
