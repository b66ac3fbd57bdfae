# SPDX-License-Identifier: MIT
"""Transfer time: how long a download took."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from lab.metrics.base import Context, Figures, Metric, Source, chosen
from lab.shared import types
from lab.units import DURATION

_SECOND = 1_000_000_000


class TransferTime(Metric):
    """From the start of curl to the last byte, as curl tells it; of sap-get from the end of each request to SAP's FIN.

    Over TCP sap-get's ends with the last byte, too. A transfer that did not complete counts nothing.
    """

    about = "time from the start of curl, or the end of sap-get's request, to the last byte"
    of = ("curl", "sap-get")
    dimension = DURATION
    unit = "ns"
    columns = ("first_byte", "total")

    def figures(self, metric: types.Metric, context: Context) -> Figures:
        """One row per transfer that completed."""
        figures = Figures()
        for source in chosen(metric, context):
            for name, transfer in _transfers(source):
                if transfer.get("exit_code") != 0:
                    continue
                total_ns = round(transfer["time_total_s"] * _SECOND)
                first_ns = round(transfer["time_first_byte_s"] * _SECOND)
                figures.values.append(total_ns)
                figures.rows.append(
                    {"process": name, "bytes": transfer["bytes"], "first_byte": first_ns, "total": total_ns}
                )
        return figures


def _transfers(source: Source) -> Iterator[tuple[str, dict[str, Any]]]:
    """Each transfer of a process, with a name."""
    values = source.parsed.values
    if source.probe == "curl":
        yield source.id, values
        return
    transfers = values.get("transfers", [])
    for number, transfer in enumerate(transfers, 1):
        first = 0.0 if transfer["time_first_byte_s"] is None else transfer["time_first_byte_s"]  # of an empty file
        name = source.id if len(transfers) == 1 else f"{source.id} {number}"
        yield name, transfer | {"time_first_byte_s": first}


METRIC = TransferTime()
