# SPDX-License-Identifier: MIT
"""What a view is: the tables, figures and pictures of one kind of metric.

A view is a module ``lab/views/<kind>.py``, or ``workloads/<stack>/views/<kind>.py``, with one ``VIEW = SomeView()``,
called like that of the metric (see lab.discovery). A metric without one has a plain table. A view draws from the record
alone, and nothing that a run gives depends on it.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

from lab import discovery
from lab.drawing import Figure
from lab.errors import InputError
from lab.record.record import Record, Result
from lab.tables import Column, Table


@dataclass(frozen=True)
class Moment:
    """Something that all figures over time mark."""

    t_ns: int
    label: str
    second_ns: int  # where the second begins that tables show as the one in which it happened


@dataclass(frozen=True)
class Picture:
    """One for the page."""

    title: str
    told: str
    data: str  # a data: URI of a PNG, since browsers show formats and errors each in its own way


class View:
    """Base class, and the view of a metric that has none. Subclasses override what they show in another way."""

    card: ClassVar[str] = "mean"  # of the summary, what the card at the top of the page shows
    card_word: ClassVar[str] = "mean"  # what it is called there, where there are several figures
    first: ClassVar[bool] = False  # its tables come before those of other metrics

    def tables(self, result: Result, record: Record) -> Iterable[Table]:
        """Its tables; those without rows are left out."""
        yield plain_table(result)

    def figures(self, result: Result, record: Record) -> Iterable[Figure]:
        """Its figures."""
        return ()

    def pictures(self, result: Result, record: Record) -> Iterable[Picture]:
        """Pictures for the page."""
        return ()

    def moments(self, result: Result) -> Iterable[Moment]:
        """What other figures mark."""
        return ()


def load(kind: str) -> View:
    """The view of a kind of metric. InputError: two files are called so, or it is broken."""
    return discovery.holds("views", kind, "VIEW", View) if kind in discovery.known("views") else View()


def prepare() -> None:
    """Import all views. Whoever needs a broken one will be told."""
    for kind in discovery.known("views"):
        with contextlib.suppress(InputError):
            load(kind)


def shown(record: Record) -> Iterator[tuple[Result, View]]:
    """Every metric of a record with its view, in the order of the workload."""
    for result in record.metrics.values():
        yield result, load(result.kind)


def plain_table(result: Result) -> Table:
    """The rows of a metric as they are; on the page, not in a terminal."""
    keys = sorted(
        dict.fromkeys(key for row in result.rows for key in row),
        key=lambda key: result.columns.index(key) if key in result.columns else -1,
    )
    columns = [_column(key, [row.get(key) for row in result.rows], result) for key in keys]
    columns.sort(key=lambda column: column.number)  # words tell what the numbers are of
    return Table(result.name, f"{result.name}: {result.about}", columns, result.rows, in_terminal=False)


def _column(key: str, cells: list[Any], result: Result) -> Column:
    number = all(cell is None or (isinstance(cell, int | float) and not isinstance(cell, bool)) for cell in cells)
    unit = result.unit if key in result.columns else ""
    return Column(key, key.replace("_", " "), unit, digits=4 if unit else 12, number=number)
