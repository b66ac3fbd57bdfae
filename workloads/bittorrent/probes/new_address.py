# SPDX-License-Identifier: MIT
"""new-address: gives its node another IPv4 address again and again, as a host gets one that is carried around."""

from __future__ import annotations

import ipaddress
import json
from typing import Any, ClassVar

from lab.errors import ParameterError
from lab.probes.base import Param, Parsed, Probe, Raw, Samples, Target, program_path
from lab.probes.base.text import Json, documents

from . import _programs
from ._text import time_ns

_SECOND = 1_000_000_000
_ADDRESSES = 250  # second octets; then the first one again
_LONGEST_PREFIX = 8  # so that the second octet is the host's


class NewAddress(Probe):
    """Replaces the address of its node's interface: 10.0.0.5 becomes 10.1.0.5, then 10.2.0.5, and so on.

    The old one is gone, and packets to it are lost. Routes by a gateway stay. Nothing else changes: a station keeps its
    access point. Series: ``changes`` (so far). Value: ``changes``.
    """

    about = "another IPv4 address for this node, again and again"
    acts = True
    programs: ClassVar[dict[str, str]] = _programs.of("new_address")
    yields = (Samples("changes"),)
    params: ClassVar[dict[str, Param]] = {
        "every": Param(
            "duration",
            "time between changes; the first one is so long after its start",
            default=60 * _SECOND,
            least=_SECOND // 10,
        ),
        "times": Param("int", "how often; 0: until the end of the run", default=0),
        "without": Param("duration", "time without any address, at each change", default=0),
    }

    def check(self, params: dict[str, Any]) -> None:
        super().check(params)
        if params["without"] >= params["every"]:
            raise ParameterError("without", "must be shorter than every")

    def check_target(self, target: Target, params: dict[str, Any]) -> None:
        if target.ip is None or ipaddress.ip_interface(target.ip).network.prefixlen > _LONGEST_PREFIX:
            raise ValueError("needs a node whose own IPv4 address is in a network with /8")

    def argv(self, target: Target, params: dict[str, Any], raw: str) -> list[str]:
        assert target.ip is not None  # checked
        first, second, rest = target.ip.split(".", 2)
        addresses = [f"{first}.{(int(second) + number) % _ADDRESSES}.{rest}" for number in range(_ADDRESSES)]
        settings = {
            "interface": target.interface,
            "addresses": addresses,
            "times": params["times"],
            **{f"{key}_s": params[key] / _SECOND for key in ("every", "without")},
        }
        return ["python3", program_path(_programs.file("new_address")), json.dumps(settings)]

    def runs_on(self, params: dict[str, Any]) -> bool:
        return True

    def parse(self, raw: Raw) -> Parsed:
        """Read ``.out``: a line for each change."""
        parsed = Parsed(values={"changes": 0})
        for number, document in documents(raw):
            line = Json(document, f"{raw.id}.out:{number}")
            parsed.values["changes"] += 1
            parsed.add("changes", "changes", time_ns(line["t_s"]) - raw.epoch_ns, parsed.values["changes"])
        return parsed
