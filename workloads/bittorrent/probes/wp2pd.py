# SPDX-License-Identifier: MIT
"""wp2pd: age-based manipulation of wP2P, on a mobile host."""

from __future__ import annotations

from typing import Any, ClassVar

from lab.errors import ParameterError
from lab.probes.base import Param, Parsed, Probe, Raw, Samples, Target
from lab.probes.base.text import Json, documents

from ._text import time_ns

_SECOND = 1_000_000_000
_MILLISECOND = 1_000_000
_SERIES = {"young": "connections", "mature": "connections", "added": "packets"}
_COUNTS = ("segments", "added", "left_alone", "refused", "duplicates", "dropped", "errors")
_DUPACKS = ("all", "thin")


class Wp2pd(Probe):
    """Runs wp2pd until the end of the run: new acknowledgements on data also go out as pure ACKs, while it is young.

    Series: ``young``, ``mature`` (connections that were active in the interval), ``added`` (pure ACKs so far). Values:
    ``segments`` (that it has seen), ``added`` (pure ACKs), ``left_alone`` (data with a new acknowledgement, while
    mature), ``refused`` (such data while young, with options that it does not know), ``duplicates`` (DUPACKs of this
    host), ``dropped`` (of these), ``errors`` (pure ACKs that could not be sent).
    """

    about = "wP2P's age-based manipulation of this node's TCP: pure ACKs in addition to those on data, while young"
    acts = True
    yields = (Samples("young"), Samples("mature"), Samples("added"))
    params: ClassVar[dict[str, Param]] = {
        "gamma": Param(
            "size",
            "a connection is young below this congestion window; 0 B: it only watches",
            default=9000,
            most=2**32 - 1,
        ),
        "dupacks": Param(
            "str",
            "all; or thin: while mature, every second one after the third that says nothing new is dropped",
            default="all",
        ),
        "every": Param(
            "duration", "time between its reports", default=_SECOND, least=_MILLISECOND, most=3600 * _SECOND
        ),
    }

    def check(self, params: dict[str, Any]) -> None:
        super().check(params)
        if params["dupacks"] not in _DUPACKS:
            raise ParameterError("dupacks", f'"{params["dupacks"]}" is not valid; write {" or ".join(_DUPACKS)}')
        if params["every"] % _MILLISECOND:
            raise ParameterError("every", "must be whole milliseconds")

    def argv(self, target: Target, params: dict[str, Any], raw: str) -> list[str]:
        options = ["--young-below", str(params["gamma"]), "--dupacks", params["dupacks"]]
        return ["wp2pd", *options, "--every-ms", str(params["every"] // _MILLISECOND)]

    def runs_on(self, params: dict[str, Any]) -> bool:
        return True

    def parse(self, raw: Raw) -> Parsed:
        """Read ``.out``: a line for each interval."""
        parsed = Parsed(values=dict.fromkeys(_COUNTS, 0))
        for number, document in documents(raw):
            line = Json(document, f"{raw.id}.out:{number}")
            t_ns = time_ns(line["t_s"]) - raw.epoch_ns
            for key, unit in _SERIES.items():
                parsed.add(key, unit, t_ns, line[key].integer())
            parsed.values |= {key: line[key].integer() for key in _COUNTS}
        return parsed
