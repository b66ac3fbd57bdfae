# SPDX-License-Identifier: MIT
"""C programs that tests run on this machine. The lab's cache has them by their content, so each is compiled once."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Protocol

from lab.cache.report import SilentReport
from lab.cache.store import Store, content_key

PLAIN: tuple[str, ...] = ("-O0",)  # for programs with mistakes: without a sanitizer, they take a sixth of the time
SANITIZED: tuple[str, ...] = ("-O0", "-g1", "-fsanitize=address,undefined", "-fno-sanitize-recover=all")
_FLAGS = ("-std=c11", "-D_GNU_SOURCE", "-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Wconversion", "-Werror")
_STORE = Store("c-tests", "programs of tests in C")
_NEEDED_BYTES = 20_000_000


class Change(Protocol):
    """A mistake: in which file, what is right there, and what is wrong."""

    @property
    def file(self) -> str: ...

    @property
    def right(self) -> str: ...

    @property
    def wrong(self) -> str: ...


def program(
    sources: Sequence[Path],
    include: Sequence[Path],
    how: tuple[str, ...] = SANITIZED,
    link: Sequence[str] = (),
    change: Change | None = None,
) -> Path:
    """Return a program of some sources, of which one may have a mistake.

    Args:
        sources: Its files.
        include: Folders of headers.
        how: Options of the compiler and the linker.
        link: More options of the linker.
        change: The mistake.
    """
    texts = [_text(source, change) for source in sources]
    keys = [_key(source, text, include, how) for source, text in zip(sources, texts, strict=True)]
    key = content_key("program", _compiler(), *keys, *how, *link)
    if not _STORE.has(key):
        for of, source, text in zip(keys, sources, texts, strict=True):
            _compile(of, source, text, (*_FLAGS, *how, *(f"-I{folder}" for folder in include)))

    def make(directory: Path) -> None:
        objects = (str(_STORE.path(of) / "object") for of in keys)
        _run(["gcc", *how, "-o", str(directory / "program"), *objects, *link])

    return _STORE.build(key, make, SilentReport(), needed_bytes=_NEEDED_BYTES) / "program"


def _text(source: Path, change: Change | None) -> str:
    text = source.read_text()
    if change is None or source.name != change.file.rpartition("/")[2]:
        return text
    assert text.count(change.right) == 1
    return text.replace(change.right, change.wrong)


def _key(source: Path, text: str, include: Sequence[Path], how: tuple[str, ...]) -> str:
    """Return by what an object is known: nothing of where the files are."""
    headers = (_headers(folder) for folder in (source.parent, *include))
    return content_key("object", _compiler(), source.name, text, *headers, *_FLAGS, *how)


def _compile(key: str, source: Path, text: str, flags: tuple[str, ...]) -> None:
    def make(directory: Path) -> None:
        made = directory / source.name
        made.write_text(text)
        _run(["gcc", *flags, "-iquote", str(source.parent), "-c", "-o", str(directory / "object"), str(made)])

    _STORE.build(key, make, SilentReport(), needed_bytes=_NEEDED_BYTES)


@cache
def _headers(folder: Path) -> str:
    paths = sorted(folder.rglob("*.h"))
    return content_key(*(part for path in paths for part in (str(path.relative_to(folder)), path.read_bytes())))


@cache
def _compiler() -> str:
    return subprocess.run(["gcc", "--version"], capture_output=True, text=True, check=True).stdout


def _run(command: list[str]) -> None:
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
