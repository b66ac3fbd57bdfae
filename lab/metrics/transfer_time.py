# SPDX-License-Identifier: MIT
"""Transfer time: how long a download took."""

from __future__ import annotations

from lab.metrics.base import Context, Figures, Metric, chosen
from lab.plan import types
from lab.units import DURATION

_SECOND = 1_000_000_000


class TransferTime(Metric):
    """From the start of curl to the last byte, as curl tells it. A transfer that did not complete counts nothing."""

    about = "time from the start of curl to the last byte"
    of = ("curl",)
    dimension = DURATION
    unit = "ns"
    columns = ("first_byte", "total")

    def figures(self, metric: types.Metric, context: Context) -> Figures:
        """One row per transfer that completed."""
        figures = Figures()
        for source in chosen(metric, context):
            values = source.parsed.values
            if values.get("exit_code") != 0:
                continue
            total_ns = round(values["time_total_s"] * _SECOND)
            first_ns = round(values["time_first_byte_s"] * _SECOND)
            figures.values.append(total_ns)
            figures.rows.append(
                {"process": source.id, "bytes": values["bytes"], "first_byte": first_ns, "total": total_ns}
            )
        return figures


METRIC = TransferTime()
