# SPDX-License-Identifier: MIT
"""Parse a Markdown document: commands with their output, and the files that the commands read.

A fenced block without a language shows commands on lines that begin with ``$``, and the output below each. HTML
comments above a block, which readers of the page do not see, add what the block does not show::

    <!-- printed by: lab run one-ap ping/ping -->            the block is the output of this command
    <!-- draws: images/ladder.svg -->                        the last command writes ladder.svg, which is this picture
    <!-- file: cafe.yaml -->                                 the block is this file
    <!-- file: cafe.yaml, more -->                           the block goes to the end of this file
    <!-- file: broken.yaml from cafe.yaml; host -> hots -->  no block: a copy of a shown file with other words
    <!-- file: lab/x.lua from the checkout -->               no block: a copy of that file
    <!-- files: marked from the checkout's grading/x -->     no block: copies of all files in that folder

Files are written and commands run in the order of the document.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

_CHECKOUT = Path(__file__).resolve().parents[2]
_OF_CHECKOUT = "the checkout"
_FOLDER_OF_CHECKOUT = "the checkout's "
_FENCE = re.compile(r"```(?P<language>\w*)\s*$")
_NOTE = re.compile(r"<!-- (?P<kind>files?|printed by|draws): (?P<what>.*?) -->\s*$")
_HEADING = re.compile(r"#+ ")
_PROMPT = "$ "


class DocumentError(Exception):
    """An invalid comment. The text names the line."""


@dataclass
class Command:
    """A command and the lines shown below it; ``line`` is the number of the first of these lines, from 1.

    ``draws``: a picture that it writes, by its path from the document, and `` from `` its path where the command ran
    if it has another name or folder there; empty: none.
    """

    argv: list[str]
    line: int
    shown: list[str] = field(default_factory=list)
    draws: str = ""


@dataclass(frozen=True)
class File:
    """A file that later commands read."""

    name: str
    text: str


@dataclass(frozen=True)
class _Fence:
    first: int  # number of the first line inside, from 1
    language: str
    lines: list[str]
    note: tuple[str, str] | None  # kind and content of the comment above


@dataclass(frozen=True)
class _Note:
    line: int  # from 1
    kind: str
    what: str


def parse(text: str) -> list[Command | File]:
    """Return the commands and files in the order of the document.

    Raises:
        DocumentError: a comment names a file that neither document nor checkout has, or words that are not in it.
    """
    lines = text.splitlines()
    shown = _shown_files(lines)
    found: list[Command | File] = []
    now: dict[str, str] = {}
    for part in _parts(lines):
        if isinstance(part, _Fence):
            if part.note and part.note[0] == "file":
                name, more = _name(part.note[1])
                now[name] = (now.get(name, "") if more else "") + _text(part)
                found.append(File(name, now[name]))
            elif not part.language:
                found += _commands(part)
        elif part.kind == "files":
            found += _copied(part.line, part.what)
        else:
            file = _altered(part.line, part.what, {**shown, **now})
            now[file.name] = file.text
            found.append(file)
    return found


def prose(text: str, line: int) -> dict[int, str]:
    """Return the section that contains ``line`` as lines by number, without blocks and comments."""
    lines = text.splitlines()
    heads = [n for n, _ in _outside(lines) if _HEADING.match(lines[n - 1])]
    begin = max((n for n in heads if n <= line), default=1)
    end = min((n for n in heads if n > line), default=len(lines) + 1)
    return {n: words for n, words in _outside(lines) if begin <= n < end and not words.startswith("<!--")}


def _parts(lines: list[str]) -> Iterator[_Fence | _Note]:
    """Yield blocks, and each comment that creates files from others."""
    note: tuple[str, str] | None = None
    inside: _Fence | None = None
    for number, line in enumerate(lines, 1):
        if inside:
            if line.rstrip() == "```":
                yield inside
                inside = note = None
            else:
                inside.lines.append(line)
        elif fence := _FENCE.match(line):
            inside = _Fence(number + 1, fence["language"], [], note)
        elif comment := _NOTE.match(line):
            if _makes(comment):
                yield _Note(number, comment["kind"], comment["what"])
            else:
                note = comment["kind"], comment["what"]
        elif line.strip():
            note = None


def _makes(comment: re.Match[str]) -> bool:
    return comment["kind"] in ("file", "files") and " from " in comment["what"]


def _outside(lines: list[str]) -> Iterator[tuple[int, str]]:
    fenced = False
    for number, line in enumerate(lines, 1):
        if line.startswith("```"):
            fenced = not fenced
        elif not fenced:
            yield number, line


def _shown_files(lines: list[str]) -> dict[str, str]:
    """Return the first text of each file in the document: a comment may change a file that is shown only later."""
    files: dict[str, str] = {}
    for part in _parts(lines):
        if isinstance(part, _Fence) and part.note and part.note[0] == "file":
            name, more = _name(part.note[1])
            if not more:
                files.setdefault(name, _text(part))
    return files


def _name(what: str) -> tuple[str, bool]:
    name = what.removesuffix(", more")
    return name, name != what


def _text(fence: _Fence) -> str:
    return "".join(f"{line}\n" for line in fence.lines)


def _altered(line: int, what: str, files: dict[str, str]) -> File:
    head, *changes = what.split("; ")
    name, _, source = head.partition(" from ")
    if source == _OF_CHECKOUT and (_CHECKOUT / name).is_file():
        files = {source: (_CHECKOUT / name).read_text()}
    elif source == _OF_CHECKOUT:
        raise DocumentError(f"{line}: the checkout has no file {name}; write its path from the top of the checkout")
    if source not in files:
        raise DocumentError(f"{line}: no block shows the file {source}; write <!-- file: {source} --> above it")
    text = files[source]
    for change in changes:
        old, arrow, new = change.partition(" -> ")
        if not arrow or old not in text:
            raise DocumentError(f'{line}: "{change}" does not change {source}; write "its words -> other words"')
        text = text.replace(old, new, 1)
    return File(name, text)


def _copied(line: int, what: str) -> list[File]:
    name, _, source = what.partition(" from ")
    folder = _CHECKOUT / source.removeprefix(_FOLDER_OF_CHECKOUT)
    if not source.startswith(_FOLDER_OF_CHECKOUT) or not folder.is_dir():
        raise DocumentError(f'{line}: "{source}" is not a folder; write {_FOLDER_OF_CHECKOUT}path/of/folder')
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return [File(f"{name}/{path.relative_to(folder)}", path.read_text()) for path in files]


def _commands(fence: _Fence) -> list[Command]:
    found: list[Command] = []
    kind, what = fence.note or ("", "")
    if kind == "printed by":
        found.append(Command(shlex.split(what), fence.first))
    words = ""
    for number, line in enumerate(fence.lines, fence.first):
        if words or line.startswith(_PROMPT):
            words += line.removeprefix(_PROMPT) if not words else line.lstrip()
            if words.endswith("\\"):
                words = words[:-1]
                continue
            found.append(Command(shlex.split(words), number + 1))
            words = ""
        elif found:
            found[-1].shown.append(line)
    if kind == "draws" and found:
        found[-1].draws = what
    return found
