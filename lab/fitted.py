# SPDX-License-Identifier: MIT
"""Tables for terminals of any width: where a table would break words, its rows are lists, one below the other."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderResult
    from rich.table import Column, Table

_UNLIMITED = 10_000  # columns


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
        fitted = _with_whole_words(self.table, console, options)
        title = _text(self.table.title or "", self.table.title_style or "bold")
        if fitted is not None:
            # rich would wrap it at the width of the table
            if console.measure(fitted, options=options).maximum < title.cell_len <= options.max_width:
                yield title
                fitted.title = None
            yield fitted
            return
        if self.table.title:
            yield title
        rows = list(zip(*(column.cells for column in self.table.columns), strict=True))
        for row in rows:
            yield ""
            yield from _named(self.table.columns, row) if self.table.show_header else _listed(row)
        if self.table.caption:
            yield ""
            yield _text(self.table.caption)


def _with_whole_words(table: Table, console: Console, options: ConsoleOptions) -> Table | None:
    """Return the table with columns at least as wide as their longest words; None if they do not fit.

    rich narrows the widest columns, whatever is in them. Columns with a width of their own do not change.
    """
    words = [_longest(console, options, column, table.show_header) for column in table.columns]
    around = sum(_padding(table, index) for index in range(len(words))) + table._extra_width
    if sum(words) + around > options.max_width:
        return None
    fitted = copy.copy(table)
    fitted.columns = [replace(column) for column in table.columns]
    inside = options.update_width(options.max_width - table._extra_width)  # as rich does when it renders
    for _ in words:  # as wide as it must be; the others become narrower, which may be too narrow then
        widths = [column.width or 0 for column in fitted.columns]
        measured = fitted._calculate_column_widths(console, inside)
        narrow = [
            index
            for index, (least, width) in enumerate(zip(words, measured, strict=True))
            if width - _padding(fitted, index) < least and not widths[index]
        ]
        if not narrow:
            break
        for index in narrow:
            fitted.columns[index].width = words[index]
    return fitted


def _padding(table: Table, index: int) -> int:
    """Return the space around the cells of a column; none at the edges of a table that does not pad them."""
    _, right, _, left = table.padding
    first, last = index == 0, index == len(table.columns) - 1
    return (left if table.pad_edge or not first else 0) + (right if table.pad_edge or not last else 0)


def _longest(console: Console, options: ConsoleOptions, column: Column, headed: bool) -> int:
    """Return the width of the longest word of a column; of its longest cell if there are no line breaks in it."""
    from rich.measure import Measurement

    unlimited = options.update_width(_UNLIMITED)
    cells = [*([column.header] if headed else []), *column.cells]
    sizes = [Measurement.get(console, unlimited, _text(cell)) for cell in cells]
    return max((size.maximum if column.no_wrap else size.minimum for size in sizes), default=0)


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
