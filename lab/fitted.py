# SPDX-License-Identifier: MIT
"""Tables for terminals of any width: where a table would break words, its rows are lists, one below the other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderResult
    from rich.table import Column, Table


class Fitted:
    """Renders a rich table whose cells and headings are Text or text."""

    def __init__(self, table: Table) -> None:
        self.table = table

    @property
    def row_count(self) -> int:
        """Number of rows."""
        return self.table.row_count

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Yield the table, or its title and its rows as lists."""
        if self._needs(console, options) <= options.max_width:
            yield self.table
            return
        if self.table.title:
            yield _text(self.table.title, self.table.title_style or "bold")
        rows = list(zip(*(column.cells for column in self.table.columns), strict=True))
        for row in rows:
            yield ""
            yield from _named(self.table.columns, row) if self.table.show_header else _listed(row)
        if self.table.caption:
            yield ""
            yield _text(self.table.caption)

    def _needs(self, console: Console, options: ConsoleOptions) -> int:
        """Return the width of the table with a line for each word."""
        from rich.measure import Measurement

        unlimited = options.update_width(10_000)
        needed = Measurement.get(console, unlimited, self.table).minimum
        for column in self.table.columns:
            if column.no_wrap:
                sizes = [Measurement.get(console, unlimited, _text(cell)) for cell in (column.header, *column.cells)]
                needed += max(size.maximum for size in sizes) - max(size.minimum for size in sizes)
        return needed


def _named(columns: Sequence[Column], row: Sequence[Any]) -> RenderResult:
    """Yield a line for each cell, with its heading."""
    from rich.table import Table

    shown = Table.grid(padding=(0, 2, 0, 0))
    shown.add_column(style="dim")
    shown.add_column(overflow="fold")
    for column, cell in zip(columns, row, strict=True):
        shown.add_row(_text(column.header), cell)
    yield shown


def _listed(row: Sequence[Any]) -> RenderResult:
    """Yield the first cell, and the others below it."""
    from rich.padding import Padding

    first, *others = row
    yield first
    for cell in others:
        yield Padding(cell, (0, 0, 0, 2))


def _text(content: Any, style: Any = "") -> Any:
    """Return Text, of markup if it is not Text yet."""
    from rich.text import Text

    made = content.copy() if isinstance(content, Text) else Text.from_markup(str(content))
    if style:
        made.stylize(style)
    return made
