# SPDX-License-Identifier: MIT
"""What programs of a guest see of the host's processor, since no host can hide it: for doctor and wall.json."""

from __future__ import annotations

import hashlib
import itertools
from dataclasses import dataclass
from pathlib import Path

CPUINFO = Path("/proc/cpuinfo")
# instructions with the host's own results; those of a flag exist only on processors that have it
_INSTRUCTIONS = {"CPUID": "", "RDPID": "rdpid", "RDRAND": "rdrand", "RDSEED": "rdseed"}


@dataclass(frozen=True)
class Processor:
    """A model by name, a hash of its features, and the instructions by which programs learn what is the host's."""

    model: str
    features: str
    visible: list[str]


def processor(cpuinfo: Path = CPUINFO) -> Processor:
    """Return the host's."""
    with cpuinfo.open(errors="replace") as lines:
        first = itertools.takewhile(str.strip, lines)  # the others are the same
        values = {name.strip(): value.strip() for name, _, value in (line.partition(":") for line in first)}
    features = set(values.get("flags", "").split())
    return Processor(
        model=values.get("model name", "unknown"),
        features=hashlib.sha256(" ".join(sorted(features)).encode()).hexdigest()[:16],
        visible=[name for name, flag in _INSTRUCTIONS.items() if not flag or flag in features],
    )
