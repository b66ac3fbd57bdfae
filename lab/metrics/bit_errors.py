# SPDX-License-Identifier: MIT
"""Bit errors: wrong bits of what arrived."""

from __future__ import annotations

from lab.metrics.base import Context, Figures, Metric, chosen
from lab.plan import types
from lab.units import PERCENT


class BitErrors(Metric):
    """Wrong bits among those of the datagrams that arrived, in percent; what is lost does not count.

    Of a sap-get that compares (``compare:``) and took the file by SAP.
    """

    about = "wrong bits of what sap-get received, beside the file it compares with"
    of = ("sap-get",)
    dimension = PERCENT
    unit = "%"
    columns = ("bit_errors",)

    def figures(self, metric: types.Metric, context: Context) -> Figures:
        """One row per process that compared anything."""
        figures = Figures()
        for source in chosen(metric, context):
            compared = [one for one in source.parsed.values["transfers"] if one["wrong_bits"] is not None]
            bits = 8 * sum(one["bytes"] for one in compared)
            if bits:
                wrong = sum(one["wrong_bits"] for one in compared)
                percent = 100 * wrong / bits
                figures.values.append(percent)
                figures.rows.append({"process": source.id, "bits": bits, "wrong": wrong, "bit_errors": percent})
        return figures


METRIC = BitErrors()
