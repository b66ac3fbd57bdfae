# SPDX-License-Identifier: MIT
"""tcpdump: a capture of any interface, with nanosecond time stamps."""

from __future__ import annotations

import re
from typing import Any, ClassVar

from lab.captures import pcap
from lab.probes.base import Capture, Param, Parsed, Probe, ProbeOutputError, Raw, Target

_LISTENING = re.compile(
    r"(?:tcpdump: )?(listening on|data link type|verbose output suppressed|WARNING|Warning:?) ?.*", re.ASCII
)
_COUNT = re.compile(
    r"(\d{1,12}) packets? (captured|received by filter|dropped by kernel|dropped by interface)", re.ASCII
)


class Tcpdump(Probe):
    """Captures an interface of the node into ``<id>.pcap``.

    Values: ``frames``, ``bytes`` (full length of the frames, not only what was captured), ``link_type``,
    ``received_by_filter``, ``dropped_by_kernel``.
    """

    about = "capture an interface with tcpdump, with nanosecond time stamps"
    artefacts = ("{id}.pcap",)
    yields = (Capture,)
    params: ClassVar[dict[str, Param]] = {
        "interface": Param("str", "the interface to capture; default: the node's first interface"),
        "filter": Param("str", "a pcap filter expression: 'tcp port 80'"),
        "snaplen": Param(
            "size",
            "bytes to capture of each frame; the default is enough for headers",
            default=128,
            least=1,
            most=262144,
        ),
    }

    def argv(self, target: Target, params: dict[str, Any], raw: str) -> list[str]:
        """Return ``tcpdump`` with a buffer of 8 MiB.

        The kernel delivers packets in blocks, not one by one (``--immediate-mode``): it sets the time stamps on
        arrival, and a wake-up for each packet would cost more wall time than everything else in a run.
        """
        interface = params["interface"] or target.interface
        command = ["tcpdump", "-i", interface, "-w", f"{raw}.pcap", "-s", str(params["snaplen"]), "-n", "-B", "8192"]
        command += ["--time-stamp-precision=nano", "-Z", "root"]
        return [*command, params["filter"]] if params["filter"] else command

    def parse(self, raw: Raw) -> Parsed:
        parsed = Parsed()
        try:
            capture = pcap.load(raw.path("pcap"))
        except FileNotFoundError:
            raise ProbeOutputError(f"{raw.id}.pcap is missing") from None
        except pcap.PcapError as error:
            raise ProbeOutputError(f"{raw.id}.pcap: {error}") from None
        parsed.values |= {"frames": len(capture), "bytes": sum(capture.length), "link_type": capture.link_type}
        for number, line in raw.lines("err"):
            if match := _COUNT.fullmatch(line):
                if match[2] != "captured":
                    parsed.values[match[2].replace(" ", "_")] = int(match[1])
            elif not _LISTENING.fullmatch(line):
                raise raw.error(number, line, "not a valid line of tcpdump", "err")
        return parsed
