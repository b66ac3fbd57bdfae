# SPDX-License-Identifier: MIT
"""Measured values beside their references: what holds, and how rows are kept.

The same plan and seed give the same bytes on every machine, so a row that was measured here is what it is anywhere:
docs/validation.json holds them all, and a test that measures something else than that fails.
"""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
COMMITTED = ROOT / "docs" / "validation.json"
RECORD_TO = "HWSIM_LAB_RECORD_VALIDATION"  # a folder: rows are written there, and not compared with the committed ones
_DIGITS = 4  # significant ones that are kept


@dataclass(frozen=True)
class Row:
    """One measured value.

    Attributes:
        table: key of lab's table of it, see ``document.TABLES``.
        name: what was measured, unique within the table.
        value: measured, rounded to four significant digits.
        unit: of value and references; "" for ratios and counts.
        references: any of them may be met. None: the value is only shown.
        relative: most that the value may differ from the nearest reference, as a share of that.
        absolute: the same, in the unit.
        between: least and most that it may be, instead of references.
        peer: what another emulator has there, for tables that show one; "" if that is not known.
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
        """Whether the value is what it should be."""
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
        """The references for a reader: ``28.15 / 27.38 ± 1.5 %``."""
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


def rounded(value: float) -> float:
    """A value as rows keep it."""
    return float(f"{value:.{_DIGITS}g}")


def to_json(rows: list[Row]) -> str:
    """Rows as the committed file has them, in the order of tables and names given."""
    return json.dumps([asdict(row) for row in rows], indent=1, ensure_ascii=False) + "\n"


def from_json(text: str) -> list[Row]:
    """Rows of a file."""
    data: list[dict[str, Any]] = json.loads(text)
    return [Row(**{**row, "between": tuple(row["between"]) if row["between"] else None}) for row in data]


def committed(path: Path = COMMITTED) -> dict[tuple[str, str], Row]:
    """The committed rows by table and name."""
    if not path.exists():
        return {}
    return {(row.table, row.name): row for row in from_json(path.read_text())}


def record(row: Row) -> None:
    """Assert that a row holds, and that it is what docs/validation.md says."""
    assert row.holds(), f"{row.name}: {row.value:g} {row.unit}, expected {row.expected()}"
    folder = os.environ.get(RECORD_TO)
    if folder:
        path = Path(folder) / f"{row.table}--{row.name.replace('/', ' per ')}.json"
        path.write_text(to_json([row]))
        return
    told = committed().get((row.table, row.name))
    before = told.value if told else "nothing"
    assert told == row, (
        f"docs/validation.json has {before} for {row.table}, {row.name}; measured: {row.value:g}. "
        "If that is right, run: make validation"
    )
