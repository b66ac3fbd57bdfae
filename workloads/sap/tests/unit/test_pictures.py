# SPDX-License-Identifier: MIT
"""Pictures that arrived, in the report."""

from __future__ import annotations

import base64
import dataclasses
import io
import re
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from lab.record import Record
from lab.report import html
from lab.views import base as views

SENT = Path(__file__).parents[2] / "pictures" / "picture.jpg"


def row(process: str, **reported: Any) -> dict[str, Any]:
    return {"process": process, "lost": 0, "decoded": True, "equal": False, "psnr": None} | reported


@pytest.fixture
def sent_twice(record: Record) -> Record:
    """A run in which one picture arrived as it was sent, one damaged, and one not at all."""
    raw = record.directory / "raw"
    jpeg = SENT.read_bytes()
    (raw / "precise.received").write_bytes(jpeg)
    (raw / "approximate.received").write_bytes(jpeg[:4000] + bytes(1024) + jpeg[5024:])
    (raw / "broken.received").write_bytes(bytes(1024))
    rows = [row("precise", equal=True), row("approximate", psnr=21.34, lost=1), row("broken", decoded=False)]
    wanted: dict[str, Any] = {"name": "psnr", "kind": "psnr", "of": [], "unit": "dB", "per": None, "source": "w.yaml:1"}
    nothing: dict[str, Any] = {"count": 0, "sum": 0, "mean": None, "median": None, "min": None, "max": None}
    result: dict[str, Any] = {"kind": "psnr", "about": "", "of": [], "per": "process", "unit": "dB", "values": nothing}
    result |= {"each": [], "rows": rows, "columns": ["psnr"], "series": []}
    plan = {**record.data["plan"], "metrics": [wanted], "checks": []}
    return dataclasses.replace(record, data={**record.data, "plan": plan, "metrics": {"psnr": result}})


def test_both_are_shown_with_what_became_of_them(sent_twice: Record) -> None:
    found = list(views.load("psnr").pictures(sent_twice.metrics["psnr"], sent_twice))
    assert [(one.title, one.caption) for one in found] == [
        ("precise", "as sent"),
        ("approximate", "PSNR 21.3 dB, datagrams lost: 1"),
    ]
    kind, _, data = found[0].data.partition(",")
    assert kind == "data:image/png;base64"
    with Image.open(io.BytesIO(base64.b64decode(data))) as image, Image.open(SENT) as jpeg:
        assert image.tobytes() == jpeg.tobytes()


def test_the_page_has_them_side_by_side(sent_twice: Record) -> None:
    page = html.page(sent_twice, [], [])
    assert len(re.findall(r'<div class="pictures">', page)) == 1
    assert re.findall(r"<figcaption><b>(\w+)</b> ([^<]*)</figcaption>", page) == [
        ("precise", "as sent"),
        ("approximate", "PSNR 21.3 dB, datagrams lost: 1"),
    ]


def test_a_page_without_pictures_says_nothing_of_them(record: Record) -> None:
    assert "<h2>Pictures</h2>" not in html.page(record, [], [])
