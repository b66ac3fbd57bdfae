# SPDX-License-Identifier: MIT
"""tracker: publishes a file as a torrent, and runs opentracker, which tells its peers of each other."""

from __future__ import annotations

from typing import Any, ClassVar

from lab.errors import ParameterError
from lab.probes.base import Param, Parsed, Probe, Raw, Target, program_path

from . import _programs

_SMALLEST, _LARGEST = 16 << 10, 64 << 20  # pieces that Transmission makes


class Tracker(Probe):
    """Makes a torrent of a file or folder, and the magnet link next to it (.magnet); then runs a tracker for it."""

    about = "publish a file as a torrent, and run the tracker opentracker for it"
    acts = True
    programs: ClassVar[dict[str, str]] = _programs.of("tracker")
    params: ClassVar[dict[str, Param]] = {
        "file": Param("str", "the file or folder to publish, by its path in the node", required=True),
        "torrent": Param("str", "where its torrent is written", default="/srv/www/swarm.torrent"),
        "port": Param("int", "port of the tracker, TCP and UDP", default=6969, least=1, most=65535),
        "piece": Param("size", "size of a piece, a power of two; default: Transmission's choice", least=_SMALLEST),
    }

    def check(self, params: dict[str, Any]) -> None:
        super().check(params)
        piece = params["piece"]
        if piece is not None and (piece & (piece - 1) or piece > _LARGEST):
            raise ParameterError("piece", "must be a power of two from 16 KiB to 64 MiB")

    def check_target(self, target: Target, params: dict[str, Any]) -> None:
        if target.ip is None:
            raise ValueError("needs a node with an address, by which peers find it")

    def argv(self, target: Target, params: dict[str, Any], raw: str) -> list[str]:
        assert target.ip is not None  # checked
        url = f"http://{target.ip.partition('/')[0]}:{params['port']}/announce"
        piece_kib = (params["piece"] or 0) >> 10
        command = ["python3", program_path(_programs.file("tracker"))]
        return [*command, params["file"], params["torrent"], url, str(params["port"]), str(piece_kib)]

    def runs_on(self, params: dict[str, Any]) -> bool:
        return True

    def parse(self, raw: Raw) -> Parsed:
        """Read nothing: a tracker that serves prints nothing that counts."""
        raw.text()
        return Parsed()
