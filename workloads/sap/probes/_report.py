# SPDX-License-Identifier: MIT
"""Parse the reports of sap-streamer and sap-tracker: one JSON object each. Standard library only."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from lab.probes.base import Param, ProbeOutputError, Raw
from lab.probes.base.text import Json, documents

from ._results import Completion, Gaps, Payload

MODES = ("approximate", "precise")
PORT = Param("int", "port of the receiver", default=5001, least=1, most=65535)
LISTEN = Param("int", "port to listen on", default=5001, least=1, most=65535)
TO = Param("str", "address of the receiver", required=True)
EVERY_LEAST_NS = 1000

_GAPS = ("mean_ns", "variance_ns2", "min_ns", "p50_ns", "p90_ns", "p95_ns", "p99_ns", "max_ns")
_SAP = ("sent", "retransmitted", "timeouts", "received", "duplicates", "late", "overruns", "rejected_damaged")


def report(raw: Raw, role: str) -> Json | None:
    """Return the report in ``.out``; None if the program was ended before it printed one.

    Raises:
        ProbeOutputError: If the output is not exactly one report of that role.
    """
    found = [Json(document, f"{raw.id}.out:{line}") for line, document in documents(raw)]
    if len(found) > 1:
        raise ProbeOutputError(f"{found[1].where}: only one report was expected")
    if found and found[0]["role"].text() != role:
        raise ProbeOutputError(f"{found[0].where}: role must be {role}")
    return found[0] if found else None


def share(value: Json) -> float | None:
    """Return a number; None if it is null, the share of an empty set."""
    return None if value.absent() else value.number()


def inter_arrival(document: Json) -> dict[str, Any]:
    """Return ``count``, ``mean_ns``, ``variance_ns2``, percentiles etc.; None if there were too few gaps."""
    gaps = document["inter_arrival"]
    return {"count": gaps["count"].integer()} | {key: share(gaps[key]) for key in _GAPS}


def counters(document: Json) -> dict[str, int]:
    """Return the counters of libsap, as ``sap_…``."""
    return {f"sap_{key}": document["sap"][key].integer() for key in _SAP}


def duration(ns: int) -> str:
    """Return a duration as the programs expect it."""
    return f"{ns}ns"


def payload(raw: Raw, values: Mapping[str, Any]) -> Iterator[Payload]:
    """Yield the correctness of the bits that arrived, if it is known."""
    if values.get("wrong_bits") is not None or values.get("right_share") is not None:
        yield Payload(
            raw.id,
            values["arrived"],
            values.get("damaged"),
            values["arrived_bits"],
            values["wrong_bits"],
            values["ber_damaged"],
            values["right_share"],
        )


def arrival(raw: Raw, values: Mapping[str, Any]) -> Iterator[object]:
    """Yield the completion of a sink, and the times between arrivals."""
    if values.get("complete"):
        yield from completion(raw, values)
    gaps = values["inter_arrival"]
    if gaps["variance_ns2"] is not None:
        times = {key.removesuffix("_ns"): gaps[key] for key in _GAPS if key != "variance_ns2"}
        yield Gaps(raw.id, gaps["count"], gaps["variance_ns2"], times)


def completion(raw: Raw, values: Mapping[str, Any]) -> Iterator[Completion]:
    """Yield the duration, if it completed."""
    if "elapsed_ns" in values:
        yield Completion(raw.id, values["elapsed_ns"])
