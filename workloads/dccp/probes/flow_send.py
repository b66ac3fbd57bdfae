# SPDX-License-Identifier: MIT
"""flow-send: sends a flow of packets to a ``flow-sink``, over TCP, UDP or DCCP."""

from __future__ import annotations

from typing import Any, ClassVar

from lab.errors import ParameterError
from lab.probes.base import Param, Parsed, Probe, Raw, Samples, Target
from lab.probes.base.text import Json

from . import _report

_COUNTS = ("packets", "bytes", "refused", "errors")
# of congestion control, as flow prints it: (series, unit, to be divided by)
_STATE = {
    "cwnd": ("cwnd", "packets", 1),
    "ssthresh": ("ssthresh", "packets", 1),
    "in_flight": ("in_flight", "packets", 1),
    "rtt_us": ("rtt", "ms", 1000),
    "rto_us": ("rto", "ms", 1000),
    "retransmits": ("retransmits", "packets", 1),
    "x_bit_s": ("allowed_rate", "bit/s", 1),
    "x_recv_bit_s": ("receive_rate", "bit/s", 1),
    "x_calc_bit_s": ("equation_rate", "bit/s", 1),
    "p_ppm": ("loss_event_rate", "%", 10_000),
}
_NEVER = 1 << 30  # a threshold this high has not been set
_OF = {"congestion": "tcp", "segment": "tcp", "ccid": "dccp", "service": "dccp", "coverage": "dccp"}


class FlowSend(Probe):
    """Sends packets to a ``flow-sink`` that is ready, at a constant rate, or as fast as the transport takes them.

    ``per_packet`` and ``per_byte`` are what a slow processor takes: it begins a packet only when it has finished
    the one before. Computation takes no time in the guest, so only this and the radio limit a sender of UDP.

    Series: ``sent`` (bit/s) in each interval, ``refused`` (attempts that a full queue refused), and every ``state``
    what the transport tells of congestion control. TCP (``TCP_INFO``) and CCID 2 (``DCCP_SOCKOPT_CCID_TX_INFO``):
    ``cwnd``, ``ssthresh``, ``in_flight`` (packets), ``rtt``, ``rto`` (ms). CCID 3: ``allowed_rate``, ``receive_rate``,
    ``equation_rate`` (bit/s; RFC 5348's X, X_recv and X_Bps), ``loss_event_rate`` (%), ``rtt``, ``rto``. Values:
    ``packets`` and ``bytes`` (given to the transport), ``refused``, ``errors``; ``broke`` (the name of the error), if
    the connection broke.
    """

    about = "packets of TCP, UDP or DCCP to a flow-sink, at a rate or as fast as possible, with the state of congestion"
    acts = True
    yields = (
        Samples("sent"),
        Samples("cwnd"),
        Samples("rtt"),
        Samples("allowed_rate"),
        Samples("loss_event_rate"),
    )
    params: ClassVar[dict[str, Param]] = {
        "protocol": _report.PROTOCOL,
        "to": Param("str", "address of the sink", required=True),
        "port": Param("int", "port of the sink", default=5001, least=1, most=65535),
        "duration": Param("duration", "how long to send", default=10 * _report.SECOND_NS, least=1_000_000),
        "packet": Param("size", "payload of a packet; over TCP, of a write", default=1424, least=32, most=65_000),
        "rate": Param("rate", "of payload; default: as fast as the transport takes it", least=1, most=10**12),
        "per_packet": Param("duration", "time that a slow processor takes for each packet", default=0, most=10**10),
        "per_byte": Param("duration", "time that it takes for each byte", default=0, most=100_000),
        "every": _report.EVERY,
        "state": Param("duration", "time between samples of congestion control; default: none", least=1_000_000),
        "buffer": _report.BUFFER,
        "congestion": Param("str", "TCP: congestion control; default: the node's"),
        "segment": Param("size", "TCP: longest segment; default: as the path allows", least=88, most=65_000),
        "ccid": Param("int", "DCCP: 2 or 3", default=2, least=2, most=3),
        "service": _report.SERVICE,
        "coverage": Param("int", "DCCP: checksum coverage, CsCov (RFC 4340 9.2); 0: all", default=0, most=15),
    }

    def check(self, params: dict[str, Any]) -> None:
        """Check as in the base class; also refuse an unknown protocol, one of another's options, parts of a ms."""
        super().check(params)
        _report.check_protocol(params["protocol"])
        _report.check_durations(params, "duration", "every", "state")
        _report.check_options(params, self.params, _OF)

    def check_target(self, target: Target, params: dict[str, Any]) -> None:
        """Refuse a sender of UDP that would never have to wait."""
        limited = params["rate"] is not None or params["per_packet"] or params["per_byte"]
        if params["protocol"] == "udp" and not limited and not (target.medium and target.radio is not None):
            raise ParameterError(
                "rate",
                "is missing; without it, or per_packet:, a sender of UDP needs a node with a radio on an 802.11 "
                "medium, which makes it wait",
            )

    def argv(self, target: Target, params: dict[str, Any], raw: str) -> list[str]:
        command = ["flow", "send", "--protocol", params["protocol"], "--to", params["to"]]
        numbers: dict[str, Any] = {
            "port": params["port"],
            "duration-ms": _report.milliseconds(params["duration"]),
            "packet-bytes": params["packet"],
            "rate-bit-s": params["rate"],
            "per-packet-ns": params["per_packet"] or None,
            "per-byte-ns": params["per_byte"] or None,
            "every-ms": _report.milliseconds(params["every"]),
            "state-ms": None if params["state"] is None else _report.milliseconds(params["state"]),
            "buffer-bytes": params["buffer"],
            "congestion": params["congestion"],
            "segment-bytes": params["segment"],
        }
        if params["protocol"] == "dccp":
            numbers |= {key: params[key] for key in ("ccid", "service", "coverage")}
        return command + [
            word for key, value in numbers.items() if value is not None for word in (f"--{key}", str(value))
        ]

    def parse(self, raw: Raw) -> Parsed:
        """Read ``.out``; it has no totals if the sender was killed."""
        parsed = Parsed()
        every_ns = raw.params.get("every", self.params["every"].default)
        for kind, t_ns, line in _report.lines(raw):
            if kind == "state":
                _read_state(t_ns, line, parsed)
            elif kind == "sent":
                parsed.add("sent", "bit/s", t_ns, 8 * line["bytes"].integer() * _report.SECOND_NS / every_ns)
                parsed.add("refused", "attempts", t_ns, line["refused"].integer())
            elif kind == "end":
                parsed.values |= {key: line[key].integer() for key in _COUNTS}
                parsed.values["start_ns"] = _report.time_ns(line["start_s"], raw)
                if "error" in line:
                    parsed.values["broke"] = line["error"].text()
        return parsed


def _read_state(t_ns: int, line: Json, parsed: Parsed) -> None:
    """Add a sample of each quantity that the transport has."""
    for key, (name, unit, divisor) in _STATE.items():
        if key in line and line[key].integer() < _NEVER:
            parsed.add(name, unit, t_ns, line[key].integer() / divisor)
