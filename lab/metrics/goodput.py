# SPDX-License-Identifier: MIT
"""Goodput: payload that reached the application, over time."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from lab.metrics.base import Context, Figures, Metric, Source, chosen, instances, series_of
from lab.probes.base import Series
from lab.shared import types
from lab.units import RATE

_SECOND = 1_000_000_000


class Goodput(Metric):
    """Bytes delivered, times eight, by the time that took.

    Per ``process`` (default): the mean over the whole transfer, from the start of the process to its last
    byte. Per ``interval``: of each interval between two samples. A curl is measured by the size of what it
    wrote, iperf3 by its own intervals. Each flow of a udp-sink counts for itself, named after its sender; its mean is
    that from the first datagram to the last, without the first.
    """

    about = "payload delivered per time: mean of a transfer, and over its intervals"
    of = ("curl", "iperf3", "iperf3-server", "udp-sink")
    per = ("process", "interval")
    dimension = RATE
    unit = "bit/s"
    columns = ("goodput",)

    def figures(self, metric: types.Metric, context: Context) -> Figures:
        """One row and one series per source, or flow."""
        figures = Figures()
        for source in chosen(metric, context):
            for rates, counted, size, duration_ns in _parts(source):
                mean = 8 * counted * _SECOND / duration_ns if duration_ns > 0 else 0.0
                figures.series.append(rates)
                figures.values += rates.values if metric.per == "interval" else [mean]
                row = {"process": rates.name, "bytes": size, "duration_ns": duration_ns, "goodput": mean}
                figures.rows.append(row)
        return figures


def _parts(source: Source) -> Iterator[tuple[Series, float, int, int]]:
    """Of each transfer: its rate over time, the bytes that arrived in its duration, all its bytes, its duration."""
    if source.probe != "udp-sink":
        rates = _of_curl(source) if source.probe == "curl" else _of_iperf3(source)
        size, duration_ns = _total(source)
        yield rates, size, size, duration_ns
        return
    series = instances(source, "goodput")
    for name, flow in source.parsed.values.get("flows", {}).items():
        rates = Series(name, "bit/s", series[name].t_ns, series[name].values)
        later = flow["bytes"] * (flow["packets"] - 1) / flow["packets"]  # all of a flow have one size
        yield rates, later, flow["bytes"], flow["last_ns"] - flow["first_ns"]


def _of_curl(source: Source) -> Series:
    """Rate between each two samples of the received bytes, stamped with the later one."""
    rates = Series(source.id, "bit/s")
    received = series_of(source, "received")
    for (before_ns, before), (t_ns, size) in pairwise(zip(received.t_ns, received.values, strict=True)):
        if t_ns > before_ns:
            rates.t_ns.append(t_ns)
            rates.values.append(8 * (size - before) * _SECOND / (t_ns - before_ns))
    return rates


def _of_iperf3(source: Source) -> Series:
    goodput = series_of(source, "goodput")
    return Series(source.id, "bit/s", goodput.t_ns, goodput.values)


def _total(source: Source) -> tuple[int, int]:
    """Bytes of the whole transfer and how long it took, in ns."""
    values = source.parsed.values
    if source.probe != "curl":
        return values.get("bytes", 0), round(values.get("seconds", 0) * _SECOND)
    if "time_total_s" in values and values.get("exit_code") == 0:
        return values["bytes"], round(values["time_total_s"] * _SECOND)
    received = series_of(source, "received")
    return values.get("bytes", 0), received.t_ns[-1] - received.t_ns[0] if received.t_ns else 0


METRIC = Goodput()
