# SPDX-License-Identifier: MIT
"""raw/medium.json: the kernel's counters of the medium at the timeline's start, during it, and at its end."""

from __future__ import annotations

import json
from pathlib import Path

from lab.guest.medium.medium import MediumControl
from lab.shared.frozen import data

FILE_NAME = "medium.json"


class MediumRecord:
    """Readings of the counters of a medium. ``start_ns`` is the uptime at the timeline's start."""

    def __init__(self, medium: MediumControl, start_ns: int) -> None:
        self._medium = medium
        self._start_ns = start_ns
        self._looks: list[str] = []  # as JSON, which takes less memory than objects

    def look(self, t_ns: int) -> None:
        """Record the counters now, ``t_ns`` after the timeline's start."""
        self._looks.append(json.dumps(data(self._medium.counters(t_ns, self._start_ns)), sort_keys=True))

    def write(self, directory: Path) -> None:
        """Write them in order of time, one line each: ``{looks: [Reading]}`` (lab.shared.medium_types)."""
        lines = ",\n".join(self._looks)
        (directory / FILE_NAME).write_text(f'{{"looks": [\n{lines}\n]}}\n')
