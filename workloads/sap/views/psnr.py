# SPDX-License-Identifier: MIT
"""Received pictures, side by side, decoded from the raw files as by the metric psnr."""

from __future__ import annotations

import base64
import io
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from lab.record.record import Record, RecordedMetric
from lab.views.base import Picture, View

from ..metrics._pictures import decode

if TYPE_CHECKING:
    from PIL import Image


class Psnr(View):
    """The pictures themselves, side by side."""

    def pictures(self, result: RecordedMetric, record: Record) -> Iterator[Picture]:
        """Yield pictures that can be decoded, in the order of the rows."""
        for row in result.rows:
            yield from _picture(record, row)


def _picture(record: Record, row: dict[str, Any]) -> Iterator[Picture]:
    path = record.directory / "raw" / f"{row['process']}.received"
    image = decode(path) if path.is_file() else None
    if image is not None:
        yield Picture(row["process"], _caption(row), _data(image))


def _caption(row: dict[str, Any]) -> str:
    lost = "" if not row["lost"] else f", datagrams lost: {row['lost']}"
    if row["equal"]:
        return "as sent"
    if row["psnr"] is None:
        return f"its size differs from that of the sent picture{lost}"
    return f"PSNR {row['psnr']:.1f} dB{lost}"


def _data(image: Image.Image) -> str:
    file = io.BytesIO()
    image.save(file, "png")
    return "data:image/png;base64," + base64.b64encode(file.getvalue()).decode()
