# SPDX-License-Identifier: MIT
"""docs/phenomena-to-explore.md asks about what docs/phenomena.md answers, in the same order, with the same commands."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path

DOCS = Path(__file__).parents[2] / "docs"
ANSWERS = (DOCS / "phenomena.md").read_text()
QUESTIONS = (DOCS / "phenomena-to-explore.md").read_text()


def sections(text: str) -> list[str]:
    return re.split(r"^## ", text, flags=re.MULTILINE)[1:]


def commands(section: str) -> list[str]:
    return re.findall(r"^(?:\$ )?((?:lab run|tshark) .*)$", section, re.MULTILINE)


def test_each_phenomenon_has_its_questions_and_commands_that_its_answer_explains() -> None:
    asked, answered = sections(QUESTIONS), sections(ANSWERS)
    assert len(asked) == len(answered)
    for question, answer in zip(asked, answered, strict=True):
        topologies = {command.split()[2] for command in commands(answer)}
        found = commands(question)
        assert found and {command.split()[2] for command in found} <= topologies, question.splitlines()[0]
        assert "?" in question


def test_they_are_numbered() -> None:
    numbers = [int(section.split(".")[0]) for section in sections(QUESTIONS)]
    assert numbers[0] == 1 and all(after == before + 1 for before, after in pairwise(numbers))


def test_no_heading_of_an_answer_gives_it_away() -> None:
    headings = {section.splitlines()[0] for section in sections(ANSWERS)}
    assert not [heading for heading in headings if heading in QUESTIONS]
