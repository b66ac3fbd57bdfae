# SPDX-License-Identifier: MIT
"""Reports, made from records only.

page = write(record, directory)      # report.html, plots/*.svg, csv/*.csv
console.print(tables(record))        # for a terminal
json.dumps(as_json(record))          # for a program
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from lab.errors import writing
from lab.record.record import Record
from lab.report.terminal import as_json, repetitions, rich_tables

__all__ = ["as_json", "prepare", "repetitions", "tables", "write"]

tables = rich_tables


def prepare() -> None:
    """Import everything that ``write`` and ``tables`` need, while a guest runs."""
    from lab.report import html, plots, terminal  # noqa: F401
    from lab.views import base as views

    html.template()
    terminal.prepare()
    views.prepare()


def write(record: Record, directory: Path, *, formats: Iterable[str] = ("svg",)) -> Path:
    """Write the report of a run into ``directory`` and return the path of its page.

    Args:
        record: the record of the run.
        directory: the directory to write to; existing files are replaced.
        formats: formats of the plots (see lab.drawing.FORMATS); PNG and PDF need matplotlib, which is slow to import.

    Raises:
        HostError: If a file cannot be written.
    """
    from lab.drawing import lay_out_together, save
    from lab.report import plots, sampled, trajectories
    from lab.report.html import page
    from lab.report.tables import tables as all_tables
    from lab.report.terminal import as_csv, series_csv

    shown = all_tables(record)
    figures = plots.figures(record)
    scenes = dict(zip((figure.name for figure in figures), lay_out_together(figures), strict=True))
    files = {directory / "report.html": page(record, shown, scenes.values())}
    files |= {directory / "csv" / f"{table.name}.csv": as_csv(table) for table in shown}
    series = sampled.samples(record) | {result.name: result.series for result in record.metrics.values()}
    files |= {directory / "csv" / f"{name}-over-time.csv": series_csv(some) for name, some in series.items() if some}
    for path, text in files.items():
        with writing(path):
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8", newline="")
    with writing(directory / "plots"):
        (directory / "plots").mkdir(exist_ok=True)
    ways = trajectories.draw(record.plan)
    for name, scene in {**scenes, **({"map": ways} if ways else {})}.items():
        save(scene, directory / "plots" / name, formats)
    return directory / "report.html"
