# SPDX-License-Identifier: MIT
"""What a Python file says to Python: a hash that comments, docstrings, line breaks and blanks do not change.

Code that reads docstrings or source makes them count, in every file that it may see: ``reads_text`` finds such code.

It is a hash of the syntax tree, whose shape differs between versions of Python: compare only hashes of one version.
"""

from __future__ import annotations

import ast
import hashlib
import re
import sys
from pathlib import Path

from lab.cache.memo import Memo
from lab.cache.store import cache_root

_DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
_READS_TEXT = re.compile(rb"__doc__|\b(getdoc|get_docstring|inspect|pydoc|doctest|linecache)\b")


def meaning(content: bytes) -> str:
    """Hash a file without its docstrings and comments. What is not valid Python counts byte by byte."""
    try:
        tree = ast.parse(content)
    except (SyntaxError, ValueError):
        return hashlib.sha256(content).hexdigest()
    for node in ast.walk(tree):
        if isinstance(node, _DOCUMENTED) and ast.get_docstring(node, clean=False) is not None:
            del node.body[0]
    return hashlib.sha256(ast.dump(tree).encode()).hexdigest()


def reads_text(content: bytes) -> bool:
    """Return whether a file seems to read docstrings or source, its own or those of other files."""
    return _READS_TEXT.search(content) is not None


def meanings(path: Path | None = None) -> Memo[str]:
    """Return ``meaning`` of files, remembered on disk, by default in the cache."""
    return Memo(path or cache_root() / f"meanings-{sys.implementation.cache_tag}.json", meaning, _digest)


def _digest(found: object) -> str:
    if not isinstance(found, str):
        raise TypeError
    return found
