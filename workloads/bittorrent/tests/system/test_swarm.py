# SPDX-License-Identifier: MIT
"""Swarms of real clients: what arrives is what was published, whatever happens to the swarm."""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from lab import runs
from lab.cache.report import SilentReport
from lab.errors import RunError
from lab.plan.load import load
from lab.record import Record
from tests import stored

pytestmark = pytest.mark.guest
STACK = Path(__file__).parents[2]
HTTP = STACK.parent / "http"
CELL = """\
name: cell
nodes:
  h1:   {kind: host, roles: [server], image: peer}
  ap1:  {kind: ap, ssid: a, mode: g, channel: 1}
  sta1: {kind: sta, ssid: a, roles: [client], image: peer}
  sta2: {kind: sta, ssid: a, roles: [client], image: peer}
links:
  - {between: [h1, ap1]}
medium: {}
"""
PUBLISHED = f"""\
name: published
stack: bittorrent
roles: {{server: 1, client: 1..}}
duration: 40 s
files:
  file: {{on: server, path: /srv/swarm/file, random: 2 MiB}}
  configuration: {{on: server, path: /etc/lighttpd/lab.conf, from: {HTTP}/lighttpd.conf}}
  wrong: {{on: server, path: /srv/www/wrong.torrent, text: "no torrent"}}
processes:
  - {{on: server, run: {{probe: tracker, file: /srv/swarm/file}}, as: tracker, ready: {{listening: tcp/6969}}}}
  - {{on: server, run: [lighttpd, -D, -f, /etc/lighttpd/lab.conf], ready: {{listening: tcp/80}}}}
  - {{on: server, run: {{probe: transmission, torrent: /srv/www/swarm.torrent}}, as: seed,
     ready: {{listening: tcp/51413}}}}
"""
PEER = '  - {on: client, at: 1 s, run: {probe: transmission, torrent: "http://{server.ip}/swarm.torrent"}, as: peer}\n'
METRICS = """\
metrics:
  have: {of: peer, unit: "%"}
  playable: {of: peer, unit: "%"}
  share-ratio: {of: seed, unit: times}
checks:
  - {that: have.min == 100%}
  - {that: peer.sha256 == file.sha256}
"""
Run = Callable[..., Record]


@pytest.fixture
def run(tmp_path: Path, machine: runs.Machine) -> Run:
    def of(workload: str, *settings: str, topology: str = CELL) -> Record:
        (tmp_path / "w.yaml").write_text(workload)
        place = topology
        if "\n" in topology:
            (tmp_path / "t.yaml").write_text(topology)
            place = str(tmp_path / "t.yaml")
        plan = load(place, str(tmp_path / "w.yaml"), 1, settings)
        (tmp_path / "run").mkdir()
        own = runs.with_stacks(runs.with_images(machine, plan, SilentReport()), [STACK], SilentReport())
        return stored.run_plan(plan, own, tmp_path / "run")

    return of


def looks(record: Record, name: str) -> list[dict[str, Any]]:
    text = (record.directory / "raw" / f"{name}.out").read_text()
    return [json.loads(line) for line in text.splitlines()]


def test_everybody_gets_the_file_and_gives_of_it(run: Run) -> None:
    """One peer has the torrent, the other one only its magnet link."""
    one, other = (PEER.replace("client", name) for name in ("sta1", "sta2"))
    record = run(PUBLISHED + one + other.replace(".torrent", ".magnet").replace("as: peer", "as: linked") + METRICS)
    assert record.passed, record.data["checks"]
    ends = [looks(record, name)[-1] for name in ("seed", "peer", "linked")]
    assert [end["have"] for end in ends] == [2 << 20] * 3
    assert sum(end["up"] for end in ends) >= sum(end["down"] for end in ends) >= 4 << 20
    assert {end["sha256"] for name in ("peer", "linked") for end in looks(record, name) if "sha256" in end} == {
        record.plan.files[0].sha256
    }
    assert record.metrics["playable"].values["min"] == 100
    assert (record.metrics["share-ratio"].values["min"] or 0) >= 1  # somebody got each byte from the seed


