# SPDX-License-Identifier: MIT
"""The generated reference is current, complete and says what the models say."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from lab.checkout import CHECKOUT
from lab.library import known
from lab.model.include import read
from lab.reference import __main__ as command
from lab.reference import keys, schema

FOLDER = CHECKOUT / "docs" / "reference"


def test_the_files_are_current() -> None:
    assert list(command.out_of_date(FOLDER)) == [], "run: python -m lab.reference"


def definitions(kind: str) -> Iterator[dict[str, Any]]:
    whole = schema.schema(kind)
    yield whole
    yield from (found for found in whole["$defs"].values() if "properties" in found)


@pytest.mark.parametrize("kind", ["topology", "workload", "experiment"])
def test_every_key_has_a_description(kind: str) -> None:
    for definition in definitions(kind):
        assert definition["description"]
        for key, value in definition["properties"].items():
            assert value.get("description", "").endswith("."), key


@pytest.mark.parametrize("kind", ["topology", "workload", "experiment"])
def test_references_lead_somewhere_and_nothing_pydantic_is_left(kind: str) -> None:
    text = schema.text(kind)
    names = set(json.loads(text)["$defs"])
    used = {part.split('"')[0] for part in text.split('"#/$defs/')[1:]}
    assert used == names
    assert "x-quantity" not in text
    nulls = [part for part in text.split('"null"')[:-1] if not part.rstrip().endswith('"number",')]
    assert not nulls  # but for numbers that a paper does not have


def test_defaults_carry_units() -> None:
    process = schema.schema("workload")["$defs"]["Process"]["properties"]
    assert process["max_output"]["default"] == "100 MiB"


def test_quantities_of_a_topology_may_have_an_expression() -> None:
    length = {kind: schema.schema(kind)["$defs"]["length"]["pattern"] for kind in ("topology", "workload")}
    assert all(re.match(pattern, "-1.5 m") for pattern in length.values())
    assert re.match(length["topology"], "{5 * index} m") and not re.match(length["workload"], "{5 * index} m")
    assert not re.match(length["topology"], "{5 * indx} m")


def test_probes_bring_their_keys() -> None:
    conditions = schema.schema("workload")["$defs"]["ProbeUse"]["allOf"]
    (curl,) = [entry["then"] for entry in conditions if entry["if"]["properties"]["probe"]["const"] == "curl"]
    assert curl["required"] == ["url"]
    assert curl["properties"]["every"]["$ref"] == "#/$defs/duration"


def test_the_page_names_every_kind() -> None:
    page = keys.text()
    for word in ("### access point", "### range", "### roam", "### curl", "`outage`", "`geomean`", "`Mbit/s`"):
        assert word in page


def test_writing_the_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "reference"
    assert command.main(["--check"], folder) == 1
    assert not folder.exists()
    assert "docs/reference/files.md is out of date; run: python -m lab.reference" in capsys.readouterr().out
    assert command.main([], folder) == command.main(["--check"], folder) == 0
    assert sorted(path.name for path in folder.iterdir()) == sorted(path.name for path in FOLDER.iterdir())


def test_a_stack_that_was_removed_leaves_its_words(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(keys, "stacks", lambda: ["kept"])
    monkeypatch.setattr(command, "files", lambda: {"files.md": "one two four"})
    page = tmp_path / "files.md"
    for stacks, text, stale in (
        ("kept, removed", "one, two three four", []),
        ("kept", "one, two three four", ["files.md"]),
        ("kept, removed", "one two three", ["files.md"]),
        ("kept, removed", "one four two", ["files.md"]),
    ):
        page.write_text(f"{text}\n{keys._STACKS.format(stacks)}")
        assert list(command.out_of_date(tmp_path)) == stale


def test_without_any_stack_the_page_names_none(monkeypatch: pytest.MonkeyPatch) -> None:
    """It would say "none", a word that the page with stacks does not have there."""
    monkeypatch.setattr(keys, "stacks", list)
    assert keys.stacks_in(keys.text()) == []


@pytest.mark.parametrize("kind", ["topology", "workload", "experiment"])
def test_the_labs_own_files_use_known_keys_only(kind: str) -> None:
    keys = set(schema.schema(kind)["properties"])
    for path in known(kind).values():
        assert set(read(path).data) <= keys
