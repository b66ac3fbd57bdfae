# SPDX-License-Identifier: MIT
"""sap-track-sink: receives the positions of a ``sap-tracker`` and computes their mean speed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

from lab.probes.base import Flow, Param, Parsed, Probe, Raw, Target

from . import _report
from ._results import Completion, Gaps, WalkArrived

_GAPS = ("ignored", "counted")


class SapTrackSink(Probe):
    """Receives one trace. Give its process ``ready: {listening: udplite/5001}``, or ``tcp/5001`` with ``tcp: true``.

    Values: ``complete`` (the end arrived), ``expected``, ``arrived``, ``lost``, ``discarded`` (points),
    ``discarded_speed``, ``discarded_place``, ``discarded_stale`` (too fast, not on earth, out of order),
    ``speed_m_s`` (the cumulative moving average; None before the second point), ``distance_m``, ``elapsed_ns`` (from
    the opening to the end), ``inter_arrival``, and over SAP libsap's counters ``sap_…``.
    """

    about = "receiver for sap-tracker: mean speed, lost and discarded points"
    acts = True
    yields = (Flow, Completion, Gaps, WalkArrived)
    params: ClassVar[dict[str, Param]] = {
        "port": _report.LISTEN,
        "tcp": Param("bool", "whether the sender's transport is tcp", default=False),
        "gaps": Param(
            "str",
            "ignored: each point is one interval after the previous arrival (the paper); counted: lost ones count",
            default="ignored",
        ),
        "idle": Param(
            "duration", "give up if the sender is silent for this long", default=10_000_000_000, least=1_000_000
        ),
    }

    def check(self, params: dict[str, Any]) -> None:
        """Check as in the base class; also refuse an unknown value of ``gaps``."""
        super().check(params)
        if params["gaps"] not in _GAPS:
            raise ValueError(f'gaps: "{params["gaps"]}" is not valid; write ignored or counted')

    def argv(self, target: Target, params: dict[str, Any], raw: str) -> list[str]:
        command = ["sap-tracker", "receive", "--json", "--port", str(params["port"]), "--gaps", params["gaps"]]
        command += ["--idle", _report.duration(params["idle"])]
        command += ["--bind", "::"] if target.ipv6 else []
        return [*command, "--tcp"] if params["tcp"] else command

    def parse(self, raw: Raw) -> Parsed:
        """Read ``.out``; it is empty if nothing arrived."""
        parsed = Parsed()
        document = _report.report(raw, "receiver")
        if document is None:
            return parsed
        values: dict[str, Any] = {"complete": document["complete"].flag(), "transport": document["transport"].text()}
        values |= {key: document["points"][key].integer() for key in ("expected", "arrived", "lost", "discarded")}
        values |= {f"discarded_{key}": document["discarded"][key].integer() for key in ("place", "speed", "stale")}
        values |= {"speed_m_s": _report.share(document["speed_m_s"]), "distance_m": document["distance_m"].number()}
        values |= {"elapsed_ns": document["elapsed_ns"].integer(), "inter_arrival": _report.inter_arrival(document)}
        if values["transport"] == "sap":
            values |= _report.counters(document)
        parsed.values |= values
        return parsed

    def found(self, raw: Raw, parsed: Parsed) -> Iterator[object]:
        """Yield what arrived and when, and its mean speed."""
        values = parsed.values
        if "expected" not in values:
            return
        yield Flow(raw.id, values["expected"], values["lost"])
        yield from _report.arrival(raw, values)
        if values["speed_m_s"] is not None:
            counts = (values[key] for key in ("expected", "lost", "discarded"))
            yield WalkArrived(raw.id, raw.params.get("port"), values["speed_m_s"], *counts)
