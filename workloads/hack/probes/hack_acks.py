# SPDX-License-Identifier: MIT
"""hack-acks: TCP ACKs of a radio, compressed and native, sampled."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, ClassVar

from lab.probes.base import Param, Parsed, Probe, ProbeOutputError, Raw, Samples, Target, program_path
from lab.probes.base.text import Json, documents, stamp_ns
from lab.shared.frozen import data
from lab.shared.paths import CODE_IN_NODE

from ..radio_settings._hack import PART

_PROGRAM = "hack_acks.py"
_WAYS = ("sent", "received")
_ALWAYS = ("acks", "natives")  # counters whose series are there even if they stay 0
_UNITS = {"bytes": "B", "packet_bytes": "B", "held_ns": "ns"}


class HackAcks(Probe):
    """Samples the kernel's counters of TCP ACKs that go with link-layer ACKs (key ``hack``).

    Series, one set per peer, named ``<way>_<counter>/<MAC of the peer>``, where the way is ``sent`` (to the peer) or
    ``received`` (from it): ``acks`` (compressed) and ``natives``, and, unless it stays 0, each other counter that
    raw/medium.json has: ``bytes``, ``payloads``, ``duplicates``, ``held_ns`` and so on. They begin anew when an event
    switches ``hack``, and are absent while it is off. Also ``pairs``, the number of peers in each sample.
    """

    about = "TCP ACKs of a radio with hack:, sampled: compressed and native, per peer"
    programs: ClassVar[dict[str, str]] = {
        _PROGRAM: Path(__file__).with_name("_acks_program.py").read_text(encoding="utf-8")
    }
    kinds = ("ap", "sta")
    yields = (Samples("sent_acks"), Samples("sent_natives"))
    params: ClassVar[dict[str, Param]] = {
        "every": Param("duration", "time between samples", default=100_000_000, least=1_000_000)
    }

    def check_target(self, target: Target, params: dict[str, Any]) -> None:
        """Raise a ValueError with a message for the user if the radio has no medium."""
        if not target.medium:
            raise ValueError("the perfect medium has no ACK frames; write medium: {} in the topology, or remove this")

    def argv(self, target: Target, params: dict[str, Any], raw: str) -> list[str]:
        interface = target.radio or target.interface
        command = ["python3", program_path(_PROGRAM), interface, str(params["every"]), json.dumps(data(PART))]
        return ["env", f"PYTHONPATH={CODE_IN_NODE}", *command]

    def parse(self, raw: Raw) -> Parsed:
        """Read ``.out``: a line for each sample."""
        parsed = Parsed()
        last_ns: int | None = None
        for line, document in documents(raw):
            sample = Json(document, f"{raw.id}.out:{line}")
            t_ns = _time_ns(sample["t_s"], raw.epoch_ns)
            if last_ns is not None and t_ns <= last_ns:
                raise ProbeOutputError(f"{sample.where}: must be later than the sample before it")
            last_ns = t_ns
            found = sample["pairs"].items()
            parsed.add("pairs", "1", t_ns, len(found))
            for pair in found:
                for way in _WAYS:
                    _add(parsed, t_ns, way, pair)
        parsed.series = [series for series in parsed.series if _is_always(series.name) or any(series.values)]
        return parsed


def _add(parsed: Parsed, t_ns: int, way: str, pair: Json) -> None:
    """Add the counters of one way in one sample."""
    peer = pair["peer"].text()
    for name, value in pair[way].members().items():
        parsed.add(f"{way}_{name}/{peer}", _UNITS.get(name, "1"), t_ns, value.integer())


def _is_always(name: str) -> bool:
    quantity = name.partition("/")[0]
    return quantity == "pairs" or quantity.partition("_")[2] in _ALWAYS


def _time_ns(stamp: Json, epoch_ns: int) -> int:
    """Return a time since the timeline's start."""
    try:
        return stamp_ns(stamp.text()) - epoch_ns
    except ValueError as error:
        raise ProbeOutputError(f"{stamp.where}: {error}") from None
