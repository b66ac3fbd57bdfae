# SPDX-License-Identifier: MIT
"""Base class of views: the tables, figures and pictures of one kind of metric.

A view is a class in ``lab/views/<kind>.py`` or ``workloads/<stack>/views/<kind>.py``.
Its file has the same name as that of the metric, in the same stack (see lab.registry). A metric without a view has a
plain table. A view uses only the record, and does not affect results.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, TypeVar

from lab.drawing import Figure
from lab.errors import InputError, LabError, warn
from lab.record.record import Record, RecordedMetric
from lab.registry import Room
from lab.tables import Column, Table

Thing = TypeVar("Thing")


@dataclass(frozen=True)
class Moment:
    """A moment that all figures over time mark."""

    t_ns: int
    label: str
    second_ns: int  # start of the second that tables assign it to
    node: str = ""  # whose moment it is; empty: that of all


@dataclass(frozen=True)
class Picture:
    """A picture on the page."""

    title: str
    caption: str
    data: str  # a data: URI of a PNG, since browsers differ in how they show other formats and errors


class View:
    """Base class, and the default view. Subclasses override what they show differently."""

    card: ClassVar[str] = "mean"  # the value of the summary that the card at the top of the page shows
    card_word: ClassVar[str] = "mean"  # its name there, if there are several values
    first: ClassVar[bool] = False  # its tables come before those of other metrics

    def tables(self, result: RecordedMetric, record: Record) -> Iterable[Table]:
        """Yield its tables; the report skips those without rows."""
        yield plain_table(result)

    def figures(self, result: RecordedMetric, record: Record) -> Iterable[Figure]:
        """Yield its figures."""
        return ()

    def pictures(self, result: RecordedMetric, record: Record) -> Iterable[Picture]:
        """Yield pictures for the page."""
        return ()

    def moments(self, result: RecordedMetric) -> Iterable[Moment]:
        """Yield moments for other figures to mark."""
        return ()


VIEWS = Room("views", View, goes_with="metrics")


def load(kind: str) -> View:
    """Return the view of a kind of metric.

    Raises:
        InputError: If two files have that name, or the file is invalid.
    """
    return VIEWS.made(kind) if kind in VIEWS.known() else View()


def prepare() -> None:
    """Import all views. The error of an invalid one is reported when it is used."""
    for kind in VIEWS.known():
        with contextlib.suppress(InputError):
            load(kind)


def shown(record: Record) -> Iterator[tuple[RecordedMetric, View]]:
    """Yield every metric of a record with its view, in the order of the workload."""
    for result in record.metrics.values():
        yield result, _usable(result, record)


def collected(
    record: Record, what: str, call: Callable[[View, RecordedMetric], Iterable[Thing]], *, by_first: bool = False
) -> list[Thing]:
    """Return what the views of all metrics yield, in the order of the workload.

    A stack's view that fails yields nothing; a warning and the page report it.

    Args:
        record: the record of the run.
        what: the method that is called, for messages.
        call: calls it.
        by_first: views with ``first`` come first.
    """
    found: list[Thing] = []
    for result, view in sorted(shown(record), key=lambda pair: by_first and not pair[1].first):
        with failing_alone(record, result, what):
            found += list(call(view, result))
    return found


@contextlib.contextmanager
def failing_alone(record: Record, result: RecordedMetric, what: str) -> Iterator[None]:
    """Leave out the block if the stack's view of a metric fails in it; a warning and the page report it."""
    if result.kind not in VIEWS.known():
        yield
        return
    try:
        with VIEWS.blaming(result.kind, what):
            yield
    except LabError as error:
        note_failure(record, f"the view of {result.name}", error)


def _usable(result: RecordedMetric, record: Record) -> View:
    """Return the view of a metric; the default view, and a warning, if it cannot be loaded."""
    try:
        return load(result.kind)
    except InputError as error:
        note_failure(record, f"the view of {result.name}", error)
        return View()


def note_failure(record: Record, what: str, error: LabError) -> None:
    """Add a failure to the report, and print it on stderr, once."""
    message = f"{what} failed: {error.message}"
    text = f"{error.where}  {message}" if error.where else message
    if text not in record.not_shown:
        record.not_shown.append(text)
        warn(message, error.where or what)


def plain_table(result: RecordedMetric) -> Table:
    """Return the rows of a metric as a table for the page, not for a terminal."""
    keys = sorted(
        dict.fromkeys(key for row in result.rows for key in row),
        key=lambda key: result.columns.index(key) if key in result.columns else -1,
    )
    columns = [_column(key, [row.get(key) for row in result.rows], result) for key in keys]
    columns.sort(key=lambda column: column.number)  # columns of text first
    return Table(result.name, f"{result.name}: {result.about}", columns, result.rows, in_terminal=False)


def _column(key: str, cells: list[Any], result: RecordedMetric) -> Column:
    number = all(cell is None or (isinstance(cell, int | float) and not isinstance(cell, bool)) for cell in cells)
    unit = result.unit if key in result.columns else ""
    return Column(key, key.replace("_", " "), unit, digits=4 if unit else 12, number=number)
