# SPDX-License-Identifier: MIT
"""udp-sink: receives the flows of ``udp-sender``."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

from lab.probes import _udp
from lab.probes.base import (
    Delay,
    Delivery,
    Flow,
    Param,
    Parsed,
    Probe,
    ProbeOutputError,
    Raw,
    Receiver,
    Samples,
    Target,
    TimeSeries,
    program_path,
)
from lab.probes.base.text import Json, documents, stamp_ns

_SECOND = 1_000_000_000
_MILLISECOND = 1_000_000
_MOST_SAMPLES = 3_000_000  # with those of empty intervals: a node can write any time, and must not fill the memory


class UdpSink(Probe):
    """Receives the flows of all senders. Give its process ``ready: {listening: udp/9000}``.

    Series of each flow, with a sample at the end of an interval: ``goodput/<flow>`` (bit/s of UDP payload; 0 where
    nothing arrived between the flow's first datagram and its last) and ``delay/<flow>`` (ms, mean one-way delay since
    the sender's call; no sample where nothing arrived). Values: ``packets``, ``bytes`` and ``lost`` of all flows, and
    ``flows``, for each by name: ``packets``, ``bytes``, ``lost`` (missing numbers below
    the highest that arrived), ``first_ns`` and ``last_ns`` since the timeline's start,
    ``delay_min_ns``, ``delay_mean_ns``, ``delay_max_ns``.
    """

    about = "receiver for udp-sender: goodput, loss and one-way delay of each flow"
    acts = True
    programs: ClassVar[dict[str, str]] = {_udp.PROGRAM: _udp.source()}
    yields = (Samples("goodput"), Samples("delay"), Flow, Delivery, Delay, Receiver)
    params: ClassVar[dict[str, Param]] = {
        "port": Param("int", "port to listen on", default=9000, least=1, most=65535),
        "every": Param("duration", "length of an interval", default=_SECOND, least=10 * _MILLISECOND),
    }

    def argv(self, target: Target, params: dict[str, Any], raw: str) -> list[str]:
        words = ["python3", program_path(_udp.PROGRAM), "sink", str(params["port"]), str(params["every"])]
        return [*words, "6"] if target.ipv6 else words

    def runs_on(self, params: dict[str, Any]) -> bool:
        return True

    def parse(self, raw: Raw) -> Parsed:
        parsed = Parsed()
        every_ns = raw.params.get("every", self.params["every"].default)
        flows: dict[str, dict[str, Any]] = {}
        for line, document in documents(raw):
            _parse_interval(Json(document, f"{raw.id}.out:{line}"), raw.epoch_ns, every_ns, flows, parsed)
        for flow in flows.values():
            flow["lost"] = flow.pop("next") - flow["packets"]
            flow["delay_mean_ns"] = flow.pop("delays_ns") / flow["packets"]
            del flow["end_ns"]
        totals = {key: sum(flow[key] for flow in flows.values()) for key in ("packets", "bytes", "lost")}
        parsed.values |= {**totals, "flows": flows}
        return parsed

    def found(self, raw: Raw, parsed: Parsed) -> Iterator[object]:
        """Yield its port, and loss, delivery and delays of each flow."""
        yield Receiver(raw.params.get("port", self.params["port"].default))
        for name, flow in parsed.values.get("flows", {}).items():
            yield Flow(name, flow["packets"] + flow["lost"], flow["lost"])
            rate = parsed.series_of(f"goodput/{name}")
            later = flow["bytes"] * (flow["packets"] - 1) / flow["packets"]  # all datagrams have the same size
            yield Delivery(
                name,
                flow["bytes"],
                flow["last_ns"] - flow["first_ns"],
                TimeSeries(name, "bit/s", rate.t_ns, rate.values),
                in_duration=later,
            )
            least_ns, mean_ns, most_ns = (flow[f"delay_{key}_ns"] for key in ("min", "mean", "max"))
            yield Delay(name, flow["packets"], least_ns, mean_ns, most_ns, parsed.series_of(f"delay/{name}"))


def _parse_interval(line: Json, epoch_ns: int, every_ns: int, flows: dict[str, dict[str, Any]], parsed: Parsed) -> None:
    name, end_ns = line["flow"].text(), _time_ns(line["end_s"], epoch_ns)
    count, size = line["packets"].integer(), line["bytes"].integer()
    delays_ns = [delay.integer() for delay in line["delay_ns"].items()]
    if count < 1 or len(delays_ns) != 3:
        raise ProbeOutputError(f"{line.where}: must have packets, and their least, total and greatest delay")
    least_ns, total_ns, most_ns = delays_ns
    _add_empty(line, name, flows.get(name, {}).get("end_ns", end_ns), end_ns, every_ns, parsed)
    parsed.add(f"goodput/{name}", "bit/s", end_ns, 8 * size * _SECOND / every_ns)
    parsed.add(f"delay/{name}", "ms", end_ns, total_ns / count / _MILLISECOND)
    fresh = {"packets": 0, "bytes": 0, "next": 0, "first_ns": _time_ns(line["first_s"], epoch_ns)}
    fresh |= {"delay_min_ns": least_ns, "delay_max_ns": most_ns, "delays_ns": 0}
    flow = flows.setdefault(name, fresh)
    flow["end_ns"] = end_ns
    flow["packets"] += count
    flow["bytes"] += size
    flow["next"] = max(flow["next"], line["next"].integer())
    flow["last_ns"] = _time_ns(line["last_s"], epoch_ns)
    flow["delay_min_ns"] = min(flow["delay_min_ns"], least_ns)
    flow["delay_max_ns"] = max(flow["delay_max_ns"], most_ns)
    flow["delays_ns"] += total_ns


def _add_empty(line: Json, flow: str, before_ns: int, end_ns: int, every_ns: int, parsed: Parsed) -> None:
    """Add the intervals of a flow in which nothing arrived, between those that end at ``before_ns`` and ``end_ns``."""
    count = max(0, (end_ns - before_ns - 1) // every_ns)
    if count and count + sum(len(series.values) for series in parsed.series) > _MOST_SAMPLES:
        raise ProbeOutputError(f"{line.where}: end_s must be closer to the line before: too many intervals are empty")
    for number in range(1, count + 1):
        parsed.add(f"goodput/{flow}", "bit/s", before_ns + number * every_ns, 0)


def _time_ns(stamp: Json, epoch_ns: int) -> int:
    try:
        return stamp_ns(stamp.text()) - epoch_ns
    except ValueError as error:
        raise ProbeOutputError(f"{stamp.where}: {error}") from None
