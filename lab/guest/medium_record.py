# SPDX-License-Identifier: MIT
"""raw/medium.json: what the kernel had counted on the medium when the timeline began and when it ended."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from lab.guest.medium import Medium

FILE_NAME = "medium.json"


class MediumRecord:
    """Looks at the counters of a medium."""

    def __init__(self, medium: Medium, start_ns: int) -> None:
        """``start_ns`` is the uptime at the timeline's start."""
        self._medium = medium
        self._start_ns = start_ns
        self.looks: list[dict[str, Any]] = []

    def look(self, t_ns: int) -> None:
        """Note the counters as they are now, ``t_ns`` after the timeline's start."""
        self.looks.append({"t_ns": t_ns, **self._medium.counters(self._start_ns)})

    def write(self, directory: Path) -> None:
        """Leave them, the first look first: ``{looks: [{t_ns, radios, links, channels}]}``."""
        text = json.dumps({"looks": self.looks}, sort_keys=True, indent=1) + "\n"
        (directory / FILE_NAME).write_text(text)
