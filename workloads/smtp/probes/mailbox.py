# SPDX-License-Identifier: MIT
"""mailbox: the mails that a server has delivered, at the end of the run."""

from __future__ import annotations

from typing import Any, ClassVar

from lab.probes.base import Param, Parsed, Probe, ProbeOutputError, Raw, Samples, Target, program_path
from lab.probes.base.text import Json, documents

from . import _programs


class Mailbox(Probe):
    """Reads a Maildir at the end of the run.

    Series: ``delivered`` (number of mails, when each came). Values: ``messages``, ``sha256`` (of their attachments, if
    all have the same one; else ``various``).
    """

    about = "mails in a Maildir: when they came, SHA-256 of their attachments"
    acts = True
    programs: ClassVar[dict[str, str]] = _programs.of("mailbox")
    yields = (Samples("delivered"),)
    params: ClassVar[dict[str, Param]] = {
        "folder": Param("str", "the Maildir", default="/srv/mail/root"),
    }

    def argv(self, target: Target, params: dict[str, Any], raw: str) -> list[str]:
        return ["python3", program_path(_programs.file("mailbox")), params["folder"]]

    def runs_on(self, params: dict[str, Any]) -> bool:
        return True

    def parse(self, raw: Raw) -> Parsed:
        """Read ``.out``: a line for each mail."""
        parsed = Parsed(values={"messages": 0})
        digests = set()
        for number, document in documents(raw):
            line = Json(document, f"{raw.id}.out:{number}")
            stamp = line["t_ns"].text()
            if not (stamp.isascii() and stamp.isdigit() and len(stamp) < 20):
                raise ProbeOutputError(f"{line.where}: t_ns: {stamp!r} is not a time")
            parsed.values["messages"] += 1
            digests.add(None if line["sha256"].absent() else line["sha256"].text())
            parsed.add("delivered", "mails", int(stamp) - raw.epoch_ns, parsed.values["messages"])
        if digests - {None}:
            parsed.values["sha256"] = next(iter(digests)) if len(digests) == 1 else "various"
        return parsed
