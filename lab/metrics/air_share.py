# SPDX-License-Identifier: MIT
"""Air share: how the time of channels is used."""

from __future__ import annotations

from collections.abc import Iterator

from lab.metrics.base import MEDIUM, Context, Metric, MetricValues
from lab.probes.base import TimeSeries
from lab.shared import types
from lab.shared.medium_types import ChannelSpans, RadioCounters
from lab.units import PERCENT

# uses of a channel's time; together they are all of it (enum hwsim_medium_airtime_attr)
USES = ("idle", "data", "mgmt", "control", "ifs", "backoff", "overlap", "energy")


class AirShare(Metric):
    """Percentage of the run for which a channel is in a given use, or for which a node transmits.

    A use has a value for each channel that was ever used, and a series over the intervals between counter readings. All
    that a node transmits counts, also collisions, except for its responses (ACK, BlockAck, CTS).
    """

    about = "air time of each node of a role, or of a use of each channel: " + ", ".join(USES)
    takes = (MEDIUM,)
    words = USES
    per = ("subject",)
    dimension = PERCENT
    unit = "%"
    columns = ("share",)

    def compute(self, metric: types.PlannedMetric, context: Context) -> MetricValues:
        """Return one row per use and channel, or per node."""
        computed = MetricValues()
        if context.medium is None:
            return computed
        t_ns = context.medium.t_ns
        for name in metric.of:
            if name in USES:
                for mhz, spans_ns, totals_ns in _channels(context.medium.channels, name):
                    computed.rows.append({"of": name, "mhz": mhz, "share": 100 * sum(spans_ns) / sum(totals_ns)})
                    shares = [
                        100 * span / total if total else 0.0 for span, total in zip(spans_ns, totals_ns, strict=True)
                    ]
                    computed.series.append(TimeSeries(f"{name} {mhz} MHz", "%", t_ns[1:], shares))
            elif t_ns[-1] > t_ns[0]:
                sent_ns = sum(_sent_ns(radio) for radio in context.medium.radios if radio.node == name)
                computed.rows.append({"of": name, "mhz": None, "share": 100 * sent_ns / (t_ns[-1] - t_ns[0])})
        computed.values = [row["share"] for row in computed.rows]
        return computed


def _channels(channels: list[ChannelSpans], use: str) -> Iterator[tuple[int, list[int], list[int]]]:
    """Yield (MHz, time of that use in ns, all time in ns) of each channel that was ever used; times per interval."""
    for channel in channels:
        air_ns = channel.air_ns
        totals_ns = [sum(span) for span in zip(*air_ns.values(), strict=True)]
        if sum(totals_ns) > sum(air_ns["idle"]):
            yield channel.frequency_mhz, air_ns.get(use, [0] * len(totals_ns)), totals_ns


def _sent_ns(radio: RadioCounters) -> int:
    return sum(counts.air_ns for counts in radio.categories.values())
