# SPDX-License-Identifier: MIT
"""``make validation``: measure again, write docs/validation.json, docs/validation.md and its figures.

It measures all points of each sweep; ``make test`` leaves out those that are marked ``sweep``. ``--compare`` measures,
lists the rows that differ from docs/validation.json, and writes nothing. ``--check`` only checks that document and
figures match the rows in docs/validation.json. Other arguments go to pytest; with them, only the rows that were
measured are compared or replaced.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.validation.document import TABLES, figures, render
from tests.validation.rows import COMMITTED, RECORD_TO, ROOT, Row, committed, differences, from_json, to_json

DOCUMENT = ROOT / "docs" / "validation.md"
IMAGES = ROOT / "docs" / "images"


def outputs(rows: list[Row]) -> dict[Path, str]:
    """Return the files generated from rows: text by path."""
    return {DOCUMENT: render(rows), **{IMAGES / name: svg for name, svg in figures(rows).items()}}


def in_order(rows: list[Row], before: list[Row]) -> list[Row]:
    """Sort rows by table, then in their previous order; new rows follow by name, with numbers in natural order."""
    tables = [table.key for table in TABLES]
    places = {(row.table, row.name): place for place, row in enumerate(before)}

    def key(row: Row) -> tuple[int, int, list[tuple[int, float, str]]]:
        place = places.get((row.table, row.name), len(places))
        words = row.name.replace(",", " ").split()
        parts = [(0, float(word), "") if word.replace(".", "").isdigit() else (1, 0.0, word) for word in words]
        return tables.index(row.table), place, parts

    return sorted(rows, key=key)


def measure(arguments: list[str]) -> list[Row] | None:
    """Run the tests that record rows, with one worker per core; return None if one failed."""
    cores = len(os.sched_getaffinity(0))
    with tempfile.TemporaryDirectory() as folder:
        tests = [sys.executable, "-m", "pytest", "-m", "validation", "--sweeps", "-n", str(cores), *arguments]
        if subprocess.run(tests, cwd=ROOT, env={**os.environ, RECORD_TO: folder}, check=False).returncode:
            return None
        return [row for path in sorted(Path(folder).iterdir()) for row in from_json(path.read_text())]


def check() -> int:
    """Check that document and figures match the committed rows."""
    stale = [path for path, text in outputs(list(committed().values())).items() if not _same(path, text)]
    for path in stale:
        print(f"{path.relative_to(ROOT)} does not match docs/validation.json; run: make validation")
    return bool(stale)


def compare(measured: list[Row], *, all_rows: bool) -> int:
    """Check that the committed rows match the measured ones; all of them, or only those that were measured."""
    if not measured:
        print("nothing was measured, so nothing is compared")
        return 1
    lines = differences(measured, committed(), all_rows=all_rows)
    for line in lines:
        print(f"docs/validation.json: {line}")
    print("to write them: make validation" if lines else f"{len(measured)} rows agree with docs/validation.json")
    return bool(lines)


def write(measured: list[Row], *, all_rows: bool) -> int:
    """Replace the committed rows, or only those that were measured, and the files generated from them."""
    if not measured:
        print("nothing was measured, so nothing is written")
        return 1
    before = committed()
    new = {(row.table, row.name): row for row in measured}
    rows = in_order(measured if all_rows else list({**before, **new}.values()), list(before.values()))
    COMMITTED.write_text(to_json(rows))
    for path, text in outputs(rows).items():
        path.write_text(text)
    print(f"{len(rows)} rows: docs/validation.json, docs/validation.md")
    return 0


def main(arguments: list[str]) -> int:
    """Return the exit status."""
    if arguments == ["--check"]:
        return check()
    selecting = [argument for argument in arguments if argument != "--compare"]
    measured = measure(selecting)
    if measured is None:
        return 1
    end = compare if "--compare" in arguments else write
    return end(measured, all_rows=not selecting)


def _same(path: Path, text: str) -> bool:
    return path.exists() and path.read_text() == text


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
