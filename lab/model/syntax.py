# SPDX-License-Identifier: MIT
"""Says what to write instead of what is not YAML: the parser's own words seldom help."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any

from lab.errors import InputError

_GLUED = re.compile(r"\s*(?:- )?([A-Za-z_]\w*)[:=](?!//)([^\s\]},].*)")
_CLOSE = {"[": "]", "{": "}"}
_NUMERIC = re.compile(r"[+-]?\d")
_Found = tuple[int, int, str] | None  # line, column, what to say


def error(text: str, label: str, failure: Any) -> InputError:
    """Return the message about a syntax error: file and line, what to write, and the line with a caret."""
    lines = [*text.splitlines(), ""]
    mark = failure.problem_mark or failure.context_mark
    if mark is None:
        return InputError(f"is not valid YAML: {failure.problem}", where=label)
    for known, explain in _KNOWN.items():
        if known in str(failure.problem):
            if isinstance(explain, str):
                return _at(lines, label, mark.line, mark.column, explain)
            if found := explain(lines, mark, failure.context_mark):
                return _at(lines, label, *found)
    said = " ".join(part for part in (failure.problem, failure.context) if part)
    return _at(lines, label, mark.line, mark.column, said)


def _at(lines: list[str], label: str, line: int, column: int, said: str) -> InputError:
    hint = f"{lines[line].rstrip()}\n  {' ' * column}^" if lines[line] else None
    return InputError(f"is not valid YAML: {said}", where=f"{label}:{line + 1}", hint=hint)


def _no_colon(lines: list[str], mark: Any, outer: Any) -> _Found:
    """Find a line with a word only, or ``key:value``; the parser complains in the line after it."""
    if (glued := _glued(lines, outer.line)) is not None:
        return glued
    word = lines[outer.line].split("#")[0].rstrip()
    return outer.line, len(word), f'":" is missing after "{word.strip()}"'


def _second_colon(lines: list[str], mark: Any, outer: Any) -> _Found:
    before = lines[mark.line][: mark.column].strip()
    for line in (mark.line - 1, mark.line):
        if line >= 0 and (glued := _glued(lines, line)) is not None:
            return glued
    if match := re.match(r"\s*(?:- )?(\w+)\s+\{", lines[mark.line]):
        return mark.line, match.end(1), f'":" is missing after "{match[1]}"'
    if match := re.match(r"(?:- )?(\w+): +([^{\[\"'].*)", before):
        value = lines[mark.line].strip().partition(": ")[2]
        return mark.line, mark.column, f'text with ": " needs quotes: {match[1]}: "{value}"'
    return None


def _glued(lines: list[str], line: int) -> _Found:
    match = _GLUED.fullmatch(lines[line].rstrip())
    if match is None:
        return None
    return line, match.end(1), f"write {match[1]}: {match[2]}, with a space after the colon"


def _unclosed(lines: list[str], mark: Any, outer: Any) -> _Found:
    if outer.line != mark.line:
        opened = lines[outer.line][outer.column : outer.column + 1]
        return (
            outer.line,
            outer.column,
            f"this {opened} is never closed; write {_CLOSE[opened]} after it",
        )
    line = lines[mark.line]
    if (place := line.rfind(";", outer.column, mark.column)) >= 0:
        return mark.line, place, "write a comma instead of the semicolon"
    opened, found = line[outer.column], line[mark.column : mark.column + 1]
    if found in ("]", "}"):
        return mark.line, outer.column, f"this {opened} is not closed; write {_CLOSE[opened]} before the {found}"
    before = re.split(r"[,:\[{]\s*", line[: mark.column])[-1]
    if found in _CLOSE and before.strip():
        text = before + line[mark.column :].partition(_CLOSE[found])[0] + _CLOSE[found]
        return mark.line, mark.column, f'text with {found} needs quotes: "{text}"'
    return None


def _unquoted(lines: list[str], mark: Any, outer: Any) -> _Found:
    rest = re.split(r"[,\]}]", lines[mark.line][mark.column :])[0].strip()
    if number := re.fullmatch(r"%\s*([\d.]+)", rest):
        return mark.line, mark.column, f"write {number[1]}%"
    return (mark.line, mark.column, f'text that begins with {rest[0]} needs quotes: "{rest}"') if rest else None


def _dash(lines: list[str], mark: Any, outer: Any) -> _Found:
    match = re.match(r"\s*-(?=[\w{\[])", lines[mark.line])
    return (mark.line, match.end(), "a space is missing after the -") if match else None


# by the parser's words: what to say at its mark, or what finds that
_KNOWN: dict[str, str | Callable[[list[str], Any, Any], _Found]] = {
    r"character '\t'": "this is a tab; write spaces",
    "could not find expected ':'": _no_colon,
    "mapping values are not allowed": _second_colon,
    "expected ',' or": _unclosed,
    "cannot start any token": _unquoted,
    "found '<block mapping start>'": "this line is indented differently from those that it belongs to; align it with "
    "them",
    "but found '-'": "a list entry among keys; write NAME: instead of the -",
    "expected <block end>, but found": _dash,
    "unexpected end of stream": lambda lines, mark, outer: (outer.line, outer.column, "this quote is never closed"),
    "found another document": "a file has one document; remove this line and what follows, or make it two files",
}


def lost_values(where: str, path: str, before: str | None, lost: Iterable[str]) -> InputError | None:
    """Explain what YAML makes of ``{kind:host}`` and of ``{delay: 0,5 ms}``: keys without a value.

    ``path``: the key before them, with those that lead to it; ``before``: the text of its value, if it is a single one;
    ``lost``: the keys without a value that follow.
    """
    keys = list(lost)
    if isinstance(before, str) and before.startswith("(") and keys[-1].endswith(")"):  # a tuple of Python
        before, keys[-1] = before[1:].strip(), keys[-1][:-1].strip()
    if (glued := _GLUED.fullmatch(keys[0])) is not None:
        said = f"write {glued[1]}: {glued[2]}, with a space after the colon"
    elif before is None or not all(map(_NUMERIC.match, keys)):
        return None
    elif len(keys) == 1 and re.search(r"(^|[\s+-])\d+$", before):
        said = f"{path}: YAML ends the value at the comma; write {before}.{keys[0]}, with a decimal point"
    elif not _NUMERIC.match(before):
        return None
    else:
        unit = " m" if path.rpartition(".")[2] in ("position", "to") else ""
        listed = ", ".join(re.sub(r"^[+-]?[\d.]+$", rf"\g<0>{unit}", word) for word in (before, *keys))
        said = f"{path}: a list needs brackets; write [{listed}]"
    return InputError(said, where=where)
