# SPDX-License-Identifier: MIT
"""PSNR: how much a picture suffered on its way."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lab.metrics._pairs import needs_both, pairs
from lab.metrics._pictures import decode, psnr_db
from lab.metrics.base import Context, Figures, Metric, Source
from lab.shared import types
from lab.units import RATIO

_SENDER, _RECEIVER = "sap-streamer", "sap-stream-sink"


class Psnr(Metric):
    """Peak signal-to-noise ratio of a picture that a sap-streamer sent (``file:``) and its sap-stream-sink got.

    Both are decoded; 10 log10 of 255² by the mean square error over all pixels and colours. Sender and sink belong
    together by their port. Pictures that are equal have no PSNR (it is infinite): their row says ``equal``, and there
    is no figure. Where nothing can be decoded ``decoded`` is false.
    """

    about = "peak signal-to-noise ratio of pictures that went from a sap-streamer to a sap-stream-sink"
    of = (_SENDER, _RECEIVER)
    dimension = RATIO
    unit = "dB"
    columns = ("psnr",)

    def check(self, of: Mapping[str, str | None], unit: str, per: str | None) -> None:
        """As every metric; and ValueError: one side is missing."""
        super().check(of, unit, per)
        needs_both(dict(of), _SENDER, _RECEIVER)

    def figures(self, metric: types.Metric, context: Context) -> Figures:
        """One row per pair of which both files are there."""
        figures = Figures()
        for sender, receiver in pairs(metric, context, _SENDER, _RECEIVER):
            if sender.raw.path("sent").is_file() and receiver.raw.path("received").is_file():
                figures.rows.append(_row(sender, receiver))
        figures.values = [row["psnr"] for row in figures.rows if row["psnr"] is not None]
        return figures


def _row(sender: Source, receiver: Source) -> dict[str, Any]:
    sent, received = decode(sender.raw.path("sent")), decode(receiver.raw.path("received"))
    row = {"process": receiver.id, "lost": receiver.parsed.values.get("lost")}
    if sent is None or received is None or sent.size != received.size:
        return {**row, "decoded": False, "equal": False, "psnr": None}
    ratio_db = psnr_db(sent, received)
    return {**row, "decoded": True, "equal": ratio_db is None, "psnr": ratio_db}


METRIC = Psnr()
