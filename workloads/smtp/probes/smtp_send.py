# SPDX-License-Identifier: MIT
"""smtp-send: sends mails with a file to a mail server, one after the other, by msmtp."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, ClassVar

from lab.probes.base import Param, Parsed, Probe, ProbeOutputError, Raw, Target, Transfer, program_path
from lab.probes.base.text import Json, documents

from . import _programs

_SECOND = 1_000_000_000


class SmtpSend(Probe):
    """Sends mails, each by a session of its own, and ends when the server has accepted the last one.

    msmtp sends commands without waiting for the answer to the one before if the server offers that (PIPELINING).

    Series: ``sent`` (number of mails), at the time when the server accepted one. Values: ``mails``, ``bytes`` (of them
    all), ``sha256`` (of the file in them), ``time_total_s`` (of all sessions). A mail that is not accepted ends the
    run, with the reason.
    """

    about = "send mails with a file, by msmtp: time until the server has accepted them, SHA-256 of the file"
    acts = True
    programs: ClassVar[dict[str, str]] = _programs.of("send")
    yields = (Transfer,)
    params: ClassVar[dict[str, Param]] = {
        "server": Param("str", "address of the server", required=True),
        "file": Param("str", "path of the file in the mails", required=True),
        "mails": Param("int", "number of mails", default=1, least=1, most=10_000),
        "to": Param("str", "to whom", default="root@server.lab"),
        "sender": Param("str", "from whom", default="user@client.lab"),
        "port": Param("int", "port of the server", default=25, least=1, most=65535),
    }

    def argv(self, target: Target, params: dict[str, Any], raw: str) -> list[str]:
        own = [f"--host={params['server']}", f"--port={params['port']}", f"--from={params['sender']}"]
        command = ["msmtp", "--file=/dev/null", *own, "--domain=client.lab", "--", params["to"]]
        settings = {"command": command, **{key: params[key] for key in ("server", "file", "mails", "to", "sender")}}
        return ["python3", program_path(_programs.file("send")), json.dumps(settings)]

    def parse(self, raw: Raw) -> Parsed:
        """Read ``.out``: a line for each mail."""
        parsed = Parsed(values={"mails": 0, "bytes": 0, "time_total_s": 0.0})
        t_ns = raw.started_ns
        for number, document in documents(raw):
            line = Json(document, f"{raw.id}.out:{number}")
            took_ns, size, digest = line["took_ns"].integer(), line["bytes"].integer(), line["sha256"].text()
            if took_ns < 0 or size < 0:
                raise ProbeOutputError(f"{line.where}: took_ns and bytes must not be negative")
            t_ns += took_ns
            values = parsed.values
            values["mails"] += 1
            values["bytes"] += size
            values["time_total_s"] += took_ns / _SECOND
            values["sha256"] = digest
            parsed.add("sent", "mails", t_ns, values["mails"])
        return parsed

    def found(self, raw: Raw, parsed: Parsed) -> Iterator[Transfer]:
        """Yield one transfer of all mails."""
        values = {"mails": 0, "bytes": 0, "time_total_s": 0.0, **parsed.values}
        complete = values["mails"] == raw.params.get("mails", 1)
        yield Transfer(raw.id, values["bytes"], round(values["time_total_s"] * _SECOND), complete=complete)
