# SPDX-License-Identifier: MIT
"""shared-rate: one rate and one queue for both directions through an access point, as an emulator of a channel has."""

from __future__ import annotations

import json
from typing import Any, ClassVar

from lab.probes.base import Param, Parsed, Probe, Raw, Samples, Target, program_path
from lab.probes.base.text import Json, documents

from . import _programs
from ._text import time_ns

_SECOND = 1_000_000_000
_COUNTS = {"packets": "packets", "lost": "packets", "queued": "packets", "bytes": "B"}


class SharedRate(Probe):
    """Limits what an access point forwards, uploads and downloads together, to one rate with one drop-tail queue.

    It shapes IPv4 packets, with their Ethernet headers, as they come in by a port of the node's bridge. The radio has
    its own queue and rate besides. Series: ``packets``, ``bytes``, ``lost`` (so far), ``queued``. Values: ``packets``,
    ``lost``, ``most_queued``.
    """

    about = "one rate and one queue for both directions of what an access point forwards"
    acts = True
    programs: ClassVar[dict[str, str]] = _programs.of("shared_rate")
    yields = tuple(Samples(name) for name in _COUNTS)
    params: ClassVar[dict[str, Param]] = {
        "rate": Param("rate", "for both directions together", required=True, least=8 * 1000),
        "queue": Param("int", "packets that may wait; further ones are lost", default=50, least=1, most=100_000),
        "every": Param("duration", "time between looks at its counters", default=_SECOND, least=_SECOND // 100),
    }

    def argv(self, target: Target, params: dict[str, Any], raw: str) -> list[str]:
        settings = {"rate_bit_s": params["rate"], "queue": params["queue"], "every_s": params["every"] / _SECOND}
        return ["python3", program_path(_programs.file("shared_rate")), json.dumps(settings)]

    def runs_on(self, params: dict[str, Any]) -> bool:
        return True

    def parse(self, raw: Raw) -> Parsed:
        """Read ``.out``: a line for each look."""
        parsed = Parsed(values={"packets": 0, "lost": 0, "most_queued": 0})
        for number, document in documents(raw):
            line = Json(document, f"{raw.id}.out:{number}")
            t_ns = time_ns(line["t_s"]) - raw.epoch_ns
            for key, unit in _COUNTS.items():
                parsed.add(key, unit, t_ns, line[key].integer())
            parsed.values |= {key: line[key].integer() for key in ("packets", "lost")}
            parsed.values["most_queued"] = max(parsed.values["most_queued"], line["queued"].integer())
        return parsed
