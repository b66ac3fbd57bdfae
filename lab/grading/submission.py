# SPDX-License-Identifier: MIT
"""Reads what a student hands in: only the files that the exercise names, whatever else is in the folder.

A submission is hostile: no link is followed, nothing but regular files is opened, and sizes are bounded.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from lab import left, units
from lab.errors import InputError, LabError, raise_all, unknown
from lab.expressions.values import ValueWithUnit
from lab.grading.exercise import Exercise
from lab.model.document import Document, parse
from lab.model.exercise import Answer, HandedIn

_MOST_YAML_BYTES, _MOST_BYTES = 64 << 10, 1 << 20
_LONGEST = 200  # characters of a word of an answer


@dataclass(frozen=True)
class Submission:
    """What was handed in.

    ``settings``: overrides of topology and workload, with FILE:LINE of each in ``locations``; ``answers``: by name,
    None for one that is missing or not valid; ``invalid``: why answers are not valid, by name; ``programs``: contents
    of files, by name.
    """

    settings: dict[str, str] = field(default_factory=dict)
    locations: dict[str, str] = field(default_factory=dict)
    answers: dict[str, ValueWithUnit | str | None] = field(default_factory=dict)
    invalid: dict[str, str] = field(default_factory=dict)
    programs: dict[str, bytes] = field(default_factory=dict)


def read(exercise: Exercise, folder: Path) -> Submission:
    """Read a submission. A mistake in an answer is in ``invalid``; the rest is run all the same.

    Raises:
        InputError, InputErrors: If settings or programs have mistakes: with file and line.
    """
    found, errors = Submission(), list[InputError]()
    for name, handed_in in exercise.model.hand_in.items():
        try:
            _take(found, name, handed_in, folder)
        except InputError as error:
            errors.append(error)
    raise_all(errors)
    return found


def _take(found: Submission, name: str, handed_in: HandedIn, folder: Path) -> None:
    """Add a file to what was found."""
    if handed_in.program:
        found.programs[name] = content(folder / name, name)
    elif handed_in.settings is not None:
        _take_settings(found, document(folder / name, name), handed_in.settings)
    else:
        assert handed_in.answers is not None  # validated
        _take_answers(found, folder / name, name, handed_in.answers)


def content(path: Path, name: str, most_bytes: int = _MOST_BYTES) -> bytes:
    """Read a file of a submission.

    Raises:
        InputError: If it is missing, too large or not a regular file; ``name`` is what the message calls it.
    """
    try:
        with left.opened(path) as file:
            found = file.read(most_bytes + 1)
    except FileNotFoundError:
        raise InputError(f"{name} is missing", hint="hand it in, even if it is as it was at the beginning") from None
    except LabError:
        raise InputError(f"{name} is not a regular file") from None
    if len(found) > most_bytes:
        raise InputError(f"{name} is too large; at most {most_bytes >> 10} KiB")
    return found


def document(path: Path, name: str) -> Document:
    """Read a file of YAML with a mapping; one with nothing but comments has an empty mapping.

    Raises:
        InputError: If it is anything else; ``name`` is what the message calls it.
    """
    try:
        text = content(path, name, _MOST_YAML_BYTES).decode("utf-8")
    except UnicodeDecodeError as error:
        raise InputError(f"is not UTF-8 text (byte {error.start})", where=name) from None
    if all(not line.strip() or line.lstrip().startswith("#") for line in text.splitlines()):
        return Document(path, name, {})
    found = parse(text, path, name)
    if not isinstance(found.data, dict):
        raise found.error((), "must be a mapping, such as KEY: VALUE, with a colon")
    return found


def _take_settings(found: Submission, written: Document, allowed: list[str]) -> None:
    errors = []
    others = f"is not a key that this exercise lets you change; these are: {', '.join(allowed)}"
    for key, value in written.data.items():
        if not any(fnmatchcase(str(key), pattern) for pattern in allowed):
            errors.append(written.error((key,), others))
        elif value is None:
            errors.append(
                written.error((key,), 'has no value; write one (the word null in quotes: "null"), or remove the line')
            )
        else:
            found.settings[str(key)] = _written(value)
            found.locations[str(key)] = written.where((key,))
    raise_all(errors)


def _written(value: Any) -> str:
    """Return a value as it is written after --set KEY=."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, dict | list):
        return json.dumps(value, default=str)
    return str(getattr(value, "written", value))


def _take_answers(found: Submission, path: Path, name: str, questions: Mapping[str, Answer]) -> None:
    found.answers.update(dict.fromkeys(questions))
    try:
        written = document(path, name)
    except InputError as error:
        found.invalid.update(dict.fromkeys(questions, str(error)))
        return
    strangers = [
        str(written.error((key,), unknown("answer", str(key), questions)))
        for key in written.data
        if key not in questions
    ]
    for key, question in questions.items():
        value = written.data.get(key)
        try:
            if value is not None:
                found.answers[key] = _answer(question, value)
            elif strangers:  # one of them may be meant
                found.invalid[key] = "\n".join(strangers)
        except ValueError as error:
            found.invalid[key] = str(written.error((key,), str(error)))


def _answer(question: Answer, value: Any) -> ValueWithUnit | str:
    """Return an answer; raise ValueError if it does not have the form that the question has."""
    text = _written(value)[:_LONGEST]
    if question.one_of is not None:
        words = {_folded(word): word for word in question.one_of}
        if _folded(text) not in words:
            raise ValueError(f'"{text}" is not one of {", ".join(question.one_of)}')
        return words[_folded(text)]
    dimension = units.dimension_of(question.unit) if question.unit else None
    if question.unit and dimension is not None:
        try:
            return ValueWithUnit(dimension.parse(text, question.unit) / dimension.factors[question.unit], question.unit)
        except units.UnitError as error:
            raise ValueError(str(error)) from None
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise ValueError(f'"{text}" is not a number')
    return ValueWithUnit(number)


def _folded(word: str) -> str:
    """Return a word without what does not matter: case, and how many blanks there are."""
    return " ".join(word.casefold().split())
