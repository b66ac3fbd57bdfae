# SPDX-License-Identifier: MIT
"""Loss: packets that did not arrive."""

from __future__ import annotations

from lab.metrics.base import Context, Figures, Metric, Source, chosen
from lab.shared import types
from lab.units import PERCENT


class Loss(Metric):
    """Requests of ping without a reply, or datagrams of a sender that its receiver missed, in percent.

    What a udp-sender sent after the last datagram that arrived is not counted. Of sap-streamer, sap-tracker and
    sap-get all that was to come counts, each datagram once; their repetitions do not.
    """

    about = "packets that did not arrive: ping without reply, datagrams of iperf3, udp-sender and the senders of SAP"
    of = ("ping", "iperf3", "iperf3-server", "udp-sink", "sap-stream-sink", "sap-track-sink", "sap-get")
    dimension = PERCENT
    unit = "%"
    columns = ("loss",)

    def figures(self, metric: types.Metric, context: Context) -> Figures:
        """One row per source, or flow, that sent anything."""
        figures = Figures()
        for source in chosen(metric, context):
            for name, (sent, lost) in _counts(source).items():
                if sent:
                    percent = 100 * lost / sent
                    figures.values.append(percent)
                    figures.rows.append({"process": name, "sent": sent, "lost": lost, "loss": percent})
        return figures


def _counts(source: Source) -> dict[str, tuple[int, int]]:
    """By process: sent, lost."""
    values = source.parsed.values
    if source.probe == "udp-sink":
        flows = values.get("flows", {})
        return {name: (flow["packets"] + flow["lost"], flow["lost"]) for name, flow in flows.items()}
    if source.probe in ("sap-stream-sink", "sap-track-sink", "sap-get"):
        return {source.id: (values.get("expected", 0), values.get("lost", 0))}
    if source.probe == "ping":
        sent = values.get("transmitted", 0)
        return {source.id: (sent, sent - values.get("received", 0))}
    return {source.id: (values.get("packets", 0), values.get("lost", 0))}


METRIC = Loss()
