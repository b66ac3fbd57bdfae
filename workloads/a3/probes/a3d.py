# SPDX-License-Identifier: MIT
"""a3d: the daemon of A3 on a node, and its counters."""

from __future__ import annotations

from typing import Any, ClassVar

from lab.errors import ParameterError
from lab.probes.base import Param, Parsed, Probe, ProbeOutputError, Raw, Samples, Target
from lab.probes.base.text import Json, documents, stamp_ns

_SECOND = 1_000_000_000
_MILLISECOND = 1_000_000
_CHOICES = {"side": ("client", "server"), "hook": ("forward", "host")}
_COUNTS = ("packets",)


class A3d(Probe):
    """Runs a3d until the end of the run, on a router or, with ``hook: host``, on the client's or server's own node.

    Series: ``packets`` (that it has seen so far). Values: ``packets``.
    """

    about = "A3's daemon on this node: packets of CIFS, SMTP and HTTP that it saw"
    acts = True
    yields = (Samples("packets"),)
    params: ClassVar[dict[str, Param]] = {
        "side": Param("str", "client or server: whom it stands next to", required=True),
        "hook": Param("str", "forward, what this node forwards; or host, its own packets", default="forward"),
        "every": Param(
            "duration", "time between its reports", default=_SECOND, least=_MILLISECOND, most=3600 * _SECOND
        ),
    }

    def check(self, params: dict[str, Any]) -> None:
        super().check(params)
        for key, known in _CHOICES.items():
            if params[key] not in known:
                raise ParameterError(key, f'"{params[key]}" is not valid; write {" or ".join(known)}')
        if params["every"] % _MILLISECOND:
            raise ParameterError("every", "must be whole milliseconds")

    def argv(self, target: Target, params: dict[str, Any], raw: str) -> list[str]:
        every = str(params["every"] // _MILLISECOND)
        return ["a3d", "--side", params["side"], "--hook", params["hook"], "--every-ms", every]

    def runs_on(self, params: dict[str, Any]) -> bool:
        return True

    def parse(self, raw: Raw) -> Parsed:
        """Read ``.out``: a line for each interval."""
        parsed = Parsed(values=dict.fromkeys(_COUNTS, 0))
        for number, document in documents(raw):
            line = Json(document, f"{raw.id}.out:{number}")
            parsed.add("packets", "packets", _time_ns(line["t_s"]) - raw.epoch_ns, line["packets"].integer())
            parsed.values |= {key: line[key].integer() for key in _COUNTS}
        return parsed


def _time_ns(stamp: Json) -> int:
    try:
        return stamp_ns(stamp.text())
    except ValueError as error:
        raise ProbeOutputError(f"{stamp.where}: {error}") from None
