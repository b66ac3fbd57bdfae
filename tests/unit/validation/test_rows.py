# SPDX-License-Identifier: MIT
"""Rows of docs/validation.md: when they hold, and what becomes of them."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from tests.validation import __main__ as validation
from tests.validation import rows
from tests.validation.__main__ import in_order
from tests.validation.document import TABLES, figures, measuring, render
from tests.validation.rows import Row

BIANCHI = Row("bianchi", "802.11a 54 Mbit/s, 10 stations", 27.19, "Mbit/s", [28.15, 27.38], relative=0.015)


@pytest.mark.parametrize(
    ("row", "holds", "expected"),
    [
        (Row("bianchi", "a", 27.19, "", [28.15, 27.38], relative=0.015), True, "28.15 / 27.38 ± 1.5 %"),
        (Row("bianchi", "a", 26.90, "", [28.15, 27.38], relative=0.015), False, "28.15 / 27.38 ± 1.5 %"),
        (Row("bianchi", "a", 3.99, "", [3.95], absolute=0.05), True, "3.95 ± 0.05"),
        (Row("bianchi", "a", 4.01, "", [3.95], absolute=0.05), False, "3.95 ± 0.05"),
        (Row("papers", "a", 22.0, "", between=(22, 24.5)), True, "22 to 24.5"),
        (Row("papers", "a", 24.6, "", between=(22, 24.5)), False, "22 to 24.5"),
        (Row("papers", "a", 3.0, "", between=(2, math.inf)), True, "at least 2"),
        (Row("papers", "a", 3.0, "", between=(-math.inf, 2)), False, "at most 2"),
        (Row("papers", "a", 3.0), True, ""),
    ],
)
def test_a_row_holds_within_its_tolerance(row: Row, holds: bool, expected: str) -> None:
    assert row.holds() is holds
    assert row.expected() == expected


def test_rows_survive_their_file() -> None:
    kept = [BIANCHI, Row("papers", "calls", 5, between=(5, 5))]
    assert rows.from_json(rows.to_json(kept)) == kept


def otherwise(row: Row, **changes: object) -> Row:
    return Row(**{**vars(row), **changes})


def test_a_row_is_judged_by_its_tolerance_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(rows.RECORD_TO, raising=False)
    rows.record(otherwise(BIANCHI, value=27.2))
    rows.record(Row("papers", "new", 1))

    monkeypatch.setenv(rows.RECORD_TO, str(tmp_path))
    rows.record(Row("papers", "a/b", 1))
    (path,) = tmp_path.iterdir()
    assert rows.from_json(path.read_text()) == [Row("papers", "a/b", 1)]
    with pytest.raises(AssertionError, match="expected 2 ± 1 %"):
        rows.record(Row("papers", "c", 1, "", [2], relative=0.01))


def test_what_was_measured_otherwise_than_documented_is_listed() -> None:
    reported = {(row.table, row.name): row for row in (BIANCHI, Row("papers", "calls", 5, between=(5, 5)))}
    assert rows.differences(list(reported.values()), reported) == []
    assert rows.differences([otherwise(BIANCHI, value=27.2), Row("papers", "new", 1, "ms")], reported) == [
        "papers, calls: no longer measured by any test",
        "bianchi, 802.11a 54 Mbit/s, 10 stations: 27.19 -> 27.2 Mbit/s",
        "papers, new: new, 1 ms",
    ]
    assert rows.differences([otherwise(BIANCHI, relative=0.02)], {(BIANCHI.table, BIANCHI.name): BIANCHI}) == [
        "bianchi, 802.11a 54 Mbit/s, 10 stations: the expected value or the unit has changed"
    ]


def test_of_the_rows_of_one_test_only_those_are_compared(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """`--compare tests/system/test_medium_clocks.py` must not say that no test measures the others."""
    file = tmp_path / "validation.json"
    file.write_text(rows.to_json([BIANCHI, Row("papers", "calls", 5, between=(5, 5))]))
    monkeypatch.setattr(validation, "committed", lambda: rows.committed(file))
    monkeypatch.setattr(validation, "measure", lambda selecting: [BIANCHI] if selecting != ["--help"] else [])
    assert validation.main(["--compare", "tests/system/test_medium.py"]) == 0
    assert capsys.readouterr().out == "1 rows agree with docs/validation.json\n"
    assert validation.main(["--compare"]) == 1
    assert "papers, calls: no longer measured by any test" in capsys.readouterr().out
    assert validation.main(["--compare", "--help"]) == 1
    assert "nothing is compared" in capsys.readouterr().out


def test_the_document_shows_every_row() -> None:
    text = render([BIANCHI])
    assert "| 802.11a 54 Mbit/s, 10 stations | 27.19 | 28.15 / 27.38 ± 1.5 % | Mbit/s |" in text
    assert "802.11a 54 Mbit/s" in figures([BIANCHI])["validation-bianchi.svg"]
    with pytest.raises(ValueError, match="unknown tables: nonsense"):
        render([Row("nonsense", "a", 1)])


def test_each_table_names_its_tests() -> None:
    assert measuring("clocks") == ["tests/system/test_medium_clocks.py"]
    assert measuring("fading") == ["tests/system/test_medium_fading.py", "tests/system/test_medium_levels.py"]
    assert all(measuring(table.key) for table in TABLES)
    assert "Measured by `tests/system/test_medium.py`." in render([BIANCHI]).replace("\n", " ")


def test_a_table_next_to_a_peer_has_a_column_for_it() -> None:
    text = render([Row("mininet-wifi", "gap", 76.1, "ms", between=(0, 100), peer="1100"), Row("papers", "a", 1)])
    assert "| | Mininet-WiFi | measured | expected | unit |\n|---|---:|---:|---:|---|\n" in text
    assert "| gap | 1100 | 76.1 | 0 to 100 | ms |" in text
    assert "| | measured | expected | unit |\n|---|---:|---:|---|\n| a | 1 |  |  |" in text


def test_rows_keep_their_order_and_new_ones_follow() -> None:
    two, ten, old = (Row("bianchi", name, 1) for name in ("x, 2 stations", "x, 10 stations", "z"))
    assert in_order([ten, two, old, Row("papers", "a", 1)], [old]) == [old, two, ten, Row("papers", "a", 1)]


def test_rows_that_were_not_measured_stay_unless_all_were_to_be(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """`-k PATTERN`, or even `--help`, which measures nothing, must not empty the document."""
    file = tmp_path / "validation.json"
    monkeypatch.setattr(validation, "COMMITTED", file)
    monkeypatch.setattr(validation, "committed", lambda: rows.committed(file))
    monkeypatch.setattr(validation, "outputs", lambda _: {})
    old, new = BIANCHI, Row("papers", "calls", 5, between=(5, 5))
    assert validation.write([old, new], all_rows=True) == 0
    assert validation.write([otherwise(new, value=4)], all_rows=False) == 0
    assert rows.from_json(file.read_text()) == [old, otherwise(new, value=4)]
    assert validation.write([], all_rows=False) == 1 and "nothing was measured" in capsys.readouterr().out
    assert validation.write([new], all_rows=True) == 0
    assert rows.from_json(file.read_text()) == [new]
