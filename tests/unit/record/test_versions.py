# SPDX-License-Identifier: MIT
"""Records of other versions are migrated or refused, never guessed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from lab.errors import RecordError
from lab.record import build, load, record

HASHES = {"kernel": "a" * 64}


def test_a_newer_record_is_refused(run_directory: Path) -> None:
    build(run_directory, hashes=HASHES)
    path = run_directory / "record.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"version": record.VERSION + 1}))
    expected = f"has version {record.VERSION + 1}, but this lab reads version {record.VERSION}"
    with pytest.raises(RecordError, match=expected):
        load(run_directory)


def test_an_older_record_is_migrated_step_by_step(run_directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    build(run_directory, hashes=HASHES)
    path = run_directory / "record.json"
    old = json.loads(path.read_text()) | {"version": -1}
    old["results"] = old.pop("metrics")
    path.write_text(json.dumps(old))

    def first(data: dict[str, Any]) -> dict[str, Any]:
        return data | {"version": 0}

    def second(data: dict[str, Any]) -> dict[str, Any]:
        results = data.pop("results")
        return data | {"version": record.VERSION, "metrics": results}

    monkeypatch.setattr(record, "MIGRATIONS", {-1: first, 0: second})
    assert load(run_directory).metrics["goodput"].unit == "Mbit/s"


@pytest.mark.parametrize("content", ["", "{", "[]", "{}", '{"version": "1"}'])
def test_what_is_no_record_is_refused(tmp_path: Path, content: str) -> None:
    (tmp_path / "record.json").write_text(content)
    with pytest.raises(RecordError, match=r"record\.json"):
        load(tmp_path)


def test_a_directory_without_a_record(tmp_path: Path) -> None:
    with pytest.raises(RecordError, match=r"has no record\.json"):
        load(tmp_path)


def test_the_text_is_canonical() -> None:
    one = record.to_json({"b": {"y": [1, 2], "x": 1.5}, "a": [], "clock": {"end_ns": 3}, "c": [{"k": None}]})
    other = record.to_json({"c": [{"k": None}], "clock": {"end_ns": 3}, "a": [], "b": {"x": 1.5, "y": [1, 2]}})
    assert one == other and json.loads(one)["b"] == {"x": 1.5, "y": [1, 2]}
    with pytest.raises(ValueError, match="JSON compliant"):
        record.to_json({"a": float("nan")})
