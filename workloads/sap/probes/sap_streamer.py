# SPDX-License-Identifier: MIT
"""sap-streamer: sends a stream that its receiver knows in advance, or a file, over SAP."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

from lab.probes.base import Param, Parsed, Probe, Raw, Target

from . import _report
from ._results import Completion, FileSent


class SapStreamer(Probe):
    """Sends to a ``sap-stream-sink`` that is ready. The program is part of the stack sap.

    Values: ``mode``, ``datagrams``, ``bytes``, ``elapsed_ns`` (from the opening to the acknowledgement of the end),
    and libsap's counters: ``sap_sent``, ``sap_retransmitted``, ``sap_timeouts`` and so on.
    """

    about = "a stream that the receiver knows in advance, or a file, over SAP"
    acts = True
    yields = (Completion, FileSent)
    artefacts = ("{id}.sent",)
    params: ClassVar[dict[str, Param]] = {
        "to": _report.TO,
        "port": _report.PORT,
        "bytes": Param("size", "length of the stream", default=10_000_000, least=1),
        "file": Param("str", "a file of the node to send instead; a copy is stored as <process>.sent"),
        "head": Param("size", "number of bytes at the start of a file that are precise in either mode", least=1),
        "mode": Param("str", "approximate or precise", default="approximate"),
        "seed": Param("int", "counter of the first datagram", default=1, most=2**32 - 1),
        "every": Param(
            "duration",
            "time between datagrams; default: as fast as possible",
            least=_report.EVERY_LEAST_NS,
        ),
        "payload": Param("size", "payload of a datagram", default=1024, least=1, most=1416),
        "window": Param(
            "int",
            "limit of precise datagrams in flight, with congestion control; default: one, as in the paper",
            least=1,
            most=256,
        ),
        "buffer": Param(
            "size",
            "SO_SNDBUF of the socket (the kernel doubles it)",
            default=8192,
            least=2304,
        ),
    }

    def check(self, params: dict[str, Any]) -> None:
        """Check as in the base class; also refuse an unknown mode, or a head without a file."""
        super().check(params)
        if params["mode"] not in _report.MODES:
            raise ValueError(f'mode: "{params["mode"]}" is not a valid mode; write approximate or precise')
        if params["head"] is not None and params["file"] is None:
            raise ValueError("head: needs file:; add file:, or remove this")

    def argv(self, target: Target, params: dict[str, Any], raw: str) -> list[str]:
        if params["file"] is not None:
            command = ["sap-streamer", "send-file", "--file", params["file"], "--keep", f"{raw}.sent"]
            if params["head"] is not None:
                command += ["--head", str(params["head"])]
        else:
            command = ["sap-streamer", "send", "--bytes", str(params["bytes"]), "--seed", str(params["seed"])]
        command += ["--to", params["to"], "--port", str(params["port"]), "--mode", params["mode"]]
        command += ["--payload", str(params["payload"]), "--buffer", str(params["buffer"]), "--json"]
        if params["every"] is not None:
            command += ["--every", _report.duration(params["every"])]
        if params["window"] is not None:
            command += ["--window", str(params["window"])]
        return command

    def parse(self, raw: Raw) -> Parsed:
        """Read ``.out``; it is empty if the sender was killed."""
        parsed = Parsed()
        document = _report.report(raw, "sender")
        if document is not None:
            parsed.values["mode"] = document["mode"].text()
            parsed.values |= {key: document[key].integer() for key in ("datagrams", "bytes", "elapsed_ns")}
            parsed.values |= _report.counters(document)
        return parsed

    def found(self, raw: Raw, parsed: Parsed) -> Iterator[object]:
        """Yield the duration; of a file, where its copy is stored."""
        yield from _report.completion(raw, parsed.values)
        if raw.path("sent").is_file():
            yield FileSent(raw.params.get("port"), raw.path("sent"))
