# SPDX-License-Identifier: MIT
"""What the reports of sap-streamer and sap-tracker have in common: one JSON object. Standard library only."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from lab.probes._text import Json, documents
from lab.probes.base import Param, ProbeOutputError, Raw

from ._kinds import Completion, Gaps, Payload

MODES = ("approximate", "precise")
PORT = Param("int", "port of the receiver", default=5001, least=1, most=65535)
LISTEN = Param("int", "port to listen on", default=5001, least=1, most=65535)
TO = Param("str", "address of the receiver", required=True)
EVERY_LEAST_NS = 1000

_GAPS = ("mean_ns", "variance_ns2", "min_ns", "p50_ns", "p90_ns", "p95_ns", "p99_ns", "max_ns")
_SAP = ("sent", "retransmitted", "timeouts", "received", "duplicates", "late", "overruns", "rejected_damaged")


def report(raw: Raw, role: str) -> Json | None:
    """The report in ``.out``; None where the program was ended before it had one.

    Raises:
        ProbeOutputError: something else is there, or a second report.
    """
    found = [Json(document, f"{raw.id}.out:{line}") for line, document in documents(raw)]
    if len(found) > 1:
        raise ProbeOutputError(f"{found[1].where}: a second report; one run gives one")
    if found and found[0]["role"].text() != role:
        raise ProbeOutputError(f"{found[0].where}: the report of a {role} was expected")
    return found[0] if found else None


def share(value: Json) -> float | None:
    """A number, or None where it is null: a share of nothing."""
    return None if value.absent() else value.number()


def inter_arrival(told: Json) -> dict[str, Any]:
    """``count`` and, each None where there were too few gaps, ``mean_ns``, ``variance_ns2``, percentiles and so on."""
    gaps = told["inter_arrival"]
    return {"count": gaps["count"].integer()} | {key: share(gaps[key]) for key in _GAPS}


def counters(told: Json) -> dict[str, int]:
    """The counters of libsap, under ``sap_…``."""
    return {f"sap_{key}": told["sap"][key].integer() for key in _SAP}


def duration(ns: int) -> str:
    """As the programs take it."""
    return f"{ns}ns"


def payload(raw: Raw, values: Mapping[str, Any]) -> Iterator[Payload]:
    """The bits that arrived, if anything is known of them."""
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
    """When a sink had it all, and the times between arrivals."""
    if values.get("complete"):
        yield from completion(raw, values)
    gaps = values["inter_arrival"]
    if gaps["variance_ns2"] is not None:
        told = {key.removesuffix("_ns"): gaps[key] for key in _GAPS if key != "variance_ns2"}
        yield Gaps(raw.id, gaps["count"], gaps["variance_ns2"], told)


def completion(raw: Raw, values: Mapping[str, Any]) -> Iterator[Completion]:
    """How long it took, where it came to its end."""
    if "elapsed_ns" in values:
        yield Completion(raw.id, values["elapsed_ns"])
