# SPDX-License-Identifier: MIT
"""The probes transmission and tracker: their commands, and how the peer's lines are read."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from lab.errors import ParameterError
from lab.probes.base import Parsed, Probe, ProbeOutputError, Raw, Target, Transfer, load

from ...probes._results import Exchange

TARGET = Target("h1", "h1-eth0", None, "10.0.0.1/8")
Typed = Callable[..., Parsed]


def argv(name: str, **params: Any) -> list[str]:
    probe = load(name)
    filled = probe.defaults(params)
    probe.check(filled)
    probe.check_target(TARGET, filled)
    return probe.argv(TARGET, filled, "/lab/raw/x")


def line(t_s: str, down: int = 0, up: int = 0, **more: Any) -> str:
    found = {"t_s": t_s, "down": down, "up": up, "have": down, "playable": down // 2, "peers": 1, "size": 100}
    return json.dumps({**found, "wasted": 0, "error": "", **more}) + "\n"


def test_a_peers_settings() -> None:
    *_, settings = argv("transmission", torrent="t", upload=80_000, utp=False, every=500_000_000)
    found = json.loads(settings)
    assert (found["torrent"], found["upload_kbyte_s"], found["download_kbyte_s"]) == ("t", 10, None)
    assert (found["utp"], found["pex"], found["lpd"], found["every_s"]) == (False, True, False, 0.5)


def test_it_runs_until_the_end_unless_it_leaves() -> None:
    probe = load("transmission")
    assert probe.runs_on(probe.defaults({"torrent": "t"}))
    assert not probe.runs_on(probe.defaults({"torrent": "t", "leave": True}))


def test_the_address_of_a_tracker_is_that_of_its_node() -> None:
    *_, file, torrent, url, port, piece = argv("tracker", file="/srv/f", piece=1 << 18)
    assert (file, torrent, url) == ("/srv/f", "/srv/www/swarm.torrent", "http://10.0.0.1:6969/announce")
    assert (port, piece) == ("6969", "256")
    assert argv("tracker", file="/srv/f")[-1] == "0"


@pytest.mark.parametrize("piece", [3 << 14, 1 << 27])
def test_pieces_that_no_torrent_can_have(piece: int) -> None:
    with pytest.raises(ParameterError, match="piece: must be a power of two from 16 KiB to 64 MiB"):
        argv("tracker", file="/srv/f", piece=piece)


def test_a_tracker_needs_an_address() -> None:
    probe: Probe = load("tracker")
    with pytest.raises(ValueError, match="needs a node with an address"):
        probe.check_target(Target("s1", "s1-eth0", None, None), probe.defaults({"file": "f"}))


def test_a_download_over_time(typed: Typed) -> None:
    out = line("1.000000000") + line("2.500000000", 60, 3) + line("3.000000000", 100, 5, complete=True, sha256="ab")
    parsed = typed("transmission", out=out)
    assert parsed.series_of("downloaded").values == [0, 60, 100]
    assert parsed.series_of("playable").values == [0, 30, 50]
    values = parsed.values
    assert (values["complete"], values["sha256"], values["size"], values["completed_s"]) == (True, "ab", 100, 3)
    transfer, exchange = found(parsed)
    assert isinstance(transfer, Transfer) and (transfer.bytes, transfer.complete) == (100, True)
    assert transfer.duration_ns == 3_000_000_000
    assert transfer.rate is not None and transfer.rate.values == [8 * 60 / 1.5, 8 * 40 / 0.5]
    assert exchange == Exchange("x", 100, 5, 100)


def found(parsed: Parsed) -> list[object]:
    return list(load("transmission").found(Raw(Path(), "x"), parsed))


def test_who_has_everything_from_the_beginning_downloads_nothing(typed: Typed) -> None:
    parsed = typed("transmission", out=line("1.000000000", up=50, complete=True, sha256="ab"))
    assert found(parsed) == [Exchange("x", 0, 50, 100)]


def test_a_peer_that_was_ended_before_it_began(typed: Typed) -> None:
    parsed = typed("transmission", out="")
    assert (parsed.values["complete"], found(parsed)) == (False, [])


def test_the_last_complaint_of_the_client_is_kept(typed: Typed) -> None:
    parsed = typed("transmission", out=line("1.000000000", error="Could not connect") + line("2.000000000"))
    assert parsed.values["error"] == "Could not connect"


@pytest.mark.parametrize(
    ("out", "message"),
    [
        (line("now"), "x.out:1: t_s: 'now' is not a time stamp"),
        (line("1.000000000", peers="many"), "x.out:1: peers: must be a number"),
        ("{}", "x.out:1: 't_s' is missing"),
        ("down", "x.out:1: not JSON"),
    ],
)
def test_lines_that_are_no_looks(typed: Typed, out: str, message: str) -> None:
    with pytest.raises(ProbeOutputError, match=message):
        typed("transmission", out=out)


def test_what_can_be_played_when_a_part_is_there(typed: Typed) -> None:
    """At the first look with so much of it; a part that it never had has no value."""
    out = line("1.000000000") + line("2.000000000", 30, playable=10) + line("3.000000000", 60, playable=20)
    values = typed("transmission", out=out + line("4.000000000", 70, playable=60)).values
    assert {key: value for key, value in values.items() if key.startswith("playable_")} == {
        "playable_25": 10,
        "playable_50": 20,
    }
