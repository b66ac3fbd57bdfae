# SPDX-License-Identifier: MIT
"""sap-track-sink: the speed that the positions of a ``sap-tracker`` amount to where they arrive."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

from lab.probes.base import Flow, Param, Parsed, Probe, Raw, Target

from . import _report
from ._kinds import Completion, Gaps, WalkArrived

_GAPS = ("ignored", "counted")


class SapTrackSink(Probe):
    """Receives one trace. Give its process ``ready: {listening: udplite/5001}``, or ``tcp/5001`` with ``tcp: true``.

    Values: ``complete`` (the end came), ``expected``, ``arrived``, ``lost``, ``discarded`` (points),
    ``discarded_speed``, ``discarded_place``, ``discarded_stale`` (why: too fast, none on earth, overtaken),
    ``speed_m_s`` (the cumulative moving average; None before the second point), ``distance_m``, ``elapsed_ns`` (from
    the opening to the end), ``inter_arrival``, and over SAP libsap's counters ``sap_…``.
    """

    about = "the mean speed of a sap-tracker as its receiver finds it, points lost and discarded"
    acts = True
    yields = (Flow, Completion, Gaps, WalkArrived)
    params: ClassVar[dict[str, Param]] = {
        "port": _report.LISTEN,
        "tcp": Param("bool", "the sender's transport is tcp", default=False),
        "gaps": Param(
            "str",
            "ignored: a point is one interval after the one that arrived before (the paper); counted: lost ones count",
            default="ignored",
        ),
        "idle": Param(
            "duration", "a sender that is silent for so long is given up", default=10_000_000_000, least=1_000_000
        ),
    }

    def check(self, params: dict[str, Any]) -> None:
        """As every probe; and ValueError: no such way to treat gaps."""
        super().check(params)
        if params["gaps"] not in _GAPS:
            raise ValueError(f"gaps: there is no {params['gaps']}; write ignored or counted")

    def argv(self, target: Target, params: dict[str, Any], raw: str) -> list[str]:
        """``sap-tracker receive``."""
        command = ["sap-tracker", "receive", "--json", "--port", str(params["port"]), "--gaps", params["gaps"]]
        command += ["--idle", _report.duration(params["idle"])]
        return [*command, "--tcp"] if params["tcp"] else command

    def parse(self, raw: Raw) -> Parsed:
        """Read ``.out``; it is empty if nothing came."""
        parsed = Parsed()
        told = _report.report(raw, "receiver")
        if told is None:
            return parsed
        values: dict[str, Any] = {"complete": told["complete"].flag(), "transport": told["transport"].text()}
        values |= {key: told["points"][key].integer() for key in ("expected", "arrived", "lost", "discarded")}
        values |= {f"discarded_{key}": told["discarded"][key].integer() for key in ("place", "speed", "stale")}
        values |= {"speed_m_s": _report.share(told["speed_m_s"]), "distance_m": told["distance_m"].number()}
        values |= {"elapsed_ns": told["elapsed_ns"].integer(), "inter_arrival": _report.inter_arrival(told)}
        if values["transport"] == "sap":
            values |= _report.counters(told)
        parsed.values |= values
        return parsed

    def found(self, raw: Raw, parsed: Parsed) -> Iterator[object]:
        """What arrived and when, and the speed that it amounts to."""
        values = parsed.values
        if "expected" not in values:
            return
        yield Flow(raw.id, values["expected"], values["lost"])
        yield from _report.arrival(raw, values)
        if values["speed_m_s"] is not None:
            counts = (values[key] for key in ("expected", "lost", "discarded"))
            yield WalkArrived(raw.id, raw.params.get("port"), values["speed_m_s"], *counts)


PROBE = SapTrackSink()
