# SPDX-License-Identifier: MIT
"""The iperf3 client: a bulk TCP or paced UDP flow. It needs an ``iperf3-server`` that is ready."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

from lab.errors import ParameterError
from lab.probes._iperf3 import ARRIVED, EVERY, found, parse_test
from lab.probes.base import Param, Parsed, Probe, Raw, Retransmissions, Samples, Target
from lab.probes.base.text import Json, documents, seconds


class Iperf3(Probe):
    """Runs one test against an iperf3 server.

    Series, one sample per interval, at its end: ``goodput`` (bit/s) and ``transferred`` (B); of a TCP sender also
    ``retransmits``, ``cwnd`` (B) and ``rtt`` (ms), with ``/0``, ``/1``, … for parallel streams; of a UDP
    receiver ``lost`` and ``jitter`` (ms). Values: ``bytes``, ``sent_bytes``, ``received_bytes``, ``seconds``,
    ``goodput_bps``, ``retransmits``, ``lost``, ``lost_percent``, ``packets``, ``jitter_ms``, ``protocol``, ``error``.
    """

    about = "TCP or UDP load with iperf3: goodput, retransmissions, loss and jitter over time"
    acts = True
    yields = (*ARRIVED, Samples("cwnd"), Samples("rtt"), Retransmissions)
    params: ClassVar[dict[str, Param]] = {
        "server": Param("str", "address of the server", required=True),
        "port": Param("int", "port of the server", default=5201, least=1, most=65535),
        "duration": Param("duration", "how long to send (whole seconds)", default=10_000_000_000, least=1_000_000_000),
        "bytes": Param("size", "amount of data to send, instead of a duration", least=1),
        "udp": Param("bool", "UDP instead of TCP", default=False),
        "rate": Param("rate", "send rate; default: unlimited for TCP, 1 Mbit/s for UDP"),
        "reverse": Param("bool", "the server sends, the client receives", default=False),
        "parallel": Param("int", "number of parallel flows", default=1, least=1, most=128),
        "length": Param("size", "bytes per write; with UDP, per datagram", least=16),
        "congestion": Param("str", "TCP congestion control: cubic, bbr, veno, ..."),
        "tos": Param("int", "type-of-service byte, which selects the access category on the radio", most=255),
        "omit": Param("duration", "omit this much of the beginning (whole seconds)", default=0),
        "every": EVERY,
    }

    def check(self, params: dict[str, Any]) -> None:
        super().check(params)
        for key in ("duration", "omit"):
            if params[key] % 1_000_000_000:
                raise ParameterError(key, "must be whole seconds")
        if params["udp"] and params["congestion"]:
            raise ParameterError("congestion", "UDP has no congestion control; remove it, or write udp: false")

    def argv(self, target: Target, params: dict[str, Any], raw: str) -> list[str]:
        """Return ``iperf3 --json``: one document, printed at the end, also after SIGINT."""
        command = ["iperf3", "--json", "-c", params["server"], "-p", str(params["port"])]
        command += ["-i", seconds(params["every"]), "-P", str(params["parallel"])]
        if params["bytes"] is not None:
            command += ["-n", str(params["bytes"])]
        else:
            command += ["-t", seconds(params["duration"])]
        if params["omit"]:
            command += ["-O", seconds(params["omit"])]
        for key, flag in (("udp", "-u"), ("reverse", "-R")):
            if params[key]:
                command.append(flag)
        for key, flag in (("rate", "-b"), ("length", "-l"), ("congestion", "-C"), ("tos", "-S")):
            if params[key] is not None:
                command += [flag, str(params[key])]
        return command

    def parse(self, raw: Raw) -> Parsed:
        """Read ``.out``; it is empty if iperf3 was killed."""
        parsed = Parsed()
        for line, document in documents(raw):
            parse_test(Json(document, f"{raw.id}.out:{line}"), raw, parsed)
        return parsed

    def found(self, raw: Raw, parsed: Parsed) -> Iterator[object]:
        """Yield what arrived, and the retransmissions of a TCP sender."""
        yield from found(raw, parsed)
        if "retransmits" in parsed.values:
            yield Retransmissions(raw.id, parsed.values["retransmits"])
