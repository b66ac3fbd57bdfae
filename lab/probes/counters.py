# SPDX-License-Identifier: MIT
"""``ip -s link``: packet and byte counters of interfaces, sampled."""

from __future__ import annotations

import json
from typing import Any, ClassVar

from lab.probes.base import Block, Param, Parsed, Probe, Raw, Target
from lab.probes.base.text import Json

_COUNTERS = (("bytes", "B"), ("packets", "packets"), ("errors", "packets"), ("dropped", "packets"))


class Counters(Probe):
    """Samples the packet and byte counters of a node's interfaces.

    Series, one set per interface, named ``<counter>/<interface>``: ``rx_bytes``, ``rx_packets``, ``rx_errors``,
    ``rx_dropped`` and the same with ``tx_``; counted since the interface was created.
    """

    about = "interface counters, sampled: bytes, packets, errors and drops in each direction"
    mode = "sample"
    params: ClassVar[dict[str, Param]] = {
        "every": Param("duration", "time between samples", default=1_000_000_000, least=1_000_000),
        "interface": Param("str", "the interface to sample; default: all"),
    }

    def argv(self, target: Target, params: dict[str, Any], raw: str) -> list[str]:
        command = ["ip", "-j", "-s", "link", "show"]
        return [*command, "dev", params["interface"]] if params["interface"] else command

    def parse(self, raw: Raw) -> Parsed:
        parsed = Parsed()
        for block in raw.blocks():
            if block.text.strip():
                self._parse_block(raw, block, parsed)
        return parsed

    def _parse_block(self, raw: Raw, block: Block, parsed: Parsed) -> None:
        try:
            document = json.loads(block.text)
        except (ValueError, RecursionError) as error:
            raise raw.error(block.line, block.text.strip(), f"not JSON: {error}") from None
        for interface in Json(document, f"{raw.id}.out:{block.line}").items():
            if "ifname" not in interface:
                continue  # ip prints {} for interfaces that a filter excludes
            name = interface["ifname"].text()
            for direction in ("rx", "tx"):
                counted = interface["stats64"][direction]
                for counter, unit in _COUNTERS:
                    value = counted[counter].integer()
                    parsed.add(f"{direction}_{counter}/{name}", unit, block.t_ns, value)
