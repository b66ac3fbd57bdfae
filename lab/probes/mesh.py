# SPDX-License-Identifier: MIT
"""``iw dev … mpath dump``: the paths of a mesh point, sampled."""

from __future__ import annotations

import re
from typing import Any, ClassVar

from lab.probes.base import Occurrence, Param, Parsed, Probe, Raw, Samples, Target

_HEAD = "DEST ADDR"
_MAC = "(?:[0-9a-f]{2}:){5}[0-9a-f]{2}"
_NUMBER = r"(\d{1,10})"
# sequence number, metric, queue, then four numbers and flags (hexadecimal), hops, changes
_PATH = re.compile(
    rf"({_MAC}) ({_MAC}) \S+\t\d+\t{_NUMBER}\t\d+\t\d+\t\d+\t\d+\t0x([0-9a-f]+)\t{_NUMBER}\t{_NUMBER}", re.ASCII
)
_ACTIVE = 0x1  # MESH_PATH_ACTIVE: packets can take it


class Mesh(Probe):
    """Samples the paths of a mesh point that are in use.

    Series, one set per destination, named ``<quantity>/<MAC of the destination>``: ``hops``, ``path_metric`` (air time,
    in units of 10.24 us) and ``path_changes``. Also ``paths``, their number in each sample. Occurrences: ``next-hop``
    with ``destination`` and ``next_hop`` (None: no path), if it changed since the last sample. The station-dump probe
    samples its peers.
    """

    about = "iw mpath dump, sampled: hops, metric and next hop of each path of a mesh point"
    mode = "sample"
    kinds = ("mesh",)
    yields = (Samples("hops"), Samples("path_metric"))
    params: ClassVar[dict[str, Param]] = {
        "every": Param("duration", "time between samples", default=100_000_000, least=1_000_000)
    }

    def argv(self, target: Target, params: dict[str, Any], raw: str) -> list[str]:
        return ["iw", "dev", target.radio or target.interface, "mpath", "dump"]

    def parse(self, raw: Raw) -> Parsed:
        parsed = Parsed()
        before: dict[str, str] = {}
        for block in raw.blocks():
            now: dict[str, str] = {}
            for line_number, line in block.lines():
                if line.startswith(_HEAD):
                    continue
                path = _PATH.fullmatch(line)
                if path is None:
                    raise raw.error(line_number, line, "not a valid line of iw mpath dump")
                destination, next_hop, metric, flags, hops, changes = path.groups()
                if int(flags, 16) & _ACTIVE:
                    now[destination] = next_hop
                    parsed.add(f"hops/{destination}", "hops", block.t_ns, int(hops))
                    parsed.add(f"path_metric/{destination}", "1", block.t_ns, int(metric))
                    parsed.add(f"path_changes/{destination}", "1", block.t_ns, int(changes))
            parsed.add("paths", "1", block.t_ns, len(now))
            for destination in sorted({*before, *now}):
                if before.get(destination) != now.get(destination):
                    fields = {"destination": destination, "next_hop": now.get(destination)}
                    parsed.occurrences.append(Occurrence(block.t_ns, "next-hop", fields))
            before = now
        return parsed
