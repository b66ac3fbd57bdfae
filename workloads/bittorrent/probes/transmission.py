# SPDX-License-Identifier: MIT
"""transmission: a BitTorrent client, transmission-daemon, which downloads a torrent or seeds it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import pairwise
from typing import Any, ClassVar

from lab import units
from lab.errors import ParameterError, suggestion
from lab.probes.base import (
    Param,
    Parsed,
    Probe,
    Raw,
    Samples,
    Target,
    TimeSeries,
    Transfer,
    program_path,
)
from lab.probes.base.text import Json, documents

from . import _programs
from ._results import Exchange
from ._text import time_ns

_SECOND = 1_000_000_000
_KBYTE = 8 * 1000  # bit: the client's limits are in kB/s
_WP2P = "transmission-wp2p"  # a stack, and its program
_CLIENTS = {"stock": "transmission-daemon", "wp2p": _WP2P}
_RULES = {  # of the client wp2p, in its words; {0}: the probability in `rarest`, {1}: `doubles` in s
    "rarest": "rarest",
    "fixed": "fixed {0:g}",
    "fraction": "fraction",
    "growing": "growing {0:g}",
    "connected": "connected {0:g} {1:g}",
}
_SERIES = {"down": "downloaded", "up": "uploaded", "have": "have", "playable": "playable", "peers": "peers"}


class Transmission(Probe):
    """Joins the swarm of a torrent with transmission-daemon, and stays until the end of the run.

    Series: ``downloaded``, ``uploaded`` (B, cumulative, of the torrent's data), ``have`` (B, verified), ``playable`` (B
    from the beginning without a gap), ``peers``. Values: ``size`` (B), ``complete``, ``sha256`` (of what was
    downloaded, once it is complete; of a folder, that of its files in the order of their paths), ``completed_s``
    (since its start), ``playable_25``, ``playable_50``, ``playable_75`` (%, when it first had so much of the torrent),
    ``wasted`` (B that failed their hash), ``error`` (the last one that the client reported, such as a tracker that
    cannot be reached).
    """

    about = "BitTorrent with transmission-daemon: bytes down and up over time, what is playable, completion, SHA-256"
    acts = True
    programs: ClassVar[dict[str, str]] = _programs.of("peer")
    yields = (Transfer, Exchange, Samples("have"), Samples("playable"), Samples("peers"))
    params: ClassVar[dict[str, Param]] = {
        "torrent": Param(
            "str", "a magnet link, or the path or URL of a .torrent file or of a file with a magnet link", required=True
        ),
        "folder": Param("str", "where the files are; those that are complete are seeded", default="/srv/swarm"),
        "leave": Param("bool", "whether it leaves once the download is complete, instead of seeding", default=False),
        "upload": Param("rate", "limit of its uploads; it holds for TCP, so set utp: false", least=_KBYTE),
        "download": Param("rate", "limit of its downloads; as for upload", least=_KBYTE),
        "port": Param("int", "port for peers", default=51413, least=1, most=65535),
        "utp": Param("bool", "whether it uses µTP, besides TCP", default=True),
        "lpd": Param("bool", "whether it looks for peers in its own network (LPD)", default=False),
        "pex": Param("bool", "whether peers tell each other of peers (PEX)", default=True),
        "client": Param(
            "str",
            "stock: transmission-daemon; wp2p: the one with wP2P's changes, of the stack transmission-wp2p",
            default="stock",
        ),
        "fetch": Param(
            "str",
            "order of pieces of the client wp2p: rarest (the rarest one is next, as stock), or in sequence unless it "
            "is drawn that the rarest is next. Its probability is fixed, the downloaded fraction (fraction), or grows "
            "exponentially from that of the key rarest: to 100% with the downloaded fraction (growing), or with the "
            "time since the last disconnection or the start (connected)",
            default="rarest",
        ),
        "rarest": Param("str", "probability for fetch: fixed; that at the beginning for the others", default="20%"),
        "doubles": Param("duration", "time in which it doubles, for fetch: connected", default=60 * _SECOND, least=1),
        "keep_id": Param(
            "bool", "whether the client wp2p has the peer-id that it had in the swarm before a restart", default=False
        ),
        "every": Param("duration", "time between looks at the client", default=_SECOND, least=10_000_000),
    }

    def check(self, params: dict[str, Any]) -> None:
        super().check(params)
        for key, known in (("client", _CLIENTS), ("fetch", _RULES)):
            if params[key] not in known:
                hint = suggestion(params[key], known)
                raise ParameterError(key, f'"{params[key]}" is not valid{hint}; known: {", ".join(known)}')
        if not 0 <= _probability(params) <= 1:
            raise ParameterError("rarest", "must be from 0% to 100%")
        for key, off in (("fetch", "rarest"), ("keep_id", False)):
            if params["client"] == "stock" and params[key] != off:
                raise ParameterError(key, "needs client: wp2p")

    def stacks(self, params: dict[str, Any]) -> tuple[str, ...]:
        return (*super().stacks(params), *([_WP2P] if params.get("client") == "wp2p" else []))

    def argv(self, target: Target, params: dict[str, Any], raw: str) -> list[str]:
        settings = {
            **{key: params[key] for key in ("torrent", "folder", "leave", "utp", "lpd", "pex")},
            **{f"{key}_kbyte_s": params[key] and params[key] // _KBYTE for key in ("upload", "download")},
            "peer_port": params["port"],
            "rpc_port": 9091,
            "every_s": params["every"] / _SECOND,
            "daemon": _CLIENTS[params["client"]],
            "environment": _environment(params),
        }
        return ["python3", program_path(_programs.file("peer")), json.dumps(settings)]

    def runs_on(self, params: dict[str, Any]) -> bool:
        """Return whether it seeds until it is ended."""
        return not params["leave"]

    def parse(self, raw: Raw) -> Parsed:
        """Read ``.out``: a line for each look; one of them says that the download is complete."""
        parsed = Parsed(values={"complete": False, "size": 0, "wasted": 0, "error": ""})
        for number, document in documents(raw):
            line = Json(document, f"{raw.id}.out:{number}")
            t_ns = time_ns(line["t_s"]) - raw.epoch_ns
            for key, name in _SERIES.items():
                parsed.add(name, "peers" if key == "peers" else "B", t_ns, line[key].integer())
            parsed.values |= {key: line[key].integer() for key in ("size", "wasted")}
            parsed.values["error"] = line["error"].text() or parsed.values["error"]
            if "complete" in line:
                parsed.values |= {"complete": line["complete"].flag(), "sha256": line["sha256"].text()}
                parsed.values["completed_s"] = (t_ns - raw.started_ns) / _SECOND
        parsed.values |= _playable(parsed)
        return parsed

    def found(self, raw: Raw, parsed: Parsed) -> Iterator[object]:
        """Yield the download, unless everything was there from the beginning, and what it exchanged."""
        down, up = (parsed.series_of(name) for name in ("downloaded", "uploaded"))
        if not down.values:
            return
        values = parsed.values
        if down.values[-1]:
            ended_s = values.get("completed_s", (down.t_ns[-1] - raw.started_ns) / _SECOND)
            duration_ns = round(ended_s * _SECOND)
            yield Transfer(raw.id, int(down.values[-1]), duration_ns, _rate(raw.id, down), complete=values["complete"])
        yield Exchange(raw.id, int(down.values[-1]), int(up.values[-1]), values["size"])


def _playable(parsed: Parsed) -> dict[str, float]:
    """Return how much could be played at the first look with a quarter, half and three quarters of the torrent."""
    looks = list(zip(parsed.series_of("have").values, parsed.series_of("playable").values, strict=True))
    size, found = parsed.values["size"], {}
    for share in (25, 50, 75):
        first = next((playable for have, playable in looks if size and 100 * have >= share * size), None)
        if first is not None:
            found[f"playable_{share}"] = 100 * first / size
    return found


def _rate(name: str, amount: TimeSeries) -> TimeSeries:
    """Return bit/s between consecutive looks, at the time of the later one."""
    rates = TimeSeries(name, "bit/s")
    for (before_ns, before), (t_ns, now) in pairwise(zip(amount.t_ns, amount.values, strict=True)):
        if t_ns > before_ns:
            rates.t_ns.append(t_ns)
            rates.values.append(8 * (now - before) * _SECOND / (t_ns - before_ns))
    return rates


def _probability(params: dict[str, Any]) -> float:
    try:
        return float(units.PERCENT.parse(params["rarest"])) / 100
    except ValueError as error:
        raise ParameterError("rarest", str(error)) from None


def _environment(params: dict[str, Any]) -> dict[str, str]:
    """Return the variables of the client wp2p."""
    found = {}
    if params["fetch"] != "rarest":
        found["WP2P_FETCH"] = _RULES[params["fetch"]].format(_probability(params), params["doubles"] / _SECOND)
    if params["keep_id"]:
        found["WP2P_KEEP_PEER_ID"] = "1"
    return found
