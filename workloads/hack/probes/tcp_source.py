# SPDX-License-Identifier: MIT
"""tcp-source: sends to a ``tcp-sink`` as fast as TCP lets it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

from lab.probes.base import Param, Parsed, Probe, Raw, Retransmissions, Target, TimeSeries, Transfer, program_path
from lab.probes.base.text import Json, documents

from . import _tcp

_SECOND = 1_000_000_000


class TcpSource(Probe):
    """Sends over TCP to a ``tcp-sink`` for a time, or a number of bytes.

    It ends when the sink has read everything. Values: ``sent`` (B, given to TCP), ``bytes`` (which the sink has read),
    ``seconds``, from the start of its connection until the sink's answer that it has read them, and ``complete``:
    whether it has read all; ``retransmits``; ``timeouts``: how often TCP's timer (RTO) expired. A flow that the end of
    the run cuts off is not complete, so the metric transfer-time leaves it out.
    """

    about = "TCP as fast as it goes, to a tcp-sink, for a time or a number of bytes"
    acts = True
    programs: ClassVar[dict[str, str]] = _tcp.program()
    yields = (Transfer, Retransmissions)
    params: ClassVar[dict[str, Param]] = {
        "to": Param("str", "address of the sink", required=True),
        "port": Param("int", "port of the sink", default=_tcp.PORT, least=1, most=65535),
        "duration": Param("duration", "how long to send", default=10 * _SECOND, least=1_000_000),
        "bytes": Param("size", "amount of data to send, instead of a duration", least=1),
        "congestion": Param("str", "TCP congestion control; default: the node's"),
    }

    def argv(self, target: Target, params: dict[str, Any], raw: str) -> list[str]:
        numbers = (params["port"], params["duration"], params["bytes"] or 0)
        command = ["python3", program_path(_tcp.PROGRAM), "source", params["to"], *map(str, numbers)]
        return [*command, *([params["congestion"]] if params["congestion"] else [])]

    def parse(self, raw: Raw) -> Parsed:
        """Read ``.out``; it is empty if the source was killed, or never connected."""
        parsed = Parsed()
        for number, document in documents(raw):
            line = Json(document, f"{raw.id}.out:{number}")
            begin_ns, end_ns = (_tcp.time_ns(line[key], raw.epoch_ns) for key in ("begin_s", "end_s"))
            parsed.values |= {"sent": line["sent"].integer(), "bytes": line["arrived"].integer()}
            parsed.values |= {key: line[key].integer() for key in ("retransmits", "timeouts")}
            parsed.values["seconds"] = (end_ns - begin_ns) / _SECOND
            parsed.values["complete"] = parsed.values["bytes"] == parsed.values["sent"] > 0
        return parsed

    def found(self, raw: Raw, parsed: Parsed) -> Iterator[object]:
        """Yield the transfer, and the retransmissions; nothing if it was killed."""
        values = parsed.values
        if "sent" not in values:
            return
        complete = bool(values.get("complete"))
        duration_ns = round(values["seconds"] * _SECOND)
        yield Transfer(raw.id, values["bytes"], duration_ns, TimeSeries(raw.id, "bit/s"), complete=complete)
        yield Retransmissions(raw.id, values["retransmits"])
