# SPDX-License-Identifier: MIT
"""postfix: a mail server, and what its log says of sessions and mails."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

from lab.probes.base import Parsed, Probe, Raw, Target

from ._results import Commands

_DISCONNECT = re.compile(r"postfix/smtpd\[\d+\]: disconnect from \S+ (?P<counts>.*)commands=\S+")
_COUNT = re.compile(r"(?P<name>[a-z]+)=(?P<accepted>\d{1,9})(?:/(?P<all>\d{1,9}))?", re.ASCII)
_STATUS = re.compile(r"postfix/(?!smtpd)[a-z]+\[\d+\]: .* status=(?P<status>sent|deferred|bounced) ")
_REJECT = re.compile(r"postfix/[a-z]+\[\d+\]: \S+: (?:milter-)?reject: ")


class Postfix(Probe):
    """Runs Postfix, with /etc/postfix/main.cf of the workload, until the end of the run.

    ``maillog_file = /dev/stdout`` there makes its log readable. Values: ``sessions`` (that have ended), ``commands``
    (in them), ``sent``, ``deferred``, ``bounced`` (attempts of delivery), ``rejected`` (commands).
    """

    about = "the mail server Postfix: sessions, commands, and mails delivered, from its log"
    acts = True
    yields = (Commands,)

    def argv(self, target: Target, params: dict[str, Any], raw: str) -> list[str]:
        return ["postfix", "start-fg"]

    def runs_on(self, params: dict[str, Any]) -> bool:
        return True

    def parse(self, raw: Raw) -> Parsed:
        """Read ``.out``: Postfix's log; other lines of it do not count."""
        values = dict.fromkeys(("sessions", "commands", "sent", "deferred", "bounced", "rejected"), 0)
        for _, line in raw.lines():
            if session := _DISCONNECT.search(line):
                values["sessions"] += 1
                values["commands"] += sum(_counts(session["counts"]).values())
            elif status := _STATUS.search(line):
                values[status["status"]] += 1
            elif _REJECT.search(line):
                values["rejected"] += 1
        return Parsed(values=dict(values))

    def found(self, raw: Raw, parsed: Parsed) -> Iterator[Commands]:
        """Yield all commands of sessions that have ended, also those that were refused."""
        counts: Counter[str] = Counter()
        for _, line in raw.lines() if parsed.values.get("commands") else ():
            if session := _DISCONNECT.search(line):
                counts += _counts(session["counts"])
        yield Commands(dict(sorted(counts.items())))


def _counts(text: str) -> Counter[str]:
    """Return ``ehlo=1 rcpt=0/1`` as numbers: one that was refused counts as well."""
    return Counter({one["name"]: int(one["all"] or one["accepted"]) for one in _COUNT.finditer(text)})
