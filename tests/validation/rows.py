# SPDX-License-Identifier: MIT
"""Measured values and their references: how rows are checked and stored.

A test checks its row only against the tolerance. The digits in docs/validation.json are documentation: `make
validation` writes them, `make docs` compares them.
"""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
COMMITTED = ROOT / "docs" / "validation.json"
RECORD_TO = "HWSIM_LAB_RECORD_VALIDATION"  # a folder: each row is written to a separate file there
_DIGITS = 4  # number of significant digits that are kept


@dataclass(frozen=True)
class Row:
    """One measured value.

    Attributes:
        table: key of its table, see ``document.TABLES``.
        name: measured quantity, unique within the table.
        value: measured value, rounded to four significant digits.
        unit: of value and references; "" for ratios and counts.
        references: the value must match one of them. None: the value is only shown.
        relative: maximum difference from the nearest reference, as a share of that.
        absolute: the same, in the unit.
        between: minimum and maximum, instead of references.
        peer: value of another emulator, for tables that show one; "" if unknown.
    """

    table: str
    name: str
    value: float
    unit: str = ""
    references: list[float] = field(default_factory=list)
    relative: float | None = None
    absolute: float | None = None
    between: tuple[float, float] | None = None
    peer: str = ""

    def holds(self) -> bool:
        """Return whether the value is within its tolerance."""
        if self.between is not None:
            return self.between[0] <= self.value <= self.between[1]
        if not self.references:
            return True
        nearest = min(abs(self.value - reference) for reference in self.references)
        if self.absolute is not None:
            return nearest <= self.absolute
        assert self.relative is not None, "references need a tolerance"
        return any(abs(self.value / reference - 1) <= self.relative for reference in self.references)

    def expected(self) -> str:
        """Format the references for a reader: ``28.15 / 27.38 ± 1.5 %``."""
        if self.between is not None:
            low, high = self.between
            if high == float("inf"):
                return f"at least {low:g}"
            if low == float("-inf"):
                return f"at most {high:g}"
            return f"{low:g} to {high:g}"
        if not self.references:
            return ""
        text = " / ".join(f"{reference:.{_DIGITS}g}" for reference in self.references)
        if self.absolute is not None:
            return f"{text} ± {self.absolute:g}"
        return f"{text} ± {100 * (self.relative or 0):g} %"


def point(*arguments: object) -> Any:
    """Return a point of a sweep that `make test` leaves out, since others of that sweep notice a change of the code."""
    return pytest.param(*arguments, marks=pytest.mark.sweep)


def rounded(value: float) -> float:
    """Round a value as rows store it."""
    return float(f"{value:.{_DIGITS}g}")


def to_json(rows: list[Row]) -> str:
    """Encode rows for the committed file, in the given order."""
    return json.dumps([asdict(row) for row in rows], indent=1, ensure_ascii=False) + "\n"


def from_json(text: str) -> list[Row]:
    """Parse the rows of a file."""
    data: list[dict[str, Any]] = json.loads(text)
    return [Row(**{**row, "between": tuple(row["between"]) if row["between"] else None}) for row in data]


def committed(path: Path = COMMITTED) -> dict[tuple[str, str], Row]:
    """Return the committed rows by table and name."""
    if not path.exists():
        return {}
    return {(row.table, row.name): row for row in from_json(path.read_text())}


def record(row: Row) -> None:
    """Assert that a row holds; store it if rows are being collected."""
    assert row.holds(), f"{row.name}: {row.value:g} {row.unit}, expected {row.expected()}"
    folder = os.environ.get(RECORD_TO)
    if folder:
        path = Path(folder) / f"{row.table}--{row.name.replace('/', ' per ')}.json"
        path.write_text(to_json([row]))


def differences(measured: list[Row], committed: dict[tuple[str, str], Row], *, all_rows: bool = True) -> list[str]:
    """Return the differences between measured rows and docs/validation.json, one line each.

    With all_rows, all were to be measured: those that were not are differences, too.
    """
    found = {(row.table, row.name): row for row in measured}
    gone = [key for key in committed if key not in found] if all_rows else []
    lines = [f"{table}, {name}: no longer measured by any test" for table, name in gone]
    for key, row in found.items():
        where = ", ".join(key)
        if (before := committed.get(key)) is None:
            lines.append(f"{where}: new, {row.value:g} {row.unit}".rstrip())
        elif before.value != row.value:
            lines.append(f"{where}: {before.value:g} -> {row.value:g} {row.unit}".rstrip())
        elif before != row:
            lines.append(f"{where}: the expected value or the unit has changed")
    return lines
