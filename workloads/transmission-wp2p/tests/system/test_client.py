# SPDX-License-Identifier: MIT
"""The patched client in the guest: the order of its pieces, and its peer-id."""

from __future__ import annotations

import itertools
import json
import re
from typing import Any

import pytest

from lab.record import Record

from .runner import STACK, Run

pytestmark = pytest.mark.guest
PIECE, SIZE = 64 << 10, 2 << 20
PUBLISHED = f"""\
name: published
stack: transmission-wp2p
roles: {{server: 1}}
duration: 20 s
files:
  file: {{on: server, path: /srv/swarm/file, random: 2 MiB}}
  configuration: {{on: server, path: /etc/lighttpd/lab.conf, from: {STACK.parent}/http/lighttpd.conf}}
processes:
  - {{on: server, run: {{probe: tracker, file: /srv/swarm/file, piece: 64 KiB}}, as: tracker,
     ready: {{listening: tcp/6969}}}}
  - {{on: server, run: [lighttpd, -D, -f, /etc/lighttpd/lab.conf], ready: {{listening: tcp/80}}}}
  - {{on: server, run: {{probe: transmission, torrent: /srv/www/swarm.torrent}}, as: seed,
     ready: {{listening: tcp/51413}}}}
"""
ANNOUNCES = """\
  - {on: server, run: [tcpdump, -i, h1-eth0, -n, -l, -A, -s, '0', tcp dst port 6969], as: announces, may_run_on: true}
"""
OTHERS = """\
  - {on: sta1, run: {probe: wp2pd, gamma: 9000 B}, as: am}
  - {on: sta1, at: 16 s, run: {probe: lihd}, as: lihd}
"""
MOVED = {"sta1": "10.0.0.201", "sta2": "10.0.0.202"}


def peer(name: str, keys: str = "", node: str = "sta1", times: str = "at: 1 s") -> str:
    """A peer that downloads slowly enough to be seen at it."""
    torrent = "http://{server.ip}/swarm.torrent"
    always = f'probe: transmission, torrent: "{torrent}", utp: false, download: 4 Mbit/s, every: 100 ms'
    return f"  - {{on: {node}, {times}, run: {{{always}{keys}}}, as: {name}}}\n"


def looks(record: Record, name: str) -> list[dict[str, Any]]:
    text = (record.directory / "raw" / f"{name}.out").read_text()
    return [json.loads(line) for line in text.splitlines()]


def progress(record: Record, name: str) -> list[dict[str, Any]]:
    """What a peer sees, but for the microseconds of its looks."""
    return [{key: value for key, value in look.items() if key != "t_s"} for look in looks(record, name)]


