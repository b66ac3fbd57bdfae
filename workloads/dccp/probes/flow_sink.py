# SPDX-License-Identifier: MIT
"""flow-sink: receives what a ``flow-send`` sends, over TCP, UDP or DCCP."""

from __future__ import annotations

import itertools
import statistics
from collections.abc import Iterator
from typing import Any, ClassVar

from lab.probes.base import Delay, Delivery, Flow, Param, Parsed, Probe, Raw, Samples, Target, TimeSeries
from lab.probes.base.text import Json

from . import _report
from ._results import Order, Variation

_COUNTS = ("packets", "bytes", "lost", "out_of_order", "duplicates", "damaged", "wrong_bits")
_EACH = ("lost", "out_of_order")  # of the counts, those that have a series


class FlowSink(Probe):
    """Receives one flow. Give its process ``ready: {log: listening}``.

    Series, a sample at the end of each interval since the start of the flow: ``goodput`` (bit/s), ``lost`` and
    ``out_of_order`` (packets), and, if anything arrived, ``delay`` and ``delay_change`` (ms): the mean one-way delay,
    and the mean difference from that of the packet before. Values: ``packets``, ``bytes``, ``lost``, ``out_of_order``,
    ``duplicates``, and ``delay_mean_ns``, ``delay_min_ns``, ``delay_max_ns``; ``pause_ns``, the longest time without an
    arrival; ``sent`` (packets), if the sender could tell; with ``compare`` ``damaged`` (packets with a wrong bit) and
    ``wrong_bits``. For jitter there are three: see the metric ``jitter``.

    A packet is lost if one with a higher number arrived, or if the sender could say at the end that there was one.
    """

    about = "receiver for flow-send: throughput, loss, order, one-way delay and its variation, in each interval"
    acts = True
    yields = (
        Samples("goodput"),
        Samples("lost"),
        Samples("delay"),
        Samples("delay_change"),
        Flow,
        Delivery,
        Delay,
        Variation,
        Order,
    )
    params: ClassVar[dict[str, Param]] = {
        "protocol": _report.PROTOCOL,
        "port": Param("int", "port to listen on", default=5001, least=1, most=65535),
        "every": _report.EVERY,
        "service": _report.SERVICE,
        "coverage": Param("int", "DCCP: the least checksum coverage that it accepts; 0: all", default=0, most=15),
        "compare": Param("bool", "compare what arrives with what was sent, bit by bit", default=False),
        "buffer": _report.BUFFER,
    }

    def check(self, params: dict[str, Any]) -> None:
        """Check as in the base class; also refuse an unknown protocol, or an option of another one."""
        super().check(params)
        _report.check_protocol(params["protocol"])
        _report.check_durations(params, "every")
        _report.check_options(params, self.params, {"service": "dccp", "coverage": "dccp"})

    def argv(self, target: Target, params: dict[str, Any], raw: str) -> list[str]:
        command = ["flow", "sink", "--protocol", params["protocol"], "--port", str(params["port"])]
        command += ["--every-ms", _report.milliseconds(params["every"])]
        if params["protocol"] == "dccp":
            command += ["--service", str(params["service"]), "--coverage", str(params["coverage"])]
        if params["buffer"] is not None:
            command += ["--buffer-bytes", str(params["buffer"])]
        command += ["--bind", "::"] if target.ipv6 else []
        return [*command, "--compare"] if params["compare"] else command

    def runs_on(self, params: dict[str, Any]) -> bool:
        """Return True: it receives until the flow, or the run, ends."""
        return True

    def parse(self, raw: Raw) -> Parsed:
        parsed = Parsed()
        every_ns = raw.params.get("every", self.params["every"].default)
        end_ns: int | None = None
        smoothed_ns: list[float] = []
        intervals = []
        for kind, t_ns, line in _report.lines(raw):
            if kind == "arrived":
                intervals.append((t_ns, line))
            elif kind == "end":
                end_ns = t_ns
                _read_end(raw, line, parsed)
        for t_ns, line in intervals:
            if end_ns is None or t_ns <= end_ns:  # not the one that the end cut off
                _read_interval(t_ns, line, every_ns, parsed)
                smoothed_ns.append(line["jitter_ns"].number())
        parsed.values |= _variation(parsed, smoothed_ns)
        return parsed

    def found(self, raw: Raw, parsed: Parsed) -> Iterator[object]:
        """Yield loss, delivery, delays and their variation, and order; if nothing arrived, only that, and its loss."""
        values = parsed.values
        if values.get("lost") or values.get("packets"):
            yield Flow(raw.id, values["packets"] + values["lost"], values["lost"])
        if not values.get("packets"):
            yield Delivery(raw.id, 0, 0)
            return
        series = {one.name: one for one in parsed.series}
        took_ns = values["last_ns"] - values["first_ns"]
        later = values["bytes"] * (values["packets"] - 1) / values["packets"]
        rate = series.get("goodput", TimeSeries("", ""))
        over_time = TimeSeries(raw.id, "bit/s", rate.t_ns, rate.values)
        yield Delivery(raw.id, values["bytes"], took_ns, over_time, in_duration=later)
        least_ns, mean_ns, most_ns = (values[f"delay_{key}_ns"] for key in ("min", "mean", "max"))
        yield Delay(raw.id, values["packets"], least_ns, mean_ns, most_ns, series.get("delay", TimeSeries("", "ms")))
        packets_ns, intervals_ns, smoothed_ns = (
            values[f"jitter_{key}_ns"] for key in ("packets", "intervals", "smoothed")
        )
        changes = series.get("delay_change", TimeSeries("", "ms"))
        yield Variation(raw.id, packets_ns, intervals_ns, smoothed_ns, changes)
        yield Order(raw.id, values["packets"], values["out_of_order"])


def _read_interval(t_ns: int, line: Json, every_ns: int, parsed: Parsed) -> None:
    """Add the samples of one interval that was not cut off."""
    parsed.add("goodput", "bit/s", t_ns, 8 * line["bytes"].integer() * _report.SECOND_NS / every_ns)
    for key in _EACH:
        parsed.add(key, "packets", t_ns, line[key].integer())
    for name, key in (("delay", "delay_mean_ns"), ("delay_change", "delay_change_ns")):
        if not line[key].absent():
            parsed.add(name, "ms", t_ns, line[key].number() / _report.MILLISECOND_NS)


def _read_end(raw: Raw, line: Json, parsed: Parsed) -> None:
    """Read the totals."""
    parsed.values |= {key: line[key].integer() for key in _COUNTS}
    for key in ("delay_mean_ns", "delay_min_ns", "delay_max_ns"):
        parsed.values[key] = None if line[key].absent() else line[key].number()
    if "sent" in line:
        parsed.values["sent"] = line["sent"].integer()
    if "first_s" in line:
        parsed.values |= {f"{key}_ns": _report.time_ns(line[f"{key}_s"], raw) for key in ("start", "first", "last")}
        parsed.values["pause_ns"] = line["pause_ns"].integer()


def _variation(parsed: Parsed, smoothed_ns: list[float]) -> dict[str, float | None]:
    """Return the three readings of jitter; None if too few packets arrived."""
    series = {one.name: one.values for one in parsed.series}
    changes = [value * _report.MILLISECOND_NS for value in series.get("delay_change", [])]
    means = series.get("delay", [])
    steps = [abs(b - a) * _report.MILLISECOND_NS for a, b in itertools.pairwise(means)]
    found = {"packets": changes, "intervals": steps, "smoothed": smoothed_ns}
    return {f"jitter_{key}_ns": statistics.fmean(values) if values else None for key, values in found.items()}
