# SPDX-License-Identifier: MIT
"""The patched client in the guest: the order of its pieces, and its peer-id."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from lab import library, runs
from lab.cache.report import SilentReport
from lab.plan.load import load
from lab.record import Record

pytestmark = pytest.mark.guest
STACK = Path(__file__).parents[2]
PIECE, SIZE = 64 << 10, 2 << 20
CELL = """\
name: cell
nodes:
  h1:   {kind: host, roles: [server], image: peer}
  ap1:  {kind: ap, ssid: a, mode: g, channel: 1}
  sta1: {kind: sta, ssid: a, image: peer, ip: 10.0.0.101/8}
  sta2: {kind: sta, ssid: a, image: peer, ip: 10.0.0.102/8}
links:
  - {between: [h1, ap1]}
medium: {}
"""
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
MOVED = {"sta1": "10.0.0.201", "sta2": "10.0.0.202"}
Run = Callable[..., Record]


def peer(name: str, keys: str = "", node: str = "sta1", times: str = "at: 1 s") -> str:
    """A peer that downloads slowly enough to be seen at it."""
    torrent = "http://{server.ip}/swarm.torrent"
    always = f'probe: transmission, torrent: "{torrent}", utp: false, download: 4 Mbit/s, every: 100 ms'
    return f"  - {{on: {node}, {times}, run: {{{always}{keys}}}, as: {name}}}\n"


@pytest.fixture
def run(tmp_path: Path, machine: runs.Machine) -> Run:
    def of(workload: str, name: str = "run", seed: int = 1) -> Record:
        (tmp_path / "t.yaml").write_text(CELL)
        (tmp_path / "w.yaml").write_text(workload)
        plan = load(str(tmp_path / "t.yaml"), str(tmp_path / "w.yaml"), seed, ())
        code = library.code_of(str(tmp_path / "w.yaml"), plan.stack)
        assert code is not None
        own = runs.with_images(runs.with_stacks(machine, [code], SilentReport()), plan, SilentReport())
        (tmp_path / name).mkdir()
        return runs.run_plan(plan, own, tmp_path / name)

    return of


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


def test_a_peer_id_is_kept_over_a_new_address_and_a_restart(run: Run) -> None:
    """With a new address alone, stock keeps it as well; after a restart, it is another peer."""
    announces = "run: [tcpdump, -i, h1-eth0, -n, -l, -A, -s, '0', 'tcp dst port 6969']"
    processes, timeline = f"  - {{on: server, {announces}, as: announces, may_run_on: true}}\n", "timeline:\n"
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
