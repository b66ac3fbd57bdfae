# SPDX-License-Identifier: MIT
"""smb-requests: the requests that a Samba server has had, counted by the server itself."""

from __future__ import annotations

import re
from typing import Any, ClassVar

from lab.probes.base import Param, Parsed, Probe, ProbeOutputError, Raw, Samples, Target

_SECTION = re.compile(r"\*{4} (?P<name>.+?) \*+")
_CALLS = {"SMB Calls", "SMB2 Calls"}  # the sections of requests of clients; others count what smbd does for them
_COUNTER = re.compile(r"(?P<name>[A-Za-z0-9_]+)_count: +(?P<value>\d+)", re.ASCII)


class SmbRequests(Probe):
    """Samples smbd's counters (``smbstatus --profile``), which need ``smbd profiling level = count`` in its file.

    Series: ``smb_calls/COMMAND`` (requests so far), such as smb_calls/smb2_read.
    """

    about = "smbstatus --profile, sampled: requests that a Samba server has had, by command"
    mode = "sample"
    yields = (Samples("smb_calls"),)
    params: ClassVar[dict[str, Param]] = {
        "configuration": Param("str", "the file of smbd", default="/etc/samba/lab.conf"),
        "every": Param("duration", "time between samples", default=1_000_000_000, least=10_000_000),
    }

    def argv(self, target: Target, params: dict[str, Any], raw: str) -> list[str]:
        return ["smbstatus", f"--configfile={params['configuration']}", "--profile"]

    def parse(self, raw: Raw) -> Parsed:
        """Read ``.out``: sections of counters, of which those of requests count."""
        parsed = Parsed()
        for block in raw.blocks():
            section = ""
            for number, line in block.lines():
                if head := _SECTION.fullmatch(line):
                    section = head["name"]
                elif section in _CALLS and (counter := _COUNTER.fullmatch(line)):
                    value = raw.integer(number, counter["value"], line)
                    parsed.add(f"smb_calls/{counter['name']}", "requests", block.t_ns, value)
            if not section:
                where = f"{raw.id}.out:{block.line}"
                raise ProbeOutputError(f'{where}: no counters; does smbd have "smbd profiling level = count"?')
        return parsed
