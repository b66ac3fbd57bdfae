# SPDX-License-Identifier: MIT
"""ping: round-trip times and losses of ICMP echoes (iputils)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, ClassVar

from lab.probes.base import Flow, Occurrence, Param, Parsed, Probe, Raw, Samples, Target
from lab.probes.base.text import number, seconds, stamp_ns

_STAMPED = re.compile(r"\[([0-9.]+)\] (.*)", re.ASCII)
_REPLY = re.compile(
    r"(\d+) bytes from ([^ ]+): icmp_seq=(\d{1,9})(?: ttl=\d+)?(?: time=([\d.]+) ms)?( \(DUP!\))?( \(BAD CHECKSUM!\))?"
    r"( \(truncated\))?",
    re.ASCII,
)
_WRONG = re.compile(r"wrong data byte #\d+ .*|#\d+\t[0-9a-f ]*", re.ASCII)  # then the whole payload
_WAITING = re.compile(r"no answer yet for icmp_seq=(\d{1,9})", re.ASCII)
_REFUSED = re.compile(r"From ([^ ]+):? icmp_seq=(\d{1,9}) (.+)", re.ASCII)
_COUNTS = re.compile(
    r"(\d{1,12}) packets transmitted, (\d{1,12}) received,(?: \+(\d{1,12}) duplicates,)?(?: \+(\d{1,12}) corrupted,)?"
    r"(?: \+(\d{1,12}) errors,)? ([\d.]+)% packet loss(?:, time (\d+)ms)?",
    re.ASCII,
)
_RTT = re.compile(
    r"rtt min/avg/max/mdev = ([\d.]+)/([\d.]+)/([\d.]+)/([\d.]+) ms(?:, pipe \d+)?(?:, ipg/ewma .*)?", re.ASCII
)
_PIPE = re.compile(r"pipe \d+", re.ASCII)  # on its own line without a round-trip time


class Ping(Probe):
    """Pings an address.

    Series: ``rtt`` (ms, at the arrival of each reply). Occurrences: ``late`` (no reply when the next request went
    out), ``unreachable`` and ``corrupted`` (the reply has a wrong checksum, so it counts as lost), each with
    ``seq``. Values: ``transmitted``, ``received``, ``loss_percent``, ``duplicates``, ``corrupted``, ``errors``,
    ``rtt_min_ms``, ``rtt_mean_ms``, ``rtt_max_ms``, ``rtt_mdev_ms``.
    In virtual time an idle path takes 0.000 ms, since computation is free.
    """

    about = "ICMP echoes with ping: round-trip time of each, losses"
    acts = True
    yields = (Samples("rtt"), Flow)
    params: ClassVar[dict[str, Param]] = {
        "to": Param("str", "address to ping", required=True),
        "every": Param("duration", "time between requests", default=1_000_000_000, least=1_000_000),
        "count": Param("int", "number of requests; default: until the end of the run", least=1),
        "size": Param("size", "bytes of payload", default=56, most=65507),
        "wait": Param("duration", "how long to wait for a reply to the last request"),
    }

    def argv(self, target: Target, params: dict[str, Any], raw: str) -> list[str]:
        """Return ``ping``: ``-D`` adds the time of day to each line, ``-O`` reports a missing reply at once."""
        command = ["ping", "-n", "-D", "-O", "-i", seconds(params["every"]), "-s", str(params["size"])]
        if params["count"] is not None:
            command += ["-c", str(params["count"])]
        if params["wait"] is not None:
            command += ["-W", seconds(params["wait"])]
        return [*command, params["to"]]

    def runs_on(self, params: dict[str, Any]) -> bool:
        return params["count"] is None

    def parse(self, raw: Raw) -> Parsed:
        parsed = Parsed()
        for line_number, line in raw.lines():
            if line.startswith(("PING ", "--- ")) or _PIPE.fullmatch(line) or _WRONG.fullmatch(line):
                continue
            if match := _STAMPED.fullmatch(line):
                self._parse_stamped(raw, line_number, match, parsed)
            elif match := _COUNTS.fullmatch(line):
                self._parse_counts(raw, line_number, match, parsed)
            elif match := _RTT.fullmatch(line):
                for name, text in zip(("min", "mean", "max", "mdev"), match.groups(), strict=True):
                    parsed.values[f"rtt_{name}_ms"] = _number(raw, line_number, line, text)
            else:
                raise raw.error(line_number, line, "not a valid line of ping")
        return parsed

    def found(self, raw: Raw, parsed: Parsed) -> Iterator[Flow]:
        sent = parsed.values.get("transmitted", 0)
        yield Flow(raw.id, sent, sent - parsed.values.get("received", 0))

    def _parse_stamped(self, raw: Raw, line_number: int, match: re.Match[str], parsed: Parsed) -> None:
        line, text = match[0], match[2]
        try:
            t_ns = stamp_ns(match[1]) - raw.epoch_ns
        except ValueError as error:
            raise raw.error(line_number, line, str(error)) from None
        if reply := _REPLY.fullmatch(text):
            if reply[6] is not None:
                parsed.occurrences.append(Occurrence(t_ns, "corrupted", {"seq": int(reply[3])}))
            elif reply[4] is not None and reply[5] is None:
                parsed.add("rtt", "ms", t_ns, _number(raw, line_number, line, reply[4]))
        elif waiting := _WAITING.fullmatch(text):
            parsed.occurrences.append(Occurrence(t_ns, "late", {"seq": int(waiting[1])}))
        elif refused := _REFUSED.fullmatch(text):
            fields = {"seq": int(refused[2]), "by": refused[1], "why": refused[3]}
            parsed.occurrences.append(Occurrence(t_ns, "unreachable", fields))
        else:
            raise raw.error(line_number, line, "not a valid line of ping")

    def _parse_counts(self, raw: Raw, line_number: int, match: re.Match[str], parsed: Parsed) -> None:
        parsed.values |= {
            "transmitted": int(match[1]),
            "received": int(match[2]),
            "duplicates": int(match[3] or 0),
            "corrupted": int(match[4] or 0),
            "errors": int(match[5] or 0),
            "loss_percent": _number(raw, line_number, match[0], match[6]),
        }


def _number(raw: Raw, line_number: int, line: str, text: str) -> float:
    try:
        return number(text)
    except ValueError as error:
        raise raw.error(line_number, line, str(error)) from None
