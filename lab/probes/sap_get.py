# SPDX-License-Identifier: MIT
"""sap-get: fetches files by SAP, or by TCP, and tells of each how long it took, what is lost and what is wrong.

The program belongs to the stack ``sap`` (``workloads/sap``): this probe runs in workloads of that stack. Its summary is
what ``sap-get --json`` prints.
"""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import Any, ClassVar

from lab.probes._text import Json, documents, seconds, stamp_ns
from lab.probes._watched import watched
from lab.probes.base import Occurrence, Param, Parsed, Probe, ProbeOutputError, Raw, Target

_TRANSPORTS = ("tcp", "sap-approximate", "sap-precise")
_COUNTS = ("http_code", "exit_code", "bytes", "datagrams", "datagrams_lost")
_MAYBE = ("length", "wrong_datagrams", "wrong_bytes", "wrong_bits")
_TIMES = ("time_connect_s", "time_request_s", "time_first_byte_s", "time_total_s")
_TEXTS = ("url", "error", "refused", "content_type")


class SapGet(Probe):
    """Fetches a URL, ``count`` times.

    Series: ``received`` (B, of the file being fetched, from its start). Occurrences: ``transfer``, at the end of each
    request that got an answer, with all that the program says of it. Values: ``transfers``, a list of the same;
    ``bytes``, ``datagrams``, ``datagrams_lost``, ``wrong_bytes`` and so on of all together; ``transport`` and
    ``exit_code`` of the last; ``sha256`` of the last file. ``time_total_s`` is from the end of the request to SAP's FIN,
    with TCP to the last byte.
    """

    about = "fetch a URL with sap-get, by SAP or TCP: completion time, lost datagrams, wrong bits, SHA-256"
    acts = True
    params: ClassVar[dict[str, Param]] = {
        "url": Param("str", "what to fetch", required=True),
        "transport": Param(
            "str", "sap-approximate, sap-precise or tcp: what to ask for", default="sap-approximate"
        ),
        "types": Param("list", "MIME types to take approximately", default=("*/*",)),
        "count": Param("int", "how often", default=1, least=1, most=1_000_000),
        "pause": Param("duration", "from the end of one to the start of the next", default=0),
        "port": Param("int", "UDP-Lite port of the first; default: the kernel chooses", least=1024, most=65535),
        "timeout": Param("duration", "give up if nothing comes for so long", default=10_000_000_000, least=1_000_000),
        "compare": Param("str", "a file of the client to compare with, for wrong bytes and bits"),
        "every": Param(
            "duration", "how often the number of received bytes is noted", default=1_000_000_000, least=1_000_000
        ),
        "options": Param("list", "further options of sap-get, one word each", default=()),
    }

    def check(self, params: dict[str, Any]) -> None:
        """ValueError, worded for the user: no such transport."""
        super().check(params)
        if params["transport"] not in _TRANSPORTS:
            raise ValueError(f'transport: "{params["transport"]}" is none of {", ".join(_TRANSPORTS)}')

    def argv(self, target: Target, params: dict[str, Any], raw: str) -> list[str]:
        """``sap-get --json --output BODY URL``: stdout holds the summaries only."""
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
        """The body, in the container's own /tmp."""
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
        values = parsed.values
        values["transfers"] = transfers
        for name in ("bytes", "datagrams", "datagrams_lost"):
            values[name] = sum(transfer[name] for transfer in transfers)
        for name in ("wrong_datagrams", "wrong_bytes", "wrong_bits"):
            compared = [transfer[name] for transfer in transfers if transfer[name] is not None]
            values[name] = sum(compared) if compared else None
        if transfers:
            values["transport"] = transfers[-1]["transport"]
            values["exit_code"] = next((one["exit_code"] for one in transfers if one["exit_code"]), 0)
        return parsed


def _transfer(told: Json) -> dict[str, Any]:
    """One request. ProbeOutputError: a member is missing, or of another type."""
    transfer: dict[str, Any] = {name: told[name].text() for name in _TEXTS}
    transfer["transport"] = told["transport"].text()
    if transfer["transport"] not in _TRANSPORTS:
        raise ProbeOutputError(f"{told.where}: transport: {transfer['transport']!r} is unknown")
    transfer |= {name: told[name].integer() for name in _COUNTS}
    transfer |= {name: None if told[name].absent() else told[name].integer() for name in _MAYBE}
    transfer |= {name: None if told[name].absent() else told[name].number() for name in _TIMES}
    if transfer["time_total_s"] is not None and transfer["time_request_s"] is None:
        raise ProbeOutputError(f"{told.where}: an end without a request")
    try:
        transfer["started_ns"] = stamp_ns(told["started"].text())
    except ValueError as error:
        raise ProbeOutputError(f"{told.where}: {error}") from None
    return transfer


PROBE = SapGet()
