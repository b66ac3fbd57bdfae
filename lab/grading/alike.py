# SPDX-License-Identifier: MIT
"""Submissions that are nearly equal, for a teacher to look at: it proves nothing.

Programs are compared by the runs of words that they share and that are not in the starter: names of variables count,
blanks and comments do not. Of answers, numbers with three digits or more count, since they differ between students
whose numbers differ; those of students with equal numbers do not. Settings are not compared: there are few right ones.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from lab.errors import InputError
from lab.expressions.values import ValueWithUnit
from lab.grading import submission as submissions
from lab.grading.exercise import STARTER, Exercise, Student
from lab.numbers import count

LEAST = 0.8  # of the words of the smaller one
_RUN, _FEWEST = 5, 20  # words that follow each other; such runs that a program must have
_WORD = re.compile(r"\w+|[^\w\s]")
_COMMENT = re.compile(r"#.*|//.*")
_DIGITS = 3

_Runs = frozenset[tuple[str, ...]]


@dataclass(frozen=True)
class Alike:
    """Two submissions, and what they share."""

    first: str
    second: str
    share: float
    what: str


@dataclass(frozen=True)
class _Read:
    name: str
    numbers: Mapping[str, str]
    programs: Mapping[str, _Runs]
    answers: Mapping[str, float]


def find(exercise: Exercise, folders: Sequence[Path], students: Sequence[Student]) -> list[Alike]:
    """Return the pairs of submissions that are nearly equal, the most alike first.

    Args:
        exercise: what they are for.
        folders: of the submissions; only read.
        students: whose they are.
    """
    given = {name: _runs(_content(exercise.folder / STARTER, name)) for name in _programs(exercise)}
    read = [_read(exercise, folder, student, given) for folder, student in zip(folders, students, strict=True)]
    found = [alike for one, other in itertools.combinations(read, 2) for alike in _compare(one, other)]
    return sorted(found, key=lambda alike: (-alike.share, alike.first, alike.second))


def _programs(exercise: Exercise) -> list[str]:
    return [name for name, handed_in in exercise.model.hand_in.items() if handed_in.program]


def _read(exercise: Exercise, folder: Path, student: Student, given: Mapping[str, _Runs]) -> _Read:
    programs = {name: _runs(_content(folder, name)) - given[name] for name in _programs(exercise)}
    try:
        answers = submissions.read(exercise, folder).answers
    except InputError:
        answers = {}
    numbers = {
        name: float(answer.value)
        for name, answer in answers.items()
        if isinstance(answer, ValueWithUnit) and _significant(float(answer.value)) >= _DIGITS
    }
    return _Read(folder.resolve().name, student.numbers(exercise), programs, numbers)


def _content(folder: Path, name: str) -> str:
    try:
        return submissions.content(folder / name, name).decode(errors="replace")
    except InputError:
        return ""


def _runs(text: str) -> _Runs:
    """Return the runs of words of a program."""
    words = _WORD.findall(_COMMENT.sub("", text))
    return frozenset(tuple(words[at : at + _RUN]) for at in range(len(words) - _RUN + 1))


def _significant(value: float) -> int:
    return len(f"{value:.9e}".partition("e")[0].replace(".", "").lstrip("-").rstrip("0"))


def _compare(one: _Read, other: _Read) -> list[Alike]:
    found = []
    for name, runs in one.programs.items():
        fewest = min(len(runs), len(other.programs[name]))
        share = len(runs & other.programs[name]) / fewest if fewest >= _FEWEST else 0
        if share >= LEAST:
            found.append(Alike(one.name, other.name, share, name))
    same = [name for name, value in one.answers.items() if other.answers.get(name) == value]
    if same and one.numbers != other.numbers:
        most = max(len(one.answers), len(other.answers))
        found.append(Alike(one.name, other.name, len(same) / most, f"{count(len(same), 'answer')}: {', '.join(same)}"))
    return found
