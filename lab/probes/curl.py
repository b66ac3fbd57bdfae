# SPDX-License-Identifier: MIT
"""curl: fetches one URL; progress from the size of the file it writes, integrity from the hash of that file.

curl's own progress meter prints rounded values, so the guest samples the size of the body instead: exact bytes at exact
virtual times. The summary is curl's ``--write-out '%{json}'``.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import Any, ClassVar

from lab.probes.base import Param, Parsed, Probe, ProbeOutputError, Raw, Target, Transfer
from lab.probes.base.text import Json, documents, seconds
from lab.probes.base.watched import rate, received_ns, watched

_TIMES = {
    "time_total": "time_total_s",
    "time_connect": "time_connect_s",
    "time_starttransfer": "time_first_byte_s",
}
_SECOND = 1_000_000_000


class Curl(Probe):
    """Downloads a file with curl.

    Series: ``received`` (B, cumulative). Values: ``bytes``, ``sha256``, ``http_code``, ``exit_code``, ``error``,
    ``time_total_s``, ``time_connect_s``, ``time_first_byte_s``, ``retries``. If curl was ended before the
    transfer was complete, there are only ``bytes`` and ``sha256`` of what had arrived.
    """

    about = "fetch a URL with curl: bytes over time, completion time, SHA-256 of what arrived"
    acts = True
    yields = (Transfer,)
    params: ClassVar[dict[str, Param]] = {
        "url": Param("str", "the URL to fetch", required=True),
        "every": Param(
            "duration", "interval between samples of the received bytes", default=1_000_000_000, least=1_000_000
        ),
        "timeout": Param("duration", "give up after this time", least=1_000_000),
        "limit_rate": Param("rate", "maximum average receive rate", least=8),
        "retries": Param("int", "number of retries after a transient error", default=0),
        "options": Param("list", "further options for curl, as a list of words", default=()),
    }

    def argv(self, target: Target, params: dict[str, Any], raw: str) -> list[str]:
        """Return ``curl --output BODY --write-out '%{json}' URL``: stdout contains only the summary."""
        command = ["curl", "--silent", "--show-error", "--fail", "--output", self.watched_file(params, raw)]
        command += ["--write-out", "%{json}\\n"]
        if params["timeout"] is not None:
            command += ["--max-time", seconds(params["timeout"])]
        if params["limit_rate"] is not None:
            command += ["--limit-rate", str(params["limit_rate"] // 8)]
        if params["retries"]:
            command += ["--retry", str(params["retries"])]
        return [*command, *params["options"], params["url"]]

    def watched_file(self, params: dict[str, Any], raw: str) -> str:
        return f"/tmp/{PurePosixPath(raw).name}.body"

    def parse(self, raw: Raw) -> Parsed:
        """Read ``.size`` (bytes over time, hash) and ``.out`` (curl's summary; empty if curl was killed)."""
        parsed = Parsed()
        watched(raw, parsed)
        for line, document in documents(raw):
            self._parse_summary(Json(document, f"{raw.id}.out:{line}"), parsed)
        return parsed

    def found(self, raw: Raw, parsed: Parsed) -> Iterator[Transfer]:
        """Yield one transfer; if it did not complete, what arrived and when."""
        values = parsed.values
        size, complete = values.get("bytes", 0), values.get("exit_code") == 0 and "time_total_s" in values
        if complete:
            total_ns, first_s = round(values["time_total_s"] * _SECOND), values.get("time_first_byte_s")
            first_ns = None if first_s is None else round(first_s * _SECOND)
            yield Transfer(raw.id, size, total_ns, rate(raw, parsed), complete=True, first_byte_ns=first_ns)
        else:
            yield Transfer(raw.id, size, received_ns(parsed), rate(raw, parsed))

    def _parse_summary(self, summary: Json, parsed: Parsed) -> None:
        if "http_code" in parsed.values:
            raise ProbeOutputError(f"{summary.where}: only one summary was expected for one URL")
        values = parsed.values
        values["http_code"] = summary["http_code"].integer()
        values["exit_code"] = summary["exitcode"].integer()
        values["error"] = "" if summary["errormsg"].absent() else summary["errormsg"].text()
        values["retries"] = summary["num_retries"].integer()
        for key, name in _TIMES.items():
            values[name] = summary[key].number()
        values.setdefault("bytes", summary["size_download"].integer())
