# SPDX-License-Identifier: MIT
"""bit-errors: random bit errors of a wireless leg, above the MAC, as an emulator has them."""

from __future__ import annotations

from typing import Any, ClassVar

from lab.probes.base import Param, Parsed, Probe, Raw, Samples, Target, program_path
from lab.probes.base.text import Json, documents

from . import _programs
from ._text import time_ns

_SECOND = 1_000_000_000


class BitErrors(Probe):
    """Loses packets that an access point forwards, in both directions, longer ones more often.

    A packet of n bytes of IP is lost with the probability 1 - (1 - BER)^(8 n), n to within 4 bytes. Nothing repeats it:
    neither end learns of the loss at once, unlike with losses on the medium.

    Segments that the kernel has joined (GSO) would be lost as one: switch that off at the hosts. Series: ``packets``,
    ``lost`` (so far). Values: ``packets``, ``lost``, ``joined`` (that were longer than a packet), ``classes`` (packets
    and losses by length).
    """

    about = "random bit errors on what an access point forwards: longer packets are lost more often"
    acts = True
    programs: ClassVar[dict[str, str]] = _programs.of("bit_errors")
    yields = (Samples("packets"), Samples("lost"))
    params: ClassVar[dict[str, Param]] = {
        "per_million": Param("int", "wrong bits in a million: 15 is a BER of 1.5e-5", required=True, most=100_000),
        "every": Param("duration", "time between looks at its counters", default=_SECOND, least=_SECOND // 100),
    }

    def argv(self, target: Target, params: dict[str, Any], raw: str) -> list[str]:
        command = ["python3", program_path(_programs.file("bit_errors"))]
        return [*command, str(params["per_million"] / 1_000_000), str(params["every"] / _SECOND)]

    def runs_on(self, params: dict[str, Any]) -> bool:
        return True

    def parse(self, raw: Raw) -> Parsed:
        """Read ``.out``: a line for each look."""
        parsed = Parsed(values={"packets": 0, "lost": 0, "joined": 0})
        for number, document in documents(raw):
            line = Json(document, f"{raw.id}.out:{number}")
            t_ns = time_ns(line["t_s"]) - raw.epoch_ns
            for key in ("packets", "lost"):
                parsed.add(key, "packets", t_ns, line[key].integer())
            parsed.values |= {key: line[key].integer() for key in ("packets", "lost", "joined")}
        return parsed