def test_a_swarm_without_a_tracker_finds_itself_in_its_own_network(run: Run) -> None:
    """Its peers announce themselves after a minute. Multicast needs a route, which nodes without a router lack."""
    alone = """\
name: alone
stack: bittorrent
roles: {server: 1, client: 1..}
duration: 110 s
files:
  file: {on: server, path: /srv/swarm/file, random: 512 KiB}
  page: {on: server, path: /srv/www/index.html, text: a torrent}
processes:
  - {on: server, run: [transmission-create, --outfile, /srv/www/swarm.torrent, /srv/swarm/file], as: publish}
  - {on: server, run: [python3, -m, http.server, "80", --directory, /srv/www], ready: {listening: tcp/80}}
  - {on: server, at: 1 s, run: {probe: transmission, torrent: /srv/www/swarm.torrent, lpd: true}, as: seed}
timeline:
  - {at: 0 s, exec: h1, run: [ip, route, add, default, dev, h1-eth0]}
  - {at: 0 s, exec: sta1, run: [ip, route, add, default, dev, sta1-wlan0]}
  - {at: 0 s, exec: sta2, run: [ip, route, add, default, dev, sta2-wlan0]}
"""
    peer = PEER.replace("probe: transmission,", "probe: transmission, lpd: true,")
    record = run(alone.replace("timeline:", f"{peer}timeline:") + METRICS)
    assert record.passed, record.data["checks"]


def test_a_swarm_without_a_tracker_finds_itself_by_dht(run: Run) -> None:
    """Twelve nodes, whose clients know one node of the table. Transmission uses it if it knows more than eight."""
    topology = """\
name: twelve
nodes:
  h: {kind: host, count: 12, image: peer}
  s1: {kind: switch}
links:
"""
    topology += "".join(f"  - {{between: [h{number}, s1], delay: 5 ms}}\n" for number in range(1, 13))
    seed, peers = "roles: [server]", "roles: [client]"
    topology = topology.replace(
        "  h: {kind: host, count: 12, image: peer}\n",
        "".join(
            f"  h{number}: {{kind: host, image: peer, {seed if number == 1 else peers}}}\n" for number in range(1, 13)
        ),
    )
    client = 'pex: false, utp: false, dht: true, bootstrap: ["{server.ip}"]'
    alone = f"""\
name: alone
stack: bittorrent
roles: {{server: 1, client: 1..}}
duration: 150 s
files:
  file: {{on: server, path: /srv/swarm/file, random: 512 KiB}}
  page: {{on: server, path: /srv/www/index.html, text: a torrent}}
processes:
  - {{on: server, run: [transmission-create, --outfile, /srv/www/swarm.torrent, /srv/swarm/file], as: publish}}
  - {{on: server, run: [python3, -m, http.server, "80", --directory, /srv/www], ready: {{listening: tcp/80}}}}
  - {{on: server, at: 1 s, run: {{probe: transmission, torrent: /srv/www/swarm.torrent, {client}}}, as: seed}}
"""
    peer = PEER.replace("probe: transmission,", f"probe: transmission, {client},")
    record = run(alone + peer + METRICS, topology=topology)
    assert record.passed, record.data["checks"]


@pytest.mark.parametrize("client", ["aria2", "ctorrent"])
def test_another_client_takes_and_gives(run: Run, client: str) -> None:
    """Transmission has one half of the file and the other client the other one. Afterwards, both have all of it."""
    torrent = 'torrent: "http://{server.ip}/swarm.torrent"'
    halves = """\
  - {on: sta1, run: [dd, if=/dev/zero, of=/srv/swarm/file, bs=1M, count=1, conv=notrunc], as: first-lacks}
  - {on: sta2, run: [truncate, --size, 1M, /srv/swarm/file], as: second-lacks}
"""
    published = PUBLISHED.replace("on: server, path: /srv/swarm/file", "on: [server, client], path: /srv/swarm/file")
    published = published[: published.index("  - {on: server, run: {probe: transmission")].replace("40 s", "60 s")
    swarm = (
        f"  - {{on: sta1, at: 2 s, run: {{probe: other-client, client: {client}, {torrent}}}, as: other}}\n"
        f"  - {{on: sta2, at: 1 s, run: {{probe: transmission, utp: false, {torrent}}}, as: peer}}\n"
    )
    checks = "checks:\n  - {that: peer.sha256 == file.sha256}\n  - {that: other.sha256 == file.sha256}\n"
    topology = CELL.replace(
        "sta1: {kind: sta, ssid: a, roles: [client], image: peer",
        "sta1: {kind: sta, ssid: a, roles: [client], image: other-peer",
    )
    record = run(published + halves + swarm + checks, topology=topology)
    assert record.passed, record.data["checks"]
    begin, end = looks(record, "other")[0], looks(record, "other")[-1]
    assert begin["have"] == 1 << 20 and end["have"] == 2 << 20 and end["up"] >= 1 << 20, (begin, end)
    assert end["down"] == 1 << 20  # without what was there
    assert looks(record, "peer")[-1]["down"] >= 1 << 20


