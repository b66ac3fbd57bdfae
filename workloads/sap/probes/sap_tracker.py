# SPDX-License-Identifier: MIT
"""sap-tracker: sends positions, each in a datagram of SAP, or over TCP."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

from lab.probes.base import Param, Parsed, Probe, Raw, Target

from . import _report
from ._results import Completion, WalkSent

WALK = "/opt/sap/share/sap/walk.csv"


class SapTracker(Probe):
    """Sends a trace to a ``sap-track-sink`` that is ready. The program is part of the stack sap.

    Values: ``points``, ``speed_m_s`` (mean speed of what it sends: the ground truth), ``elapsed_ns`` (from the opening
    to the end), and over SAP libsap's counters ``sap_…``.
    """

    about = "positions (latitude, longitude) at a fixed interval, over SAP or TCP"
    acts = True
    yields = (Completion, WalkSent)
    params: ClassVar[dict[str, Param]] = {
        "to": _report.TO,
        "port": _report.PORT,
        "trace": Param("str", "a CSV file of the node; default: the synthetic walk of 945 points", default=WALK),
        "transport": Param("str", "approximate or precise (SAP), or tcp", default="approximate"),
        "every": Param("duration", "time between points; default: as in the trace (1 s)", least=_report.EVERY_LEAST_NS),
        "count": Param("int", "number of points from the start of the trace; default: all", least=2),
    }

    def check(self, params: dict[str, Any]) -> None:
        """Check as in the base class; also refuse an unknown transport."""
        super().check(params)
        if params["transport"] not in (*_report.MODES, "tcp"):
            raise ValueError(f'transport: "{params["transport"]}" is not valid; write approximate, precise or tcp')

    def argv(self, target: Target, params: dict[str, Any], raw: str) -> list[str]:
        command = ["sap-tracker", "send", "--to", params["to"], "--port", str(params["port"]), "--json"]
        command += ["--trace", params["trace"]]
        command += ["--tcp"] if params["transport"] == "tcp" else ["--mode", params["transport"]]
        if params["every"] is not None:
            command += ["--every", _report.duration(params["every"])]
        if params["count"] is not None:
            command += ["--count", str(params["count"])]
        return command

    def parse(self, raw: Raw) -> Parsed:
        """Read ``.out``; it is empty if the sender was killed."""
        parsed = Parsed()
        document = _report.report(raw, "sender")
        if document is not None:
            parsed.values |= {key: document[key].integer() for key in ("points", "elapsed_ns")}
            parsed.values["speed_m_s"] = document["speed_m_s"].number()
            if document["transport"].text() == "sap":
                parsed.values |= _report.counters(document)
        return parsed

    def found(self, raw: Raw, parsed: Parsed) -> Iterator[object]:
        """Yield the duration, and the speed that a receiver should find."""
        yield from _report.completion(raw, parsed.values)
        if parsed.values.get("speed_m_s"):
            yield WalkSent(raw.params.get("port"), parsed.values["speed_m_s"])
