# SPDX-License-Identifier: MIT
"""What flow prints: one JSON object per line. Standard library only."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from lab.errors import ParameterError
from lab.probes.base import Param, ProbeOutputError, Raw
from lab.probes.base.text import Json, documents, stamp_ns

PROTOCOLS = ("tcp", "udp", "dccp")
SECOND_NS = 1_000_000_000
MILLISECOND_NS = 1_000_000

PROTOCOL = Param("str", "tcp, udp or dccp", required=True)
EVERY = Param("duration", "length of an interval", default=SECOND_NS, least=MILLISECOND_NS)
SERVICE = Param("int", "DCCP: service code (RFC 4340 8.1.2)", default=1, most=4_294_967_294)
BUFFER = Param("size", "SO_SNDBUF or SO_RCVBUF of the socket (the kernel doubles it)", least=2304)


def check_protocol(protocol: str) -> None:
    """Raise a ParameterError for an unknown protocol."""
    if protocol not in PROTOCOLS:
        raise ParameterError(
            "protocol", f'"{protocol}" is not valid; write {", ".join(PROTOCOLS[:-1])} or {PROTOCOLS[-1]}'
        )


def check_options(params: dict[str, Any], known: dict[str, Param], protocol_of: dict[str, str]) -> None:
    """Raise a ParameterError for a key that only another protocol has; ``protocol_of`` says which keys these are."""
    for key, protocol in protocol_of.items():
        if params[key] != known[key].default and params["protocol"] != protocol:
            raise ParameterError(key, f"is for protocol: {protocol}; remove this")


def check_durations(params: dict[str, Any], *keys: str) -> None:
    """Raise a ParameterError for a duration that flow cannot have, which takes milliseconds."""
    for key in keys:
        if params[key] is not None and params[key] % MILLISECOND_NS:
            raise ParameterError(key, "must be whole milliseconds")


def lines(raw: Raw) -> Iterator[tuple[str, int, Json]]:
    """Yield (kind, time since the timeline's start in ns, the object) of each line of ``.out``."""
    for number, document in documents(raw):
        line = Json(document, f"{raw.id}.out:{number}")
        yield line["kind"].text(), time_ns(line["t_s"], raw), line


def time_ns(stamp: Json, raw: Raw) -> int:
    """Return a time since the timeline's start."""
    try:
        return stamp_ns(stamp.text()) - raw.epoch_ns
    except ValueError as error:
        raise ProbeOutputError(f"{stamp.where}: {error}") from None


def milliseconds(duration_ns: int) -> str:
    """Return a duration as flow expects it."""
    return str(duration_ns // MILLISECOND_NS)
