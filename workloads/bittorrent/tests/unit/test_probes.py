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


def test_nodes_of_the_table_and_moves() -> None:
    *_, settings = argv("transmission", torrent="t", dht=True, bootstrap=["10.0.0.1", "10.0.0.2:5"], moved="restart")
    found = json.loads(settings)
    assert (found["dht"], found["bootstrap"], found["moved"]) == (True, ["10.0.0.1 51413", "10.0.0.2 5"], "restart")
    *_, settings = argv("transmission", torrent="t")
    found = json.loads(settings)
    assert (found["dht"], found["bootstrap"], found["moved"]) == (False, [], "stay")


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({"bootstrap": ["10.0.0.1:0"]}, 'bootstrap: "10.0.0.1:0" is not valid; write ADDRESS or ADDRESS:PORT'),
        ({"bootstrap": ["10.0.0.1:x"]}, "write ADDRESS or ADDRESS:PORT"),
        ({"bootstrap": [":5"]}, "write ADDRESS or ADDRESS:PORT"),
        ({"moved": "restarts"}, r'moved: "restarts" is not valid.*restart.*; known: stay, reconnect, restart'),
    ],
)
def test_nodes_and_moves_that_are_not_valid(keys: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        argv("transmission", torrent="t", **keys)


@pytest.mark.parametrize(
    ("keys", "environment"),
    [
        ({}, {}),
        ({"fetch": "fixed", "rarest": "0%"}, {"WP2P_FETCH": "fixed 0"}),
        ({"fetch": "fraction"}, {"WP2P_FETCH": "fraction"}),
        ({"fetch": "growing"}, {"WP2P_FETCH": "growing 0.2"}),
        ({"fetch": "connected", "doubles": 90_000_000_000}, {"WP2P_FETCH": "connected 0.2 90"}),
        ({"keep_id": True}, {"WP2P_KEEP_PEER_ID": "1"}),
    ],
)
def test_the_patched_client_and_its_variables(keys: dict[str, Any], environment: dict[str, str]) -> None:
    *_, settings = argv("transmission", torrent="t", client="wp2p", **keys)
    found = json.loads(settings)
    assert (found["daemon"], found["environment"]) == ("transmission-wp2p", environment)
    *_, settings = argv("transmission", torrent="t")
    assert (json.loads(settings)["daemon"], json.loads(settings)["environment"]) == ("transmission-daemon", {})


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({"client": "wp2"}, r'client: "wp2" is not valid \(did you mean "?wp2p"?\?\); known: stock, wp2p'),
        ({"client": "wp2p", "fetch": "often"}, 'fetch: "often" is not valid; known: rarest, fixed, fraction'),
        ({"client": "wp2p", "fetch": "fixed", "rarest": "101%"}, "rarest: must be from 0% to 100%"),
        ({"client": "wp2p", "fetch": "fixed", "rarest": "0.2"}, 'rarest: "0.2" has no unit'),
        ({"fetch": "fraction"}, "fetch: needs client: wp2p"),
        ({"keep_id": True}, "keep_id: needs client: wp2p"),
    ],
)
def test_keys_of_the_patched_client_that_are_not_valid(keys: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        argv("transmission", torrent="t", **keys)


def test_the_patched_client_needs_its_stack() -> None:
    probe = load("transmission")
    stock, wp2p = (probe.stacks(probe.defaults({"torrent": "t", "client": client})) for client in ("stock", "wp2p"))
    assert wp2p == (*stock, "transmission-wp2p")


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


def test_who_has_only_a_magnet_link_at_the_end_says_so(typed: Typed) -> None:
    never = "the torrent's metadata never came from a peer"
    assert typed("transmission", out=line("1.000000000", size=0)).values["error"] == never
    no_tracker = line("1.000000000", size=0, error="Could not connect")
    assert typed("transmission", out=no_tracker).values["error"] == f"Could not connect; {never}"
    assert typed("transmission", out=line("1.000000000", size=0) + line("2.000000000")).values["error"] == ""


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


def test_moves_are_counted_if_the_client_looks_for_them(typed: Typed) -> None:
    assert typed("transmission", out=line("1.000000000", moves=0) + line("2.000000000", moves=3)).values["moves"] == 3
    assert "moves" not in typed("transmission", out=line("1.000000000")).values


def test_another_client() -> None:
    *_, settings = argv("other-client", client="ctorrent", torrent="t", upload=80_000)
    found = json.loads(settings)
    assert (found["client"], found["upload_kbyte_s"], found["download_kbyte_s"]) == ("ctorrent", 10, None)
    with pytest.raises(ParameterError, match=r'client: "aria" is not valid \(did you mean "?aria2"?\?\); known: aria2'):
        argv("other-client", client="aria", torrent="t")


def test_addresses_that_a_node_gets_one_after_the_other(typed: Typed) -> None:
    *_, settings = argv("new-address", every=60_000_000_000, without=2_000_000_000)
    found = json.loads(settings)
    assert found["addresses"][:2] == ["10.0.0.1/8", "10.1.0.1/8"] and len(set(found["addresses"])) == 250
    assert (found["every_s"], found["without_s"], found["times"], found["interface"]) == (60, 2, 0, "h1-eth0")
    parsed = typed("new-address", out='{"t_s": "1.000000000", "address": "10.1.0.1/8"}\n' * 2)
    assert parsed.values == {"changes": 2} and parsed.series_of("changes").values == [1, 2]


def test_nodes_that_cannot_get_new_addresses() -> None:
    probe = load("new-address")
    for address in (None, "10.0.1.5/24"):
        with pytest.raises(ValueError, match="needs a node whose own IPv4 address is in a network with /8"):
            probe.check_target(Target("sta1", "sta1-wlan0", None, address), probe.defaults({"every": 1_000_000_000}))
    with pytest.raises(ParameterError, match="without: must be shorter than every"):
        argv("new-address", every=1_000_000_000, without=1_000_000_000)


def test_what_can_be_played_when_a_part_is_there(typed: Typed) -> None:
    """At the first look with so much of it; a part that it never had has no value."""
    out = line("1.000000000") + line("2.000000000", 30, playable=10) + line("3.000000000", 60, playable=20)
    values = typed("transmission", out=out + line("4.000000000", 70, playable=60)).values
    assert {key: value for key, value in values.items() if key.startswith("playable_")} == {
        "playable_25": 10,
        "playable_50": 20,
    }
