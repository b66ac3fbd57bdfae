# SPDX-License-Identifier: MIT
"""sap-get: fetches files by SAP or TCP; reports duration, lost datagrams and wrong bits of each.

The program belongs to the stack ``sap`` (``workloads/sap``): this probe runs in workloads of that stack. Its summary is
what ``sap-get --json`` prints.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import Any, ClassVar

from lab.errors import ParameterError
from lab.probes.base import Flow, Occurrence, Param, Parsed, Probe, ProbeOutputError, Raw, Target, Transfer
from lab.probes.base.text import Json, documents, seconds, stamp_ns
from lab.probes.base.watched import watched

from . import _report
from ._results import Intact, Payload

_TRANSPORTS = ("tcp", "sap-approximate", "sap-precise")
_SECOND = 1_000_000_000
_COUNTED = ("bytes", "datagrams", "datagrams_lost")
_COMPARED = ("datagrams_damaged", "bytes_damaged", "wrong_bytes", "wrong_bits")
_TIMES = ("time_connect_s", "time_request_s", "time_first_byte_s", "time_total_s")
_TEXTS = ("url", "error", "refused", "content_type")


class SapGet(Probe):
    """Fetches a URL, ``count`` times.

    Series: ``received`` (B, of the current file, from its start). Occurrences: ``transfer``, at the end of each request
    that got a whole file, with everything that the program reports about it. Values: ``transfers``, a list of all
    requests; in total ``bytes``, ``expected``, ``arrived`` and ``lost`` (datagrams); with ``compare:`` ``damaged``
    (datagrams), ``wrong_bytes``, ``wrong_bits``, ``right_share`` (correct share of all bits that arrived),
    ``ber_damaged`` (wrong share of the bits in damaged datagrams); ``transport`` of the last request, ``exit_code`` of
    the first that failed, else 0; ``sha256`` of the last file. ``time_total_s`` is from the end of the request to SAP's
    FIN, with TCP to the last byte.
    """

    about = "fetch a URL with sap-get, by SAP or TCP: completion time, lost datagrams, wrong bits, SHA-256"
    acts = True
    yields = (Transfer, Flow, Payload, Intact)
    params: ClassVar[dict[str, Param]] = {
        "url": Param("str", "the URL to fetch", required=True),
        "transport": Param("str", "sap-approximate, sap-precise or tcp", default="sap-approximate"),
        "types": Param("list", "MIME types to accept approximately", default=("*/*",)),
        "count": Param("int", "number of requests", default=1, least=1, most=1_000_000),
        "pause": Param("duration", "time from the end of a request to the start of the next", default=0),
        "port": Param("int", "UDP-Lite port of the first request; default: any", least=1024, most=65535),
        "timeout": Param("duration", "give up after this time without data", default=10_000_000_000, least=1_000_000),
        "compare": Param("str", "a file of the client to compare with, to count wrong bytes and bits"),
        "every": Param(
            "duration", "interval between samples of the received bytes", default=1_000_000_000, least=1_000_000
        ),
        "options": Param("list", "further options for sap-get, as a list of words", default=()),
    }

    def check(self, params: dict[str, Any]) -> None:
        """Check as in the base class; also refuse an unknown transport."""
        super().check(params)
        if params["transport"] not in _TRANSPORTS:
            raise ParameterError(
                "transport", f'"{params["transport"]}" is not a valid transport; known: {", ".join(_TRANSPORTS)}'
            )

    def argv(self, target: Target, params: dict[str, Any], raw: str) -> list[str]:
        """Return ``sap-get --json --output BODY URL``: stdout contains only the summaries."""
        command = ["sap-get", "--json", "--output", self.watched_file(params, raw)]
        command += {
            "tcp": ["--tcp"],
            "sap-approximate": ["--approx", ",".join(params["types"])],
            "sap-precise": ["--force-precise"],
        }[params["transport"]]
        command += ["--count", str(params["count"]), "--pause", seconds(params["pause"])]
        command += ["--timeout", seconds(params["timeout"])]
        if params["port"] is not None:
            command += ["--port", str(params["port"])]
        if params["compare"] is not None:
            command += ["--compare", params["compare"]]
        return [*command, *params["options"], params["url"]]

    def watched_file(self, params: dict[str, Any], raw: str) -> str:
        return f"/tmp/{PurePosixPath(raw).name}.body"

    def parse(self, raw: Raw) -> Parsed:
        """Read ``.size`` (bytes over time, hash) and ``.out`` (a summary of each request)."""
        parsed = Parsed()
        watched(raw, parsed)
        transfers = [_transfer(Json(document, f"{raw.id}.out:{line}")) for line, document in documents(raw)]
        for transfer in transfers:
            started_ns = transfer.pop("started_ns") - raw.epoch_ns
            if transfer["time_total_s"] is not None:
                took_s = transfer["time_request_s"] + transfer["time_total_s"]
                parsed.occurrences.append(
                    Occurrence(started_ns + round(took_s * 1_000_000_000), "transfer", dict(transfer))
                )
        parsed.values |= {"transfers": transfers} | _totals(transfers)
        return parsed

    def found(self, raw: Raw, parsed: Parsed) -> Iterator[object]:
        """Yield each transfer, and datagrams and bits of all together."""
        values = parsed.values
        transfers = values.get("transfers", [])
        for number, transfer in enumerate(transfers, 1):
            name = raw.id if len(transfers) == 1 else f"{raw.id} {number}"
            first_s, total_s = (transfer[key] or 0.0 for key in ("time_first_byte_s", "time_total_s"))
            yield Transfer(
                name,
                transfer["bytes"],
                round(total_s * _SECOND),
                complete=transfer["exit_code"] == 0,
                first_byte_ns=round(first_s * _SECOND),  # None for an empty file
            )
            if transfer["wrong_bytes"] is not None and transfer["length"] is not None:
                yield Intact(name, transfer["length"], transfer["bytes"] - transfer["wrong_bytes"])
        if transfers:
            yield Flow(raw.id, values["expected"], values["lost"])
            yield from _report.payload(raw, values)


def _totals(transfers: list[dict[str, Any]]) -> dict[str, Any]:
    """Return totals of all transfers, under the same names as in other probes of SAP."""
    totals: dict[str, Any] = {name: sum(transfer[name] for transfer in transfers) for name in _COUNTED}
    totals |= {"arrived": totals["datagrams"], "lost": totals["datagrams_lost"]}
    totals["expected"] = totals["arrived"] + totals["lost"]
    compared = [transfer for transfer in transfers if transfer["wrong_bits"] is not None]
    for name in _COMPARED:
        totals[name] = sum(transfer[name] for transfer in compared) if compared else None
    if compared:
        totals["damaged"] = totals["datagrams_damaged"]
        totals["arrived_bits"] = bits = 8 * sum(transfer["bytes"] for transfer in compared)
        totals["right_share"] = 1 - totals["wrong_bits"] / bits if bits else None
        damaged_bits = 8 * totals["bytes_damaged"]
        totals["ber_damaged"] = totals["wrong_bits"] / damaged_bits if damaged_bits else None
    if transfers:
        totals["transport"] = transfers[-1]["transport"]
        totals["exit_code"] = next((one["exit_code"] for one in transfers if one["exit_code"]), 0)
    return totals


def _transfer(document: Json) -> dict[str, Any]:
    """Return one request. ProbeOutputError: a member is missing or has the wrong type."""
    transfer: dict[str, Any] = {name: document[name].text() for name in _TEXTS}
    transfer["transport"] = document["transport"].text()
    if transfer["transport"] not in _TRANSPORTS:
        raise ProbeOutputError(f"{document.where}: transport: {transfer['transport']!r} is not a valid transport")
    transfer |= {name: document[name].integer() for name in ("http_code", "exit_code", "port", *_COUNTED)}
    transfer |= {name: None if document[name].absent() else document[name].integer() for name in ("length", *_COMPARED)}
    transfer |= {name: None if document[name].absent() else document[name].number() for name in _TIMES}
    if transfer["time_total_s"] is not None and transfer["time_request_s"] is None:
        raise ProbeOutputError(f"{document.where}: has time_total_s, but not time_request_s")
    try:
        transfer["started_ns"] = stamp_ns(document["started"].text())
    except ValueError as error:
        raise ProbeOutputError(f"{document.where}: {error}") from None
    return transfer