MOVES = """\
  - {on: sta1, at: 1 s, run: {probe: new-address, every: 25 s}, as: address}
"""


@pytest.mark.parametrize("moved", ["stay", "reconnect", "restart"])
def test_a_new_address_again_and_again(run: Run, moved: str) -> None:
    """The connections of an old address are dead. Only a client that notices goes on before minutes have passed."""
    peer = PEER.replace("probe: transmission,", f"probe: transmission, utp: false, download: 1 Mbit/s, moved: {moved},")
    published = (
        PUBLISHED.replace("2 MiB", "16 MiB").replace("40 s", "110 s").replace("/file}", "/file, piece: 64 KiB}", 1)
    )
    record = run(published + MOVES + peer.replace("client,", "sta1,").replace("at: 1 s", "at: 2 s"))
    seen = looks(record, "peer")
    assert record.data["sources"]["address"]["values"]["changes"] == 4
    assert all(before["have"] <= after["have"] and before["down"] <= after["down"] for before, after in pairwise(seen))
    end = seen[-1]
    if moved == "stay":
        assert 0 < end["have"] < 2 << 20 and "moves" not in end
    else:
        assert end["have"] > 5 << 20 and end["moves"] == 4, end
    assert end["wasted"] == 0


def test_who_comes_after_the_end_of_the_tracker_gets_nothing_and_says_why(run: Run) -> None:
    late = PEER.replace("at: 1 s", "at: 3 s")
    record = run(PUBLISHED.replace("as: tracker", "as: tracker, stop: 2 s").replace("40 s", "20 s") + late + METRICS)
    assert not record.passed
    end = looks(record, "peer@sta1")[-1]
    assert end["have"] == 0 and "tracker" in end["error"].lower(), end


def test_those_who_know_each_other_go_on_after_the_end_of_the_tracker(run: Run) -> None:
    slow = PEER.replace("probe: transmission,", "probe: transmission, utp: false, download: 2 Mbit/s,")
    record = run(PUBLISHED.replace("as: tracker", "as: tracker, stop: 3 s") + slow + METRICS)
    assert record.passed, record.data["checks"]
    epoch_s = record.data["clock"]["epoch_ns"] / 1e9
    at_end = [look["have"] for look in looks(record, "peer@sta1") if float(look["t_s"]) < epoch_s + 3]
    assert not any(at_end), at_end  # the download came afterwards


def test_a_magnet_link_of_a_swarm_that_nobody_is_in_gives_nothing_and_fails(run: Run) -> None:
    """The tracker does not know it, and no peer can say what the torrent is. The failed check says so."""
    link = f"magnet:?xt=urn:btih:{'01' * 20}&tr=http://{{server.ip}}:6969/announce"
    record = run(PUBLISHED + PEER.replace("http://{server.ip}/swarm.torrent", link) + METRICS)
    assert {check["that"]: (check["passed"], check["because"]) for check in record.data["checks"]} == {
        "have.min == 100%": (False, "have.min = no value, wanted == 100%"),
        "peer.sha256 == file.sha256": (
            False,
            'cannot be evaluated: peer has no "sha256"; known: exit, complete, size, wasted, error'
            + "".join(
                f"; peer@{station} reports: Requested download is not authorized for use with this tracker.; "
                "the torrent's metadata never came from a peer"
                for station in ("sta1", "sta2")
            ),
        ),
    }


