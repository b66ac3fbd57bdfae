# SPDX-License-Identifier: MIT
"""PSNR: quality of a received picture."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lab.metrics.base import Context, Metric, MetricValues
from lab.shared import types
from lab.units import RATIO

from ..probes._results import FileArrived, FileSent
from ._pairs import pairs
from ._pictures import decode, psnr_db


class Psnr(Metric):
    """Peak signal-to-noise ratio between a picture that a sap-streamer sent (``file:``) and the received one.

    Both are decoded; it is 10 log10 of 255² divided by the mean square error over all pixels and colours. Sender and
    sink are paired by port. The PSNR of equal pictures is infinite: their row has ``equal``, and there is no value. If
    nothing can be decoded, ``decoded`` is false.
    """

    about = "peak signal-to-noise ratio of pictures sent from a sap-streamer to a sap-stream-sink"
    takes = (FileSent, FileArrived)
    dimension = RATIO
    unit = "dB"
    columns = ("psnr",)

    def check(self, of: Mapping[str, str | None], unit: str, per: str | None) -> None:
        """Check as in the base class; also refuse a missing sender or sink."""
        super().check(of, unit, per)
        self.needs(of, FileSent, FileArrived)

    def compute(self, metric: types.PlannedMetric, context: Context) -> MetricValues:
        computed = MetricValues()
        computed.rows = [_row(sent, arrived) for sent, arrived in pairs(metric, context, FileSent, FileArrived)]
        computed.values = [row["psnr"] for row in computed.rows if row["psnr"] is not None]
        return computed


def _row(file: FileSent, copy: FileArrived) -> dict[str, Any]:
    sent, received = decode(file.path), decode(copy.path)
    row = {"process": copy.name, "lost": copy.lost}
    if sent is None or received is None or sent.size != received.size:
        return {**row, "decoded": False, "equal": False, "psnr": None}
    ratio_db = psnr_db(sent, received)
    return {**row, "decoded": True, "equal": ratio_db is None, "psnr": ratio_db}
