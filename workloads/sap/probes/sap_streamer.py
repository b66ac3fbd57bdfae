# SPDX-License-Identifier: MIT
"""sap-streamer: sends a stream that its receiver knows in advance, or a file, over SAP."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

from lab.probes.base import Param, Parsed, Probe, Raw, Target

from . import _report
from ._kinds import Completion, FileSent


class SapStreamer(Probe):
    """Sends to a ``sap-stream-sink`` that is ready. A workload of the stack sap has the program.

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
        "bytes": Param("size", "how much of the stream to send", default=10_000_000, least=1),
        "file": Param("str", "a file of the node to send instead; a copy of it is kept as <process>.sent"),
        "head": Param("size", "the first so many bytes of a file are precise in either mode", least=1),
        "mode": Param("str", "approximate or precise", default="approximate"),
        "seed": Param("int", "counter of the first datagram", default=1, most=2**32 - 1),
        "every": Param(
            "duration",
            "time between datagrams; without it, as fast as the socket takes them",
            least=_report.EVERY_LEAST_NS,
        ),
        "payload": Param("size", "bytes of a datagram", default=1024, least=1, most=1416),
        "window": Param(
            "int",
            "precise datagrams in flight, with congestion control; without it, the paper's one",
            least=1,
            most=256,
        ),
        "buffer": Param(
            "size", "SO_SNDBUF of the socket (the kernel doubles it): less waits in queues", default=8192, least=2304
        ),
    }

    def check(self, params: dict[str, Any]) -> None:
        """As every probe; and ValueError: no such mode, or a head without a file."""
        super().check(params)
        if params["mode"] not in _report.MODES:
            raise ValueError(f"mode: there is no {params['mode']}; write approximate or precise")
        if params["head"] is not None and params["file"] is None:
            raise ValueError("head: only a file has one; leave it out")

    def argv(self, target: Target, params: dict[str, Any], raw: str) -> list[str]:
        """``sap-streamer send`` or ``send-file``."""
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
        told = _report.report(raw, "sender")
        if told is not None:
            parsed.values["mode"] = told["mode"].text()
            parsed.values |= {key: told[key].integer() for key in ("datagrams", "bytes", "elapsed_ns")}
            parsed.values |= _report.counters(told)
        return parsed

    def found(self, raw: Raw, parsed: Parsed) -> Iterator[object]:
        """How long it took; of a file, where its copy is kept."""
        yield from _report.completion(raw, parsed.values)
        if raw.path("sent").is_file():
            yield FileSent(raw.params.get("port"), raw.path("sent"))


PROBE = SapStreamer()