def test_what_is_not_a_magnet_link_ends_the_run_and_says_why(run: Run) -> None:
    with pytest.raises(RunError, match=r"magnet:\?xt=urn:btih:0 is not a valid torrent"):
        run(PUBLISHED + PEER.replace("http://{server.ip}/swarm.torrent", "magnet:?xt=urn:btih:0") + METRICS)


def test_a_handoff_to_another_subnet_in_the_middle_of_a_piece_loses_nothing(run: Run) -> None:
    """The station gets another address; its client takes five minutes to give up the old connection."""
    slow = PEER.replace("probe: transmission,", "probe: transmission, download: 2 Mbit/s, utp: false,")
    published = (
        PUBLISHED.replace("40 s", "345 s").replace("2 MiB", "6 MiB").replace("/file}", "/file, piece: 1 MiB}", 1)
    )
    record = run(
        published + slow + METRICS,
        "nodes.h1.image=peer",
        "nodes.sta1.image=peer",
        "timeline.0.at=18 s",
        topology="two-subnets",
    )
    assert record.passed, record.data["checks"]
    at_handoff, end = (looks(record, "peer")[place] for place in (16, -1))
    assert 0 < at_handoff["have"] < 6 << 20 and at_handoff["down"] > at_handoff["have"]
    assert end["wasted"] == 0


def test_a_full_disk_loses_nothing(run: Run) -> None:
    """The client says so and stops. It still has in its memory what it could not write, and takes it for downloaded.

    The probe does not: it is complete when all of it is on the disk.
    """
    processes = PEER.replace("client,", "sta1,").replace("at: 1 s", "at: 2 s")
    timeline = """\
timeline:
  - {at: 1 s, exec: sta1, run: [mkdir, -p, /srv/swarm]}
  - {at: 1 s, exec: sta1, run: [mount, -t, tmpfs, -o, size=1m, tmpfs, /srv/swarm]}
  - {at: 20 s, exec: sta1, run: [sha256sum, /srv/swarm/file]}
  - {at: 21 s, exec: sta1, run: [mount, -o, "remount,size=8m", /srv/swarm]}
  - {at: 22 s, exec: sta1, run: [transmission-remote, --torrent, all, --start]}
  - {at: 24 s, exec: sta1, run: [transmission-remote, --torrent, all, --verify]}
  - {at: 39 s, exec: sta1, run: [sha256sum, /srv/swarm/file]}
"""
    right = "checks:\n  - {that: peer.sha256 == file.sha256}\n"
    record = run(PUBLISHED + processes + timeline + right, "nodes.sta1.privileged=true")  # to mount a disk
    assert record.passed, record.data["checks"]
    (done,) = (number for number, look in enumerate(looks(record, "peer")) if "complete" in look)
    assert done >= 20, done
    full, end = looks(record, "peer")[16], looks(record, "peer")[-1]
    assert full["error"] == "No space left on device" and end["error"] == "", (full, end)
    said = [path.read_text() for path in sorted((record.directory / "raw" / "exec").iterdir())]
    early, late = (text.split()[0] for text in said if "/srv/swarm/file" in text)
    assert early != record.plan.files[0].sha256 == late, said
    assert end["have"] == 2 << 20


@pytest.mark.parametrize(
    ("torrent", "image", "message"),
    [
        ("wrong.torrent", ", image: peer", r"wrong\.torrent is not a valid torrent"),
        ("none.torrent", ", image: peer", r"cannot fetch http://.*/none\.torrent: .*404"),
        ("swarm.torrent", "", "no transmission-daemon; write image: peer for it"),
    ],
)
def test_what_cannot_work_ends_the_run_and_says_why(run: Run, torrent: str, image: str, message: str) -> None:
    with pytest.raises(RunError, match=message):
        run(
            PUBLISHED + PEER.replace("swarm.torrent", torrent) + METRICS,
            topology=CELL.replace("[client], image: peer", f"[client]{image}"),
        )
