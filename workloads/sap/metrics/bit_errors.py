# SPDX-License-Identifier: MIT
"""Bit errors: how wrong what arrives damaged is."""

from __future__ import annotations

from lab.metrics.base import Context, Figures, Metric, all_found
from lab.shared import types
from lab.units import PERCENT

from ..probes._kinds import Payload


class BitErrors(Metric):
    """Percent of the payload's bits that are wrong, of all bits in datagrams that arrived with at least one wrong.

    The bit error rate in damaged frames of "SAP: an Architecture for Selectively Approximate Wireless Communication",
    figure 3. Datagrams that were lost do not count, among them those whose headers were damaged. There is no figure
    where nothing arrived damaged. A sap-get knows only with ``compare:``.
    """

    about = "bit error rate of the payload of datagrams that arrived damaged"
    takes = (Payload,)
    dimension = PERCENT
    unit = "%"
    columns = ("bit_errors",)

    def figures(self, metric: types.Metric, context: Context) -> Figures:
        """One row per sink to which anything came; of a clean one without a figure."""
        figures = Figures()
        for _, payload in all_found(metric, context, Payload):
            if payload.wrong_bits is None:
                continue
            percent = None if payload.bit_error_share is None else 100 * payload.bit_error_share
            row = {"arrived": payload.datagrams, "damaged": payload.damaged, "wrong_bits": payload.wrong_bits}
            figures.rows.append({"process": payload.name, **row, "bit_errors": percent})
            figures.values += [] if percent is None else [percent]
        return figures


METRIC = BitErrors()
