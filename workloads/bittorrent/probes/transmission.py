# SPDX-License-Identifier: MIT
"""transmission: a BitTorrent client, transmission-daemon, which downloads a torrent or seeds it."""

from __future__ import annotations

import json
from typing import Any, ClassVar

from lab import units
from lab.errors import ParameterError, suggestion
from lab.probes.base import (
    Param,
    Samples,
    Target,
    Transfer,
    program_path,
)

from . import _programs
from ._peer import KBYTE, PORT, SECOND, Peer
from ._results import Exchange

_WP2P = "transmission-wp2p"  # a stack, and its program
_CLIENTS = {"stock": "transmission-daemon", "wp2p": _WP2P}
_RULES = {  # of the client wp2p, in its words; {0}: the probability in `rarest`, {1}: `doubles` in s
    "rarest": "rarest",
    "fixed": "fixed {0:g}",
    "fraction": "fraction",
    "growing": "growing {0:g}",
    "connected": "connected {0:g} {1:g}",
}
_MOVED = ("stay", "reconnect", "restart")


class Transmission(Peer):
    """Joins the swarm of a torrent with transmission-daemon, and stays until the end of the run.

    Series: ``downloaded``, ``uploaded`` (B, cumulative, of the torrent's data), ``have`` (B, verified), ``playable`` (B
    from the beginning without a gap), ``peers``. Values: ``size`` (B), ``complete`` (all of it is on the disk),
    ``sha256`` (of what was downloaded, once it is complete; of a folder, that of its files in the order of their
    paths), ``completed_s`` (since its start), ``playable_25``, ``playable_50``, ``playable_75`` (%, when it first had
    so much of the torrent), ``wasted`` (B that failed their hash), ``moves`` (new addresses, unless ``moved: stay``),
    ``error`` (the last one that the client reported, such as a tracker that cannot be reached).
    """

    about = "BitTorrent with transmission-daemon: bytes down and up over time, what is playable, completion, SHA-256"
    acts = True
    programs: ClassVar[dict[str, str]] = _programs.of("peer") | _programs.of("torrent")
    yields = (Transfer, Exchange, Samples("have"), Samples("playable"), Samples("peers"))
    params: ClassVar[dict[str, Param]] = {
        "torrent": Param(
            "str", "a magnet link, or the path or URL of a .torrent file or of a file with a magnet link", required=True
        ),
        "folder": Param("str", "where the files are; those that are complete are seeded", default="/srv/swarm"),
        "leave": Param("bool", "whether it leaves once the download is complete, instead of seeding", default=False),
        "upload": Param("rate", "limit of its uploads; it holds for TCP, so set utp: false", least=KBYTE),
        "download": Param("rate", "limit of its downloads; as for upload", least=KBYTE),
        "port": Param("int", "port for peers", default=PORT, least=1, most=65535),
        "utp": Param("bool", "whether it uses µTP, besides TCP", default=True),
        "lpd": Param("bool", "whether it looks for peers in its own network (LPD)", default=False),
        "pex": Param("bool", "whether peers tell each other of peers (PEX)", default=True),
        "dht": Param("bool", "whether it looks for peers in a distributed hash table (DHT)", default=False),
        "bootstrap": Param(
            "list", "addresses of nodes of the DHT that it asks first, ADDRESS or ADDRESS:PORT", default=()
        ),
        "moved": Param(
            "str",
            "what it does when its node gets another IPv4 address: stay (nothing, as stock), reconnect (it stops and "
            "starts the torrent), or restart (it removes the torrent and adds it again, with what is on the disk, as "
            "clients did that began their tasks anew)",
            default="stay",
        ),
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
        "doubles": Param("duration", "time in which it doubles, for fetch: connected", default=60 * SECOND, least=1),
        "keep_id": Param(
            "bool", "whether the client wp2p has the peer-id that it had in the swarm before a restart", default=False
        ),
        "every": Param("duration", "time between looks at the client", default=SECOND, least=10_000_000),
    }

    def check(self, params: dict[str, Any]) -> None:
        super().check(params)
        for key, known in (("client", _CLIENTS), ("fetch", _RULES), ("moved", _MOVED)):
            if params[key] not in known:
                hint = suggestion(params[key], known)
                raise ParameterError(key, f'"{params[key]}" is not valid{hint}; known: {", ".join(known)}')
        if not 0 <= _probability(params) <= 1:
            raise ParameterError("rarest", "must be from 0% to 100%")
        for node in params["bootstrap"] or ():
            _node_of(node)
        for key, off in (("fetch", "rarest"), ("keep_id", False)):
            if params["client"] == "stock" and params[key] != off:
                raise ParameterError(key, "needs client: wp2p")

    def stacks(self, params: dict[str, Any]) -> tuple[str, ...]:
        return (*super().stacks(params), *([_WP2P] if params.get("client") == "wp2p" else []))

    def argv(self, target: Target, params: dict[str, Any], raw: str) -> list[str]:
        settings = {
            **{key: params[key] for key in ("torrent", "folder", "leave", "utp", "lpd", "pex", "dht", "moved")},
            **{f"{key}_kbyte_s": params[key] and params[key] // KBYTE for key in ("upload", "download")},
            "bootstrap": [" ".join(_node_of(text)) for text in params["bootstrap"] or ()],
            "reader": program_path(_programs.file("torrent")),
            "peer_port": params["port"],
            "rpc_port": 9091,
            "every_s": params["every"] / SECOND,
            "daemon": _CLIENTS[params["client"]],
            "environment": _environment(params),
        }
        return ["python3", program_path(_programs.file("peer")), json.dumps(settings)]

    def runs_on(self, params: dict[str, Any]) -> bool:
        """Return whether it seeds until it is ended."""
        return not params["leave"]


def _probability(params: dict[str, Any]) -> float:
    try:
        return float(units.PERCENT.parse(params["rarest"])) / 100
    except ValueError as error:
        raise ParameterError("rarest", str(error)) from None


def _node_of(text: str) -> tuple[str, str]:
    """Return address and port of a node of the DHT."""
    address, _, port = text.partition(":")
    if not address or " " in text or not (port or "1").isdecimal() or not 0 < int(port or "1") < 65536:
        raise ParameterError("bootstrap", f'"{text}" is not valid; write ADDRESS or ADDRESS:PORT')
    return address, port or str(PORT)


def _environment(params: dict[str, Any]) -> dict[str, str]:
    """Return the variables of the client wp2p."""
    found = {}
    if params["fetch"] != "rarest":
        found["WP2P_FETCH"] = _RULES[params["fetch"]].format(_probability(params), params["doubles"] / SECOND)
    if params["keep_id"]:
        found["WP2P_KEEP_PEER_ID"] = "1"
    return found
