# SPDX-License-Identifier: MIT
"""Prose that repeats a number which has changed."""

from __future__ import annotations

import pytest

from tests.shown.compare import Pair
from tests.shown.figures import Mention, mentions

STALE = [Pair(0, " voice  2900  0.3884  123.3", " voice  2900  0.4012  98.2")]


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("at most 123.3 ms.", ("123.3", "123.3", "98.2")),
        ("one of them 123 ms", ("123", "123.3", "98.2")),
        ("they take 0.39 ms", ("0.39", "0.3884", "0.4012")),
        ("they take 0.4 ms", None),  # still so
        ("of 2900 packets", None),
        ("after 12 s", None),
        ("3 of them", None),
    ],
)
def test_numbers_of_stale_lines_are_found_as_shown_or_rounded(words: str, found: tuple[str, str, str] | None) -> None:
    assert mentions(STALE, {7: words}) == ([Mention(7, *found)] if found else [])


def test_where_the_counterpart_is_not_clear_all_numbers_count() -> None:
    assert mentions([Pair(0, "load  1 234  5.5", None)], {1: "1 234 bytes"}) == [Mention(1, "1 234", "1 234", "")]
