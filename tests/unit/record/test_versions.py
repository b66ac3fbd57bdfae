# SPDX-License-Identifier: MIT
"""Records of other versions are refused, never guessed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from lab.errors import RecordError
from lab.record import build, load, record

HASHES = {"kernel": "a" * 64}


@pytest.mark.parametrize("version", [record.VERSION - 1, record.VERSION + 1])
def test_a_record_of_another_version_is_refused(run_directory: Path, version: int) -> None:
    build(run_directory, hashes=HASHES)
    path = run_directory / "record.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"version": version}))
    expected = f"has version {version}, but this lab reads version {record.VERSION}"
    with pytest.raises(RecordError, match=expected):
        load(run_directory)


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
