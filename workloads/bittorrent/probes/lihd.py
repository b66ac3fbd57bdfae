# SPDX-License-Identifier: MIT
"""lihd: wP2P's control of the upload limit of a node's BitTorrent client."""

from __future__ import annotations

import json
from typing import Any, ClassVar

from lab.errors import ParameterError
from lab.probes.base import Param, Parsed, Probe, Raw, Samples, Target, program_path
from lab.probes.base.text import Json, documents

from . import _programs
from ._text import time_ns

_SECOND = 1_000_000_000
_KBYTE = 8 * 1000  # bit: the client's limits are in kB/s
_STEP = 10 * _KBYTE  # the paper's alpha and beta
_RULES = ("window", "correlation")
_RATES = ("alpha", "beta", "start", "least", "most")
_SERIES = {"down": "downloaded_rate", "up": "uploaded_rate", "limit": "limit"}


class LihdProbe(Probe):
    """Adapts the upload limit of the probe ``transmission`` on the same node, until the end of the run (LIHD).

    The client's limits hold for TCP only: write ``utp: false`` for it. The paper describes two rules: ``window``
    compares the downloads of a window with those of the one before, ``correlation`` their change with the last change
    of the limit.

    Series: ``downloaded_rate``, ``uploaded_rate`` (bit/s, of each window), ``limit`` (bit/s, that held in it). Values:
    ``windows``, ``limit`` (kB/s, the last one), ``cutdowns`` (windows after which the limit fell), ``restarts`` (of the
    client, which gets the limit of the old one; the window of a restart is left out), ``uncounted`` (windows that the
    rule does not count: a task was begun anew or stopped in them, or an address changed, or nothing has arrived since
    that or since a restart).
    """

    about = "wP2P's LIHD: the upload limit of this node's BitTorrent client follows its downloads"
    acts = True
    programs: ClassVar[dict[str, str]] = _programs.of("lihd")
    yields = (Samples("downloaded_rate"), Samples("uploaded_rate"), Samples("limit"))
    params: ClassVar[dict[str, Param]] = {
        "control": Param("bool", "whether it sets limits; otherwise, it only measures", default=True),
        "rule": Param("str", "window or correlation", default="window"),
        "alpha": Param("rate", "by how much it increases the limit", default=_STEP, least=_KBYTE),
        "beta": Param("rate", "by how much it decreases it, for each cut-down in a row", default=_STEP, least=_KBYTE),
        "window": Param(
            "duration", "time over which throughput is averaged", default=10 * _SECOND, least=_SECOND // 10
        ),
        "start": Param("rate", "limit at the beginning", default=_STEP, least=_KBYTE),
        "least": Param("rate", "smallest limit", default=_STEP, least=_KBYTE),
        "most": Param("rate", "largest limit", default=10**9, least=_KBYTE),
    }

    def check(self, params: dict[str, Any]) -> None:
        super().check(params)
        if params["rule"] not in _RULES:
            raise ParameterError("rule", f'"{params["rule"]}" is not valid; write {" or ".join(_RULES)}')
        if not params["least"] <= params["start"] <= params["most"]:
            raise ParameterError("start", "must not be below least or above most")

    def argv(self, target: Target, params: dict[str, Any], raw: str) -> list[str]:
        settings = {
            **{key: params[key] for key in ("control", "rule")},
            **{key: params[key] / _KBYTE for key in _RATES},
            "window_s": params["window"] / _SECOND,
        }
        return ["python3", program_path(_programs.file("lihd")), json.dumps(settings)]

    def runs_on(self, params: dict[str, Any]) -> bool:
        return True

    def parse(self, raw: Raw) -> Parsed:
        """Read ``.out``: a line for each window."""
        parsed = Parsed(values={"windows": 0, "cutdowns": 0, "restarts": 0, "uncounted": 0})
        for number, document in documents(raw):
            line = Json(document, f"{raw.id}.out:{number}")
            t_ns = time_ns(line["t_s"]) - raw.epoch_ns
            for key, name in _SERIES.items():
                if key in line:
                    parsed.add(name, "bit/s", t_ns, line[key].number() * _KBYTE)
            parsed.values["windows"] += 1
            parsed.values["restarts"] = line["restarts"].integer()
            parsed.values["uncounted"] += not line["counts"].flag()
            if "next" in line:
                parsed.values["limit"] = line["next"].integer()
                parsed.values["cutdowns"] += line["next"].integer() < line["limit"].integer()
        return parsed
