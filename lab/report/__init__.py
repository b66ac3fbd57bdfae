# SPDX-License-Identifier: MIT
"""Reports, drawn from records alone.

page = write(record, directory)      # report.html, plots/*.svg, csv/*.csv; png=True: plots/*.png too
console.print(tables(record))        # for a terminal
json.dumps(as_json(record))          # for a program
"""

from __future__ import annotations

from pathlib import Path

from lab.errors import RecordError
from lab.record.record import Record
from lab.report.terminal import as_json, rich_tables

__all__ = ["as_json", "prepare", "tables", "write"]

tables = rich_tables


def prepare() -> None:
    """Import all that ``write`` and ``tables`` need: there is time for it while a guest runs."""
    from lab.report import html, plots, svg, terminal  # noqa: F401
    from lab.views import base as views

    html.template()
    terminal.prepare()
    views.prepare()


def write(record: Record, directory: Path, *, png: bool = False) -> Path:
    """Write the report of a run into ``directory`` and return the path of its page.

    Raises:
        RecordError: the directory cannot be written to.
    """
    from lab.report import plots, svg
    from lab.report.html import page
    from lab.report.tables import tables as all_tables
    from lab.report.terminal import as_csv, series_csv

    shown, figures = all_tables(record), plots.figures(record)
    files = {directory / "report.html": page(record, shown, figures)}
    files |= {directory / "plots" / f"{figure.name}.svg": svg.draw(figure, standalone=True) for figure in figures}
    files |= {directory / "csv" / f"{table.name}.csv": as_csv(table) for table in shown}
    for result in record.metrics.values():
        if result.series:
            files[directory / "csv" / f"{result.name}-over-time.csv"] = series_csv(result.series)
    try:
        for path, text in files.items():
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8", newline="")
        if png:
            from lab.report import png as pictures

            for figure in figures:
                pictures.draw(figure, directory / "plots" / f"{figure.name}.png")
    except OSError as error:
        raise RecordError(f"cannot write the report to {directory}: {error.strerror}") from None
    return directory / "report.html"
