# SPDX-License-Identifier: MIT
"""Find the data files that Python files read, without running them: by the names that stand in the code.

A file counts if a string in the code ends with its name, as in ``Path(__file__).with_name("gains.csv")`` or
``folder / "gains.csv"``. Names that the code puts together (``f"{band}.csv"``) are not seen.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from pathlib import Path


def data_files(code: Iterable[bytes], folder: Path, but: Iterable[Path] = ()) -> dict[Path, bytes]:
    """Return the files below a folder that this code names, in alphabetical order, each with its content.

    Hidden folders are not searched; files in ``but`` do not count.
    """
    names = {name for content in code for name in _names(content)}
    left_out = set(but)
    found = (path for path in folder.rglob("*") if path.name in names and path not in left_out)
    return {path: path.read_bytes() for path in sorted(found) if path.is_file() and not _is_hidden(path, folder)}


def _is_hidden(path: Path, folder: Path) -> bool:
    return any(part.startswith(".") or part == "__pycache__" for part in path.relative_to(folder).parts[:-1])


def _names(content: bytes) -> set[str]:
    """Return what the strings of a file end with, as paths."""
    try:
        tree = ast.parse(content)
    except (SyntaxError, ValueError):  # running it reports the error
        return set()
    texts = (node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str))
    return {text.rpartition("/")[2] for text in texts} - {""}
