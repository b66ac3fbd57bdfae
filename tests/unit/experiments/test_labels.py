# SPDX-License-Identifier: MIT
"""Which label of an axis a text means."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lab.experiments.labels import amount, matching_label, unit_of

LABELS = ["2 m", "4 m", "MCS 7", "10", "1 s", "never"]


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("2 m", "2 m"),
        ("2m", "2 m"),
        ("200 cm", "2 m"),
        ("2.0 m", "2 m"),
        ("0.004 km", "4 m"),
        ("MCS7", "MCS 7"),
        ("10.0", "10"),
        ("1000 ms", "1 s"),
        ("never", "never"),
        ("2", None),
        ("10 m", None),
        ("2 s", None),
        ("mcs 7", None),
        ("", None),
    ],
)
def test_the_label_that_is_meant(text: str, label: str | None) -> None:
    assert matching_label(LABELS, text) == label


def test_what_is_written_alike_goes_first() -> None:
    assert matching_label(["200 cm", "2 m"], "2 m") == "2 m"
    assert matching_label(["a b", "ab"], "ab") == "ab"


@given(st.lists(st.text(max_size=6), max_size=6), st.text(max_size=6))
def test_any_text_means_a_label_or_none(labels: list[str], text: str) -> None:
    found = matching_label(labels, text)
    assert found is None or found in labels
    assert all(matching_label(labels, label) == label for label in labels)


def test_what_follows_a_number() -> None:
    assert (unit_of("5 furlongs"), unit_of("5"), unit_of("five m")) == ("furlongs", "", "")
    assert amount("5 furlongs") is None and amount("MCS 7") is None