def playable_at_half(record: Record, name: str) -> float:
    """The playable part of the file when half of it is there."""
    look = next(look for look in looks(record, name) if look["have"] >= look["size"] // 2 > 0)
    return float(look["playable"] / look["size"])


def growth(record: Record, name: str) -> list[float]:
    """When a peer had more than at its last look, in seconds of the run."""
    epoch_s = record.data["clock"]["epoch_ns"] / 1e9
    pairs = itertools.pairwise(looks(record, name))
    return [float(after["t_s"]) - epoch_s for before, after in pairs if after["have"] > before["have"]]


def test_pieces_come_in_order_and_the_file_is_right(run: Run) -> None:
    """Without a rule, they come in any order."""
    record = run(
        PUBLISHED
        + peer("ordered", ", client: wp2p, fetch: fixed, rarest: 0%")
        + "checks:\n  - {that: ordered.sha256 == file.sha256}\n"
    )
    assert record.passed, record.data["checks"]
    seen = [(look["have"], look["playable"]) for look in looks(record, "ordered")]
    assert len({have for have, _ in seen}) > 10 and seen[-1] == (SIZE, SIZE)
    assert all(have == playable for have, playable in seen), seen


@pytest.mark.parametrize("keys", ["", ", client: wp2p", ", client: wp2p, fetch: fixed, rarest: 100%"])
def test_without_a_rule_and_if_the_rarest_is_certain_pieces_come_in_any_order(run: Run, keys: str) -> None:
    """As with stock. Equally rare pieces are chosen at random, so no two clients have the same order."""
    assert playable_at_half(run(PUBLISHED + peer("p", keys)), "p") < 0.3


def test_equal_runs_have_equal_bytes(run: Run) -> None:
    """Draws included: another seed has another order."""
    workload = PUBLISHED + peer("p", ", client: wp2p, fetch: fraction")
    first, second, other = run(workload, "first"), run(workload, "second"), run(workload, "other", 2)
    assert (first.directory / "raw" / "p.out").read_bytes() == (second.directory / "raw" / "p.out").read_bytes()
    assert progress(other, "p") != progress(first, "p")


def test_more_is_playable_at_half_of_the_download(run: Run) -> None:
    """The paper's file of 5 MB in pieces of 256 KB."""
    published = PUBLISHED.replace("2 MiB", "5 MiB").replace("64 KiB", "256 KiB").replace("20 s", "30 s")
    found: dict[str, list[float]] = {}
    for rule in ("rarest", "fraction"):
        for seed in (1, 2, 3):
            record = run(published + peer("p", f", client: wp2p, fetch: {rule}"), f"{rule}-{seed}", seed)
            found.setdefault(rule, []).append(playable_at_half(record, "p"))
    means = {rule: sum(values) / len(values) for rule, values in found.items()}
    assert means["fraction"] > means["rarest"] + 0.1, found


@pytest.mark.parametrize("loses", [True, False])
def test_pieces_come_in_order_for_some_time_after_an_address_is_lost(run: Run, loses: bool) -> None:
    """A second address, each second, so that no connection ends. Without losses, the rarest is certain after 7 s."""
    timeline = "timeline:\n" + "".join(
        f"  - {{at: {at} s, exec: sta1, run: [ip, address, {word}, 10.0.0.77/32, dev, sta1-wlan0]}}\n"
        for at in range(2, 48 if loses else 3)
        for word in (("add", "delete") if loses else ("add",))
    )
    slow = peer("p", ", client: wp2p, fetch: connected, rarest: 1%, doubles: 1 s").replace("4 Mbit/s", "1 Mbit/s")
    record = run(PUBLISHED.replace("2 MiB", "4 MiB").replace("20 s", "50 s") + slow + timeline)
    looked = record.data["sources"]["p"]["values"]["playable_75"]
    assert looked > 70 if loses else looked < 50


def test_a_peer_id_is_kept_over_a_new_address_and_a_restart(run: Run) -> None:
    """With a new address alone, stock keeps it as well; after a restart, it is another peer."""
    processes, timeline = ANNOUNCES, "timeline:\n"
    for node, keys in (("sta1", ", client: wp2p, keep_id: true"), ("sta2", "")):
        processes += peer(f"{node}-first", keys, node, "at: 1 s, stop: 12 s")
        processes += peer(f"{node}-second", keys, node, "at: 14 s")
        for command in ("address, flush", f"address, add, {MOVED[node]}/8"):
            timeline += f"  - {{at: 6 s, exec: {node}, run: [ip, {command}, dev, {node}-wlan0]}}\n"
        for at, word in ((8, "stop"), (9, "start"), (17, "start")):  # a killed client may not know that it was started
            timeline += f"  - {{at: {at} s, exec: {node}, run: [transmission-remote, --torrent, all, --{word}]}}\n"
    record = run(PUBLISHED.replace("20 s", "30 s") + processes + timeline)
    ids = peer_ids((record.directory / "raw" / "announces.out").read_text())
    before, after = ids["10.0.0.101"], ids[MOVED["sta1"]]
    assert len(before) == 1 and len(after) >= 2 and set(after) == set(before), ids
    before, after = ids["10.0.0.102"], ids[MOVED["sta2"]]
    assert len(before) == 1 and after[0] == before[0] and len(set(after)) == 2, ids


def test_an_interface_that_goes_down_and_comes_up_with_another_address(run: Run) -> None:
    """As the paper changed addresses (E.1): ifdown, and ifup with another address; the station joins its cell again."""
    moves = (
        ("18 s", "link, set, sta1-wlan0, down"),
        ("18 s", "address, flush, dev, sta1-wlan0"),
        ("21 s", f"address, add, {MOVED['sta1']}/8, dev, sta1-wlan0"),
        ("21 s", "link, set, sta1-wlan0, up"),
    )
    timeline = "timeline:\n" + "".join(f"  - {{at: {at}, exec: sta1, run: [ip, {move}]}}\n" for at, move in moves)
    moved = peer("moved", ", client: wp2p, keep_id: true, moved: restart").replace("4 Mbit/s", "1 Mbit/s")
    checks = "checks:\n  - {that: moved.sha256 == file.sha256}\n"
    record = run(PUBLISHED.replace("20 s", "60 s") + ANNOUNCES + moved + timeline + checks)
    assert record.passed, record.data["checks"]
    grew = growth(record, "moved")
    assert min(grew) < 18 < 21 < max(grew) and not any(18.6 < at < 21 for at in grew), grew
    ids = peer_ids((record.directory / "raw" / "announces.out").read_text())
    assert ids["10.0.0.101"] and len(set(ids["10.0.0.101"] + ids[MOVED["sta1"]])) == 1, ids


@pytest.mark.parametrize(
    ("others", "keys", "kept"),
    [
        pytest.param(OTHERS, ", fetch: growing, keep_id: true", True, id="with all of wP2P"),
        pytest.param("", "", False, id="with nothing"),
    ],
)
def test_a_handoff_to_another_subnet_with_dhcp(run: Run, others: str, keys: str, kept: bool) -> None:
    """The station roams at 8 s, DHCP gives it another address, and its client is started anew there.

    With all elements of wP2P, or none.
    """
    processes = ANNOUNCES + others + peer("before", f", client: wp2p{keys}", times="at: 1 s, stop: 14 s")
    processes += peer("after", f", client: wp2p{keys}", times="at: 16 s")
    started = "timeline:\n  - {at: 19 s, exec: sta1, run: [transmission-remote, --torrent, all, --start]}\n"
    record = run(
        PUBLISHED.replace("20 s", "36 s") + processes + started + "checks:\n  - {that: after.sha256 == file.sha256}\n",
        topology="two-subnets",
        settings=("nodes.h1.image=peer", "nodes.sta1.image=peer", "topology.timeline.0.at=8 s"),
    )
    assert record.passed, record.data["checks"]
    ids = peer_ids((record.directory / "raw" / "announces.out").read_text())
    (old,) = (ids[address] for address in ids if address.startswith("10.0.1."))
    (new,) = (ids[address] for address in ids if address.startswith("10.0.2."))
    assert len(set(old)) == len(set(new)) == 1 and (old[0] == new[0]) is kept, ids


def peer_ids(text: str) -> dict[str, list[str]]:
    """The peer-ids of announces, by the sender's address, in their order."""
    found: dict[str, list[str]] = {}
    source = ""
    for line in text.splitlines():
        if address := re.search(r" IP ([\d.]+)\.\d+ > ", line):
            source = address[1]
        if announced := re.search(r"GET /announce\?\S*peer_id=([^&]+)&", line):
            found.setdefault(source, []).append(announced[1])
    return found
