# SPDX-License-Identifier: MIT
"""udp-sender: sends datagrams at a fixed interval, or as fast as possible, to a ``udp-sink`` that is ready."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import Any, ClassVar

from lab.errors import ParameterError
from lab.probes import _udp
from lab.probes.base import Param, Parsed, Probe, Raw, Sent, Target, program_path
from lab.probes.base.text import Json, documents


class UdpSender(Probe):
    """Sends UDP datagrams to a sink until it is ended or has sent enough.

    Without ``every`` it sends as fast as its radio takes datagrams. So it needs a node with a radio on an 802.11
    medium: nothing else makes a sender wait in virtual time.

    Any number of senders may share a sink. The flow is named after the process: ``voice``, or ``load@sta1`` if several
    nodes run it. It starts at the first full second after the sink has answered. Values: ``sent`` (datagrams) and
    ``unanswered`` (empty datagrams that the sink did not answer before that). A broadcast or multicast address needs no
    answer; a sink in each node shows how many arrived there.

    With ``on`` and ``off`` it comes and goes, as ns-3's OnOffApplication does. Both times are random, with a Pareto
    distribution of shape 1.5: the mean is as given, but a few are many times longer. (For sources in a LAN, Willinger
    et al. found 1.7 for times on and 1.2 for times off: "Self-similarity through high-variability", IEEE/ACM
    Transactions on Networking 5, 1997.)
    """

    about = "UDP datagrams to a udp-sink, at a fixed interval or as fast as a radio on an 802.11 medium takes them"
    acts = True
    programs: ClassVar[dict[str, str]] = {_udp.PROGRAM: _udp.source()}
    yields = (Sent,)
    params: ClassVar[dict[str, Param]] = {
        "to": Param("str", "address of the sink", required=True),
        "port": Param("int", "port of the sink", default=9000, least=1, most=65535),
        "size": Param(
            "size", "bytes of UDP payload (IP and UDP add 28, with IPv6 48)", default=1472, least=16, most=65507
        ),
        "every": Param(
            "duration", "time between datagrams; default: as fast as the node's radio takes them", least=1_000
        ),
        "phase": Param("duration", "offset of a paced flow from a full second; default: derived from its name"),
        "count": Param("int", "number of datagrams; default: until the end of the run", least=1),
        "tos": Param(
            "int", "type-of-service byte, which selects the access category on the radio", default=0, most=255
        ),
        "on": Param("duration", "mean time for which it sends, with heavy tails; default: always", least=1_000_000),
        "off": Param("duration", "mean time of the break after it, with heavy tails", least=1_000_000),
        "buffer": Param("size", "SO_SNDBUF of the socket (the kernel doubles it); default: the kernel's", least=2304),
    }

    def check(self, params: dict[str, Any]) -> None:
        super().check(params)
        if params["phase"] is not None and params["every"] is None:
            raise ParameterError("phase", "needs every:; add every:, or remove this")
        if (params["on"] is None) != (params["off"] is None):
            missing, given = ("on", "off") if params["on"] is None else ("off", "on")
            raise ParameterError(given, f"needs {missing}:; add {missing}:, or remove this")

    def check_target(self, target: Target, params: dict[str, Any]) -> None:
        """Refuse a sender without ``every`` that nothing makes wait."""
        if params["every"] is not None or (target.medium and target.radio is not None):
            return
        lacks = f"{target.node} has no radio" if target.radio is None else "the topology has no medium"
        raise ParameterError(
            "every",
            "is missing; without it a sender needs a node with a radio on an 802.11 medium, which makes it "
            f"wait, and {lacks}. Write every: 0.1 ms, or use the probe iperf3",
        )

    def argv(self, target: Target, params: dict[str, Any], raw: str) -> list[str]:
        flow = PurePosixPath(raw).name
        if params["phase"] is None:
            params = {**params, "phase": -1}
        numbers = [
            params[key] or 0 for key in ("port", "size", "every", "phase", "count", "tos", "buffer", "on", "off")
        ]
        words = ["python3", program_path(_udp.PROGRAM), "send", flow, params["to"], *map(str, numbers)]
        return [*words, str(target.seed)] if params["on"] is not None else words

    def runs_on(self, params: dict[str, Any]) -> bool:
        return params["count"] is None

    def parse(self, raw: Raw) -> Parsed:
        """Read ``.out``; it is empty if the sender was killed."""
        parsed = Parsed()
        for line, document in documents(raw):
            found = Json(document, f"{raw.id}.out:{line}")
            parsed.values["sent"] = found["sent"].integer()
            if "unanswered" in found:  # earlier versions of the program did not count them
                parsed.values["unanswered"] = found["unanswered"].integer()
        return parsed

    def found(self, raw: Raw, parsed: Parsed) -> Iterator[object]:
        """Yield what it sent; if the sink never answered, its empty datagrams."""
        packets = parsed.values.get("sent", 0) or parsed.values.get("unanswered", 0)
        yield Sent(raw.id, raw.params["to"], raw.params["port"], packets)
