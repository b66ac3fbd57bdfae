# SPDX-License-Identifier: MIT
"""What the TCP ACKs of a download cost in time, by cause."""

from __future__ import annotations

from collections import Counter

from lab.metrics.base import MEDIUM, Context, Metric, MetricValues
from lab.shared import types
from lab.shared.frozen import data
from lab.shared.medium_types import OnAir
from lab.units import DURATION

from ..theory import DATA_HEADER_BYTES, FCS_BYTES, LLC_BYTES, SIFS_US, Legacy
from ._peers import counts_of

_FRAME_BYTES = DATA_HEADER_BYTES + LLC_BYTES + FCS_BYTES  # around an IP packet
_CAUSES = ("frames", "payloads", "access", "late", "bits", "payload-bits")


class AckTime(Metric):
    """Time that all TCP ACKs of a node take in a run, by cause.

    Salameh et al., "HACK: Hierarchical ACKs for Efficient Wireless Medium Utilization", table 3. Per ``frames``
    (default): the air time of its frames. Per ``payloads``: by how much its ACK frames were longer for the compressed
    ones. Per ``access``: idle time just before its frames, IFS and backoff. Per ``late``: from the ends of its frames
    to the ends of their ACKs, or to time-outs, less SIFS and the duration of an ACK for each. Per ``bits``: what its IP
    packets that arrived would take at its rate, without preambles, headers and padding, which is how the paper counts.
    Per ``payload-bits``: the same for compressed ACKs, at the rate of ACK frames.

    Every frame that the node sends counts, and every attempt, so it should send nothing but TCP ACKs. Only of nodes of
    an open network of mode a with a fixed rate, hostapd's basic rates, and without WMM; others have no value.
    """

    about = "time that TCP ACKs of a role's nodes take in all, by cause; the nodes send nothing else (mode a, rate:)"
    takes = (MEDIUM,)
    per = _CAUSES
    dimension = DURATION
    unit = "ns"
    columns = _CAUSES

    def compute(self, metric: types.PlannedMetric, context: Context) -> MetricValues:
        computed = MetricValues()
        for name in metric.of if context.medium is not None else ():
            assert context.medium is not None
            link = _link(name, context.plan)
            if link is not None:
                times_ns = _times_ns(name, link, context.medium)
                computed.rows.append({"node": name, **times_ns})
                computed.values.append(times_ns[metric.per or _CAUSES[0]])
        return computed


def _link(name: str, plan: types.Plan) -> Legacy | None:
    """Return what the formulas need of a node's radio; None if they are not for it."""
    radio = plan.node(name).radio
    others = any(node.radio.basic_rates for node in plan.nodes if node.radio)
    if radio is None or radio.mode != "a" or "rate" not in radio.settings or radio.wmm or others:
        return None
    return Legacy(int(radio.settings["rate"].split()[0])) if radio.encrypt in (None, "open") else None


def _times_ns(name: str, link: Legacy, medium: OnAir) -> dict[str, float]:
    sent: Counter[str] = Counter()
    for radio in medium.radios:
        for counts in radio.categories.values() if radio.node == name else ():
            sent.update(data(counts))
    totals = [one.total for one in medium.links if one.sender == name]
    ip_bytes = sum(one.bytes - _FRAME_BYTES * one.delivered for one in totals)
    compressed = counts_of(name, "sent", medium)
    answer_ns = 1000 * (SIFS_US + link.answer_us(0))
    return {
        "frames": sent["air_ns"],
        "payloads": compressed["air_ns"],
        "access": sent["acquire_ns"],
        "late": sent["answer_ns"] - sent["attempts"] * answer_ns,
        "bits": 8000 * ip_bytes / link.rate_mbps,
        "payload-bits": 8000 * (compressed["bytes"] + compressed["payloads"]) / link.answer_mbps,
    }
