# SPDX-License-Identifier: MIT
"""Steps as lines to read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from lab.guest.steps import Step, Write, place_of


def lines(steps: Iterable[Step]) -> Iterator[str]:
    """Describe steps in order, below headings with their place. A text that is written several times is shown once."""
    here = ""
    written: dict[str, str] = {}  # text -> where it was shown
    for step in steps:
        place = place_of(step)
        if place and place != here:
            yield f"# in {place}"
            here = place
        first = written.setdefault(step.text, place) if isinstance(step, Write) else place
        if isinstance(step, Write) and first != place:
            yield f"# {step.path}: as in {first}"
        else:
            yield from step.describe()
