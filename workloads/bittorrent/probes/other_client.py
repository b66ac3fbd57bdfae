# SPDX-License-Identifier: MIT
"""other-client: a peer that is not Transmission: aria2, or CTorrent, the client of 2004 to 2008."""

from __future__ import annotations

import json
from typing import Any, ClassVar

from lab.errors import ParameterError, suggestion
from lab.probes.base import Param, Samples, Target, Transfer, program_path

from . import _programs
from ._peer import KBYTE, PORT, SECOND, Peer
from ._results import Exchange

_CLIENTS = ("aria2", "ctorrent")


class OtherClient(Peer):
    """Joins the swarm of a torrent with aria2 or CTorrent, and stays until the end of the run.

    Series and values are those of the probe ``transmission``. What it has downloaded is what is right on its disk
    and was not there before. CTorrent tells its uploads in whole MiB only.
    """

    about = "BitTorrent with another client, aria2 or CTorrent"
    acts = True
    programs: ClassVar[dict[str, str]] = _programs.of("other_client") | _programs.of("torrent")
    yields = (Transfer, Exchange, Samples("have"), Samples("playable"), Samples("peers"))
    params: ClassVar[dict[str, Param]] = {
        "client": Param("str", "aria2 or ctorrent", default="aria2"),
        "torrent": Param("str", "the path or URL of a .torrent file", required=True),
        "folder": Param("str", "where the files are; those that are complete are seeded", default="/srv/swarm"),
        "upload": Param("rate", "limit of its uploads", least=KBYTE),
        "download": Param("rate", "limit of its downloads", least=KBYTE),
        "port": Param("int", "port for peers", default=PORT, least=1, most=65535),
        "every": Param("duration", "time between looks at the client", default=SECOND, least=SECOND // 10),
    }

    def check(self, params: dict[str, Any]) -> None:
        super().check(params)
        if params["client"] not in _CLIENTS:
            hint = suggestion(params["client"], _CLIENTS)
            raise ParameterError("client", f'"{params["client"]}" is not valid{hint}; known: {", ".join(_CLIENTS)}')

    def argv(self, target: Target, params: dict[str, Any], raw: str) -> list[str]:
        settings = {
            **{key: params[key] for key in ("client", "torrent", "folder", "port")},
            **{f"{key}_kbyte_s": params[key] and params[key] // KBYTE for key in ("upload", "download")},
            "reader": program_path(_programs.file("torrent")),
            "every_s": params["every"] / SECOND,
        }
        return ["python3", program_path(_programs.file("other_client")), json.dumps(settings)]

    def runs_on(self, params: dict[str, Any]) -> bool:
        return True
