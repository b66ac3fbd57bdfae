# SPDX-License-Identifier: MIT
"""Frozen classes do what frozen dataclasses do."""

from __future__ import annotations

import copy
import dataclasses
import pickle
import subprocess
import sys
from typing import Any, cast

import pytest

from lab.checkout import CHECKOUT
from lab.shared.frozen import built, data, field, frozen


@frozen
class Made:
    name: str
    size: int = 3
    items: list[int] = field(default_factory=list)
    note: str | None = field(default=None, omitted=True)


@dataclasses.dataclass(frozen=True)
class Usual:
    name: str
    size: int = 3
    items: list[int] = dataclasses.field(default_factory=list)
    note: str | None = None


@frozen
class Hashable:
    a: int
    b: str = ""


KINDS: list[Any] = [Made, Usual]


@pytest.mark.parametrize("kind", KINDS)
def test_values_by_position_name_and_default(kind: Any) -> None:
    made = kind("a", note="b")
    assert (made.name, made.size, made.items, made.note) == ("a", 3, [], "b")
    assert kind("a").items is not kind("a").items


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("values", "named"), [((), {}), (("a", 1, [], "", 5), {}), (("a",), {"name": "b"}), (("a",), {"nam": 1})]
)
def test_wrong_values_are_refused(kind: Any, values: tuple[object, ...], named: dict[str, object]) -> None:
    with pytest.raises(TypeError):
        kind(*values, **named)


def test_nothing_changes_it() -> None:
    made: Any = Made("a")
    with pytest.raises(AttributeError, match="frozen: cannot set size"):
        made.size = 4
    with pytest.raises(AttributeError, match="frozen: cannot delete size"):
        del made.size
    assert made.size == 3


def test_equal_values_are_equal() -> None:
    assert Made("a") == Made("a", 3, [])
    assert Made("a") != Made("b")
    assert Made("a") != cast(Any, Usual("a"))
    assert hash(Hashable(1, "x")) == hash(Hashable(1, "x"))
    with pytest.raises(TypeError, match="unhashable"):
        hash(Made("a"))  # it holds a list, as with dataclasses


def test_it_prints_and_copies_as_dataclasses_do() -> None:
    made = Made("a", items=[1])
    assert repr(made) == repr(Usual("a", items=[1])).replace("Usual", "Made")
    for again in (copy.deepcopy(made), pickle.loads(pickle.dumps(made))):
        assert again == made
        assert again is not made


def test_the_functions_of_dataclasses_work() -> None:
    made: Any = Made("a")
    assert dataclasses.replace(made, size=4) == Made("a", 4)
    assert dataclasses.asdict(made) == dataclasses.asdict(Usual("a"))
    assert dataclasses.is_dataclass(Made)
    names = [[one.name for one in dataclasses.fields(kind)] for kind in KINDS]
    assert names[0] == names[1]


def test_the_guest_imports_nothing_that_takes_long() -> None:
    program = "import sys; sys.path.insert(0, sys.argv[1]); import lab.guest.scripted_run; print(*sys.modules)"
    argv = [sys.executable, "-I", "-S", "-c", program, str(CHECKOUT)]
    loaded = subprocess.run(argv, capture_output=True, text=True, check=True).stdout.split()
    assert "lab.guest.live" in loaded
    assert not {"dataclasses", "inspect", "subprocess", "hashlib", "tempfile", "random"} & set(loaded)


@frozen
class Inside:
    one: int
    two: int


@frozen
class Spread:
    sender: str = field(key="from")
    inside: Inside = field(spread=True)
    others: dict[str, Inside] = field(spread=True)


def test_fields_that_json_has_otherwise() -> None:
    spread = Spread("a", Inside(1, 2), {"x": Inside(3, 4)})
    plain = {"from": "a", "one": 1, "two": 2, "x": {"one": 3, "two": 4}}
    assert data(spread) == plain and built(Spread, plain) == spread
    with pytest.raises(TypeError, match="needs two"):
        built(Spread, {"from": "a", "one": 1})
    with pytest.raises(TypeError, match="has no field three"):
        built(Inside, {"one": 1, "two": 2, "three": 3})
