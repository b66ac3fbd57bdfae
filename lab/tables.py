# SPDX-License-Identifier: MIT
"""Tables of a report: rows of raw values, and columns that describe them."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from lab.numbers import NONE, plain
from lab.printable import printable

_FORMULA = tuple("=+-@\t\r")  # with which spreadsheets take a cell for a formula
_QUANTITY = re.compile(r"[+-]?\d+(\.\d+)?(e[+-]?\d+)?( [^\W\d_]+)?")  # -5, -5 dB


@dataclass(frozen=True)
class Column:
    """A column: key of its cells, heading, unit, and whether cells are numbers with ``digits`` significant digits.

    A page leaves out a ``rare`` column if there is nothing but zeros in it, and says so if it is ``possible``.
    """

    key: str
    title: str
    unit: str = ""
    digits: int = 4
    number: bool = True
    show: Callable[[Any], str] | None = None
    rare: bool = False
    possible: bool = True  # whether there could have been something else

    @property
    def heading(self) -> str:
        """Title and unit."""
        return f"{self.title}, {self.unit}" if self.unit else self.title

    def text(self, row: Mapping[str, Any]) -> str:
        """Return a cell as text; a dash without a value."""
        value = row.get(self.key)
        if value is None:
            return NONE
        if self.show:
            return self.show(value)
        if isinstance(value, bool):
            return "yes" if value else "no"
        return plain(value, self.digits) if isinstance(value, int | float) else str(value)


@dataclass(frozen=True)
class Table:
    """Rows of raw values, and columns that describe them. ``unit`` is in the title; headings do not repeat it."""

    name: str
    title: str
    columns: list[Column]
    rows: list[dict[str, Any]]
    unit: str = ""
    in_terminal: bool = True  # False: only in the page, CSV and JSON
    remark: str = ""  # below the table

    def heading(self, column: Column) -> str:
        """Return the heading of a column."""
        return column.title if column.unit == self.unit else column.heading

    @property
    def zero(self) -> list[Column]:
        """The rare columns in which there is nothing but zeros."""
        return [column for column in self.columns if column.rare and not any(row.get(column.key) for row in self.rows)]

    @property
    def left_out(self) -> str:
        """A sentence that names the columns that are not shown; empty if all are."""
        zero = ", ".join(column.title for column in self.zero if column.possible)
        return f"Left out because always 0: {zero}." if zero else ""


def csv_text(lines: Iterable[Iterable[Any]], end: str = "\r\n") -> str:
    """Return lines of cells as CSV (RFC 4180). Programs in nodes may have chosen texts, such as names of samples."""
    text = io.StringIO()
    csv.writer(text, lineterminator=end).writerows([_harmless(cell) for cell in line] for line in lines)
    return text.getvalue()


def _harmless(cell: Any) -> Any:
    """Return a cell that commands neither a terminal nor, as a formula, a spreadsheet."""
    if not isinstance(cell, str):
        return cell
    text = printable(cell)
    return f"'{text}" if text[:1] in _FORMULA and not _QUANTITY.fullmatch(text) else text


def words(key: str, title: str) -> Column:
    """Return a column of text."""
    return Column(key, title, number=False)
