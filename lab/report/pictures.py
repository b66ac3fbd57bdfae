# SPDX-License-Identifier: MIT
"""Pictures that arrived, side by side, as the metric psnr decoded them; drawn again from the raw files."""

from __future__ import annotations

import base64
import io
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lab.record.record import Record

if TYPE_CHECKING:
    from PIL import Image


@dataclass(frozen=True)
class Picture:
    """One for the page."""

    title: str
    told: str  # its PSNR, or why it has none
    data: str  # a data: URI of a PNG, since browsers show formats and errors each in its own way


def pictures(record: Record) -> list[Picture]:
    """Those of all metrics ``psnr``, in the order of their rows. None where a run sent no picture."""
    return [picture for result in record.metrics_of("psnr") for row in result.rows for picture in _picture(record, row)]


def _picture(record: Record, row: dict[str, Any]) -> Iterator[Picture]:
    from lab.metrics._pictures import decode

    path = record.directory / "raw" / f"{row['process']}.received"
    image = decode(path) if path.is_file() else None
    if image is not None:
        yield Picture(row["process"], _told(row), _data(image))


def _told(row: dict[str, Any]) -> str:
    lost = "" if not row["lost"] else f", datagrams lost: {row['lost']}"
    if row["equal"]:
        return "as it was sent"
    if row["psnr"] is None:
        return f"of another size than what was sent{lost}"
    return f"PSNR {row['psnr']:.1f} dB{lost}"


def _data(image: Image.Image) -> str:
    file = io.BytesIO()
    image.save(file, "png")
    return "data:image/png;base64," + base64.b64encode(file.getvalue()).decode()
