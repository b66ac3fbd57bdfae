# SPDX-License-Identifier: MIT
"""PSNR: how much a picture suffered on its way."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lab.metrics.base import Context, Figures, Metric
from lab.shared import types
from lab.units import RATIO

from ..probes._kinds import FileArrived, FileSent
from ._pairs import pairs
from ._pictures import decode, psnr_db


class Psnr(Metric):
    """Peak signal-to-noise ratio of a picture that a sap-streamer sent (``file:``) and its sap-stream-sink got.

    Both are decoded; 10 log10 of 255² by the mean square error over all pixels and colours. Sender and sink belong
    together by their port. Pictures that are equal have no PSNR (it is infinite): their row says ``equal``, and there
    is no figure. Where nothing can be decoded ``decoded`` is false.
    """

    about = "peak signal-to-noise ratio of pictures that went from a sap-streamer to a sap-stream-sink"
    takes = (FileSent, FileArrived)
    dimension = RATIO
    unit = "dB"
    columns = ("psnr",)

    def check(self, of: Mapping[str, str | None], unit: str, per: str | None) -> None:
        """As every metric; and ValueError: one side is missing."""
        super().check(of, unit, per)
        self.needs(of, FileSent, FileArrived)

    def figures(self, metric: types.Metric, context: Context) -> Figures:
        """One row per pair of which both files are there."""
        figures = Figures()
        figures.rows = [_row(sent, arrived) for sent, arrived in pairs(metric, context, FileSent, FileArrived)]
        figures.values = [row["psnr"] for row in figures.rows if row["psnr"] is not None]
        return figures


def _row(file: FileSent, copy: FileArrived) -> dict[str, Any]:
    sent, received = decode(file.path), decode(copy.path)
    row = {"process": copy.name, "lost": copy.lost}
    if sent is None or received is None or sent.size != received.size:
        return {**row, "decoded": False, "equal": False, "psnr": None}
    ratio_db = psnr_db(sent, received)
    return {**row, "decoded": True, "equal": ratio_db is None, "psnr": ratio_db}


METRIC = Psnr()
