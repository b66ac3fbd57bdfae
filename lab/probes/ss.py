# SPDX-License-Identifier: MIT
"""``ss -ti``: the state of TCP connections, sampled."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from typing import Any, ClassVar

from lab.probes.base import Param, Parsed, Probe, Raw, Retransmissions, Samples, Target
from lab.probes.base.text import number

_ENDPOINT = re.compile(r"(?:\[[0-9a-fA-F:.%]+\w*\]|[0-9.*]+)(?:%\w+)?:(?:\d{1,5}|\*)", re.ASCII)
_MAPPED = re.compile(r"\[::ffff:([0-9.]+)\]:(.+)", re.ASCII)
_CONTROL_SHARE = 100  # a control connection carries less than a hundredth of what the connection of the data does
_WHOLE = re.compile(r"[0-9]{1,19}", re.ASCII)
# ss's key: (series, unit)
_KEYS = {
    "cwnd": ("cwnd", "segments"),
    "ssthresh": ("ssthresh", "segments"),
    "rto": ("rto", "ms"),
    "backoff": ("backoff", "times"),
    "minrtt": ("min_rtt", "ms"),
    "bytes_sent": ("sent", "B"),
    "bytes_acked": ("acked", "B"),
    "bytes_retrans": ("retransmitted", "B"),
    "bytes_received": ("received", "B"),
    "unacked": ("unacked", "segments"),
    "notsent": ("unsent", "B"),
    "lost": ("lost", "segments"),
}


class Ss(Probe):
    """Samples the established TCP connections of a node.

    Series, one set per connection, named ``<quantity>/<local>-<peer>``: ``cwnd`` and ``ssthresh`` (segments),
    ``rtt`` and ``rto`` (ms), ``backoff`` (how often ``rto`` was doubled; only while it is), ``retransmits`` (segments
    since the start; 0 until the first one), ``sent``, ``acked``, ``retransmitted``, ``received`` (B), ``unacked``,
    ``lost``, ``min_rtt``, ``send_queue`` and ``unsent`` (B; the latter only if there is any). A control connection,
    such as that of iperf3, has no ``rtt``: the kernel's estimate is an old one.
    """

    about = "ss -ti, sampled: congestion window, round-trip time, retransmissions per TCP connection"
    mode = "sample"
    yields = (Samples("cwnd"), Samples("rtt"), Retransmissions)
    params: ClassVar[dict[str, Param]] = {
        "every": Param("duration", "time between samples", default=100_000_000, least=1_000_000),
        "filter": Param("str", "a filter of ss: 'sport = :80'; default: all connections"),
    }

    def argv(self, target: Target, params: dict[str, Any], raw: str) -> list[str]:
        """Return ``ss -tinHO``: TCP, internals, numeric, no header, one line each."""
        return ["ss", "-tinHO", "state", "established", *shlex.split(params["filter"] or "")]

    def check(self, params: dict[str, Any]) -> None:
        super().check(params)
        shlex.split(params["filter"] or "")  # a ValueError if a quote is open

    def parse(self, raw: Raw) -> Parsed:
        """Read ``.out``. Keys of ss that are not in the table above are ignored."""
        parsed = Parsed()
        for block in raw.blocks():
            for line_number, line in block.lines():
                self._parse_line(raw, line_number, line, block.t_ns, parsed)
        controls = _controls(parsed)
        parsed.series = [series for series in parsed.series if series.name not in controls]
        return parsed

    def found(self, raw: Raw, parsed: Parsed) -> Iterator[Retransmissions]:
        """Yield the retransmissions of each connection, from its last sample."""
        for series in parsed.series:
            quantity, _, connection = series.name.partition("/")
            if quantity == "retransmits":
                yield Retransmissions(connection, series.values[-1])

    def _parse_line(self, raw: Raw, line_number: int, line: str, t_ns: int, parsed: Parsed) -> None:
        words = line.split()
        if not _WHOLE.fullmatch(words[0]):
            words = words[1:]  # the state, printed if no state was asked for
        if len(words) < 4 or not (_ENDPOINT.fullmatch(words[2]) and _ENDPOINT.fullmatch(words[3])):
            raise raw.error(line_number, line, "not a valid line of ss")
        which = f"{_plain(words[2])}-{_plain(words[3])}"
        parsed.add(f"send_queue/{which}", "B", t_ns, raw.integer(line_number, words[1], line))
        retransmits = 0
        for word in words[4:]:
            key, colon, text = word.partition(":")
            if not colon:
                continue
            try:
                if key == "rtt":
                    parsed.add(f"rtt/{which}", "ms", t_ns, number(text.partition("/")[0]))
                elif key == "retrans":
                    retransmits = raw.integer(line_number, text.partition("/")[2], line)
                elif key in _KEYS:
                    parsed.add(f"{_KEYS[key][0]}/{which}", _KEYS[key][1], t_ns, number(text))
            except ValueError as error:
                raise raw.error(line_number, line, f"{key}: {error}") from None
        parsed.add(f"retransmits/{which}", "segments", t_ns, retransmits)


def _controls(parsed: Parsed) -> set[str]:
    """Return ``rtt/<connection>`` of connections that were mostly idle next to one of the same port that was not."""
    carried: dict[str, dict[int, float]] = {}  # bytes, by connection and time
    for series in parsed.series:
        quantity, _, which = series.name.partition("/")
        if quantity in ("acked", "received"):
            sums = carried.setdefault(which, {})
            sums |= {t_ns: sums.get(t_ns, 0) + value for t_ns, value in zip(series.t_ns, series.values, strict=True)}
    total = {which: max(sums.values()) for which, sums in carried.items()}
    most: dict[tuple[str, ...], float] = {}  # bytes of one connection, by hosts and port
    for which, many in total.items():
        most |= {port: max(most.get(port, 0), many) for port in _ports(which)}
    return {
        f"rtt/{which}"
        for which, sums in carried.items()
        if 2 * len(set(sums.values())) < len(sums)
        and any(total[which] * _CONTROL_SHARE < most[port] for port in _ports(which))
    }


def _ports(which: str) -> list[tuple[str, ...]]:
    """Return the hosts of a connection, with the port of either end."""
    (here, own), (there, its) = (end.rsplit(":", 1) for end in which.split("-"))
    return [(here, there, "local", own), (here, there, "peer", its)]


def _plain(endpoint: str) -> str:
    """Return an IPv4-mapped IPv6 address as IPv4: ``[::ffff:10.0.0.1]:80`` as ``10.0.0.1:80``."""
    mapped = _MAPPED.fullmatch(endpoint)
    return f"{mapped[1]}:{mapped[2]}" if mapped else endpoint
