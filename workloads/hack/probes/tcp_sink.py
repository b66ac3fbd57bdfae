# SPDX-License-Identifier: MIT
"""tcp-sink: receives from a ``tcp-source``, and acknowledges every second segment if it is asked to."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

from lab.errors import ParameterError
from lab.probes.base import (
    Delivery,
    Param,
    Parsed,
    Probe,
    ProbeOutputError,
    Raw,
    Samples,
    Target,
    TimeSeries,
    program_path,
)
from lab.probes.base.text import Json, documents

from . import _tcp

_SECOND = 1_000_000_000
_WINDOW = 1 << 20
_LEAST_WINDOW = 1 << 12
EVERY_SECOND = "every second segment"
AS_LINUX = "as Linux does"


class TcpSink(Probe):
    """Receives over TCP what a ``tcp-source`` sends, one connection after the other.

    Give its process ``ready: {listening: tcp/5301}``.

    ``acknowledges: every second segment``, or ``as Linux does``, which is the default. Linux acknowledges all segments
    of an A-MPDU by one or two ACKs, since its program reads them at once. With ``every second segment`` the receiver
    does what ns-3's does, and RFC 1122 asks for: two full segments are acknowledged at once, a single one after
    40 to 200 ms, and what comes out of order at once. Its receive window is then ``window``, 1 MiB unless it is set,
    and does not shrink while data wait for the program.

    Series: ``goodput`` (bit/s), one sample at the end of each interval. Values, of the last connection: ``bytes``,
    ``omitted`` (B), ``seconds`` (from the start, or the end of ``omit``, to the last byte), ``goodput_bps``,
    ``complete`` (the source has sent all), and ``connections``.
    """

    about = "receiver for tcp-source: goodput over time; can acknowledge every second segment of an A-MPDU"
    acts = True
    programs: ClassVar[dict[str, str]] = _tcp.program()
    yields = (Samples("goodput"), Delivery)
    params: ClassVar[dict[str, Param]] = {
        "port": Param("int", "port to listen on", default=_tcp.PORT, least=1, most=65535),
        "acknowledges": Param("str", f"{EVERY_SECOND}, or {AS_LINUX}", default=AS_LINUX),
        "window": Param("size", f"receive window; default: 1 MiB with {EVERY_SECOND}", least=_LEAST_WINDOW),
        "omit": Param("duration", "leave out what arrives in this time after the connection's start", default=0),
        "every": Param("duration", "length of an interval", default=_SECOND, least=10_000_000),
    }

    def check(self, params: dict[str, Any]) -> None:
        """Check as in the base class; also refuse an unknown way to acknowledge."""
        super().check(params)
        if params["acknowledges"] not in (EVERY_SECOND, AS_LINUX):
            raise ParameterError("acknowledges", f'"{params["acknowledges"]}" is not one of {EVERY_SECOND}, {AS_LINUX}')

    def argv(self, target: Target, params: dict[str, Any], raw: str) -> list[str]:
        second = int(params["acknowledges"] == EVERY_SECOND)
        window = params["window"] or second * _WINDOW
        numbers = (params["port"], second, params["every"], params["omit"], window)
        words = ["python3", program_path(_tcp.PROGRAM), "sink", *map(str, numbers)]
        return [*words, "6"] if target.ipv6 else words

    def runs_on(self, params: dict[str, Any]) -> bool:
        return True

    def parse(self, raw: Raw) -> Parsed:
        """Read ``.out``: a line for each interval, and one for each connection."""
        parsed = Parsed(values={"connections": 0})
        for number, document in documents(raw):
            line = Json(document, f"{raw.id}.out:{number}")
            if "total" in line:
                _parse_connection(line, raw, parsed)
            else:
                _parse_interval(line, raw, parsed)
        return parsed

    def found(self, raw: Raw, parsed: Parsed) -> Iterator[Delivery]:
        """Yield what arrived in the last connection; nothing if nothing was counted."""
        if "seconds" not in parsed.values:
            return
        goodput = next((one for one in parsed.series if one.name == "goodput"), TimeSeries("", ""))
        rate = TimeSeries(raw.id, "bit/s", goodput.t_ns, goodput.values)
        size, duration_ns = parsed.values["bytes"], round(parsed.values["seconds"] * _SECOND)
        yield Delivery(raw.id, size, duration_ns, rate)


def _parse_interval(line: Json, raw: Raw, parsed: Parsed) -> None:
    since_ns, until_ns = (_tcp.time_ns(line[key], raw.epoch_ns) for key in ("since_s", "until_s"))
    if until_ns <= since_ns:
        raise ProbeOutputError(f"{line.where}: an interval must end after it begins")
    parsed.add("goodput", "bit/s", until_ns, 8 * line["bytes"].integer() * _SECOND / (until_ns - since_ns))


def _parse_connection(line: Json, raw: Raw, parsed: Parsed) -> None:
    values = parsed.values
    values["connections"] += 1
    values["bytes"], values["omitted"] = line["total"].integer(), line["omitted"].integer()
    values["complete"] = line["complete"].flag()
    if "begin_s" not in line:
        return  # it was ended before the end of ``omit``
    begin_ns, last_ns = (_tcp.time_ns(line[key], raw.epoch_ns) for key in ("begin_s", "last_s"))
    values["seconds"] = (last_ns - begin_ns) / _SECOND
    values["goodput_bps"] = 8 * values["bytes"] / values["seconds"] if values["seconds"] > 0 else 0.0
