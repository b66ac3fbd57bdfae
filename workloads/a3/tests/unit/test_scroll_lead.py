# SPDX-License-Identifier: MIT
"""What web-browse prints of a page that was scrolled."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from lab.metrics.base import load
from tests.unit.metrics.samples import MS, context, source, wanted

NEW, OLD, NEITHER = (False, True), (True, False), (False, False)


def leads(folder: Path, *pages: tuple[dict[str, int], list[tuple[int, tuple[bool, bool]]]]) -> list[float]:
    lines = []
    for page, objects in pages:
        for first_ms, (before, after) in objects:
            lines.append({"path": "/1.png", "first_ns": first_ms * MS, "first_screen": before, "last_screen": after})
        lines.append({"t_ns": "1", **page})
    (folder / "browse.out").write_text("\n".join(map(json.dumps, lines)))
    browse = source("web-browse", identifier="browse", raw=folder)
    return load("scroll-lead").compute(wanted("scroll-lead", "browse", unit="ms"), context(browse)).values


SCROLLED = {"scrolled_ns": 2000 * MS}
BEFORE = [(1000, OLD), (2900, OLD), (3000, NEW), (3400, NEITHER)]  # on their way when the scroll was


@pytest.mark.parametrize(
    ("objects", "lead_ms"),
    [
        ([(3100, NEW), (3500, NEW), (4000, OLD), (4500, OLD)], [500]),
        ([(3100, OLD), (3500, NEW)], [-400]),
        ([(3100, NEW)], []),
        ([(3100, OLD)], []),
    ],
)
def test_what_came_to_the_screen_leads(
    tmp_path: Path, objects: list[tuple[int, tuple[bool, bool]]], lead_ms: list[int]
) -> None:
    assert leads(tmp_path, (SCROLLED, BEFORE + objects)) == [one * MS for one in lead_ms]


def test_each_load_has_its_own_objects(tmp_path: Path) -> None:
    pages = [(SCROLLED, [(3100, NEW), (3200, OLD)]), ({}, [(3100, OLD)]), (SCROLLED, [(3100, NEW), (3300, OLD)])]
    assert leads(tmp_path, *pages) == [100 * MS, 200 * MS]
