# SPDX-License-Identifier: MIT
"""``{axis}`` in texts, and overrides that are read again as they were written."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lab.experiments.file import placeholders
from lab.model.document import scalar
from lab.model.overrides import parse

LABELS = {"n": "3", "rate": "54 Mbit/s", "on": "true", "word": "a: b", "way": "x"}


def read(value: Any) -> Any:
    """An override as the lab reads it from a command line."""
    key, text = placeholders.override("some.key", value, LABELS)
    (said,) = parse([f"{key}={text}"]).items()
    return scalar(said[1], "")


@pytest.mark.parametrize(
    ("value", "meant"),
    [
        ("{n}", 3),
        ("simple:{n}:-60:30", "simple:3:-60:30"),
        ("{rate}", "54 Mbit/s"),
        ("{on}", True),
        ("{word}", "a: b"),
        (["{n}", "{rate}", "{word}"], [3, "54 Mbit/s", "a: b"]),
        ({"a": {"b": ["{way}"]}, "{way}": 1}, {"a": {"b": ["x"]}, "x": 1}),
        ("{{n}}", "{n}"),
        ("{server.ip} %{http_code} ${HOME}", "{server.ip} %{http_code} ${HOME}"),
        ("3", "3"),
        (None, None),
        ("", ""),
        (" a", " a"),
        ("a # b", "a # b"),
        ({":": "", "?": "-", "a: b": "{n}"}, {":": "", "?": "-", "a: b": 3}),
    ],
)
def test_what_an_override_is(value: Any, meant: Any) -> None:
    found = read(value)
    assert found == meant
    assert type(found) is type(meant) or isinstance(found, type(meant))


def test_keys_and_names() -> None:
    assert placeholders.override("links.{n}.delay", "5 ms", LABELS) == ("links.3.delay", "5 ms")
    assert list(placeholders.names({"{a}": ["{b} {c}", "{{d}}", 5, {"x": "%{e}{f}"}]})) == ["a", "b", "c", "f"]


TEXTS = st.text(st.characters(exclude_categories=["Cs", "Cc", "Zl", "Zp"]), max_size=12).filter(str.isprintable)
SCALARS = TEXTS | st.integers(-(10**9), 10**9) | st.booleans() | st.none()
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3), max_leaves=6
)


@settings(deadline=None)  # other work on the machine must not fail a test
@given(VALUES)
def test_any_value_is_read_again_as_it_was_written(value: Any) -> None:
    """As long as it names no axis, whatever it holds."""
    key, text = placeholders.override("key", value, {})
    assert "\n" not in text
    assert scalar(parse([f"{key}={text}"])["key"], "") == _unquoted(value)


def _unquoted(value: Any) -> Any:
    """The value with {{axis}} as {axis}."""
    if isinstance(value, str):
        return placeholders.fill(value, {})
    if isinstance(value, list):
        return [_unquoted(item) for item in value]
    if isinstance(value, dict):
        return {_unquoted(key): _unquoted(item) for key, item in value.items()}
    return value
