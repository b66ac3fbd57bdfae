# SPDX-License-Identifier: MIT
"""``make validation``: measure again, write docs/validation.json, docs/validation.md and its figures.

``--check`` only looks whether document and figures are made of the rows in docs/validation.json; whether those are what
the lab does is for the tests to say, each for its rows.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.validation.document import TABLES, figures, render
from tests.validation.rows import COMMITTED, RECORD_TO, ROOT, Row, committed, from_json, to_json

DOCUMENT = ROOT / "docs" / "validation.md"
IMAGES = ROOT / "docs" / "images"


def outputs(rows: list[Row]) -> dict[Path, str]:
    """What is made of rows: text by file."""
    return {DOCUMENT: render(rows), **{IMAGES / name: svg for name, svg in figures(rows).items()}}


def in_order(rows: list[Row], before: list[Row]) -> list[Row]:
    """By table, then as they were before; new ones follow by name, numbers in it by size."""
    tables = [table.key for table in TABLES]
    places = {(row.table, row.name): place for place, row in enumerate(before)}

    def key(row: Row) -> tuple[int, int, list[tuple[int, float, str]]]:
        place = places.get((row.table, row.name), len(places))
        words = row.name.replace(",", " ").split()
        parts = [(0, float(word), "") if word.replace(".", "").isdigit() else (1, 0.0, word) for word in words]
        return tables.index(row.table), place, parts

    return sorted(rows, key=key)


def main() -> int:
    """The exit status."""
    if sys.argv[1:] == ["--check"]:
        stale = [path for path, text in outputs(list(committed().values())).items() if not _same(path, text)]
        for path in stale:
            print(f"{path.relative_to(ROOT)} is not what docs/validation.json makes of it; run: make validation")
        return bool(stale)
    with tempfile.TemporaryDirectory() as folder:
        tests = [sys.executable, "-m", "pytest", "-m", "validation", *sys.argv[1:]]
        status = subprocess.run(tests, cwd=ROOT, env={**os.environ, RECORD_TO: folder}, check=False).returncode
        if status:
            return status
        measured = [row for path in sorted(Path(folder).iterdir()) for row in from_json(path.read_text())]
    rows = in_order(measured, list(committed().values()))
    COMMITTED.write_text(to_json(rows))
    for path, text in outputs(rows).items():
        path.write_text(text)
    print(f"{len(rows)} rows: docs/validation.json, docs/validation.md")
    return 0


def _same(path: Path, text: str) -> bool:
    return path.exists() and path.read_text() == text


if __name__ == "__main__":
    sys.exit(main())
