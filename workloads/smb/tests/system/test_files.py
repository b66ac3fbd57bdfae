# SPDX-License-Identifier: MIT
"""A real file server and real clients: what arrives is what was there, and a failure says what it is."""

from __future__ import annotations

import re
import shlex
from collections import Counter
from pathlib import Path

import pytest

from lab import runs
from lab.cache.report import SilentReport
from lab.plan.load import load
from lab.probes import base as probes
from lab.probes.base import Target
from lab.record import Record
from tests import stored

SIGNED, TREE_CONNECT = 8, 3  # flag and command of SMB2
pytestmark = pytest.mark.guest
STACK = Path(__file__).parents[2]
PLACE = """\
name: place
nodes:
  h1: {kind: host, roles: [server], image: samba, privileged: true}
  h2: {kind: host, roles: [client], image: samba}
  h3: {kind: host}
  h4: {kind: host, image: samba}
  s1: {kind: switch}
links:
  - {between: [h1, s1], rate: 10 Mbit/s, delay: 10 ms, name: line}
  - {between: [s1, h2]}
  - {between: [s1, h3]}
  - {between: [s1, h4]}
"""
WORKLOAD = """\
name: whole
roles: {server: 1, client: 1}
duration: 24 s
files:
  file: {on: server, path: /srv/share/file, random: 1 MiB}
  large: {on: server, path: /srv/share/large, random: 8 MiB}
  configuration: {on: server, path: /etc/samba/lab.conf, from: lab.conf}
  signed: {on: h4, path: /srv/share/file, random: 100 KiB}
  signed-configuration: {on: h4, path: /etc/samba/lab.conf, from: signed.conf}
  users: {on: h4, path: /etc/samba/users, from: users}
processes:
  - on: server
    run: [bash, -c, "mkdir /srv/full && mount -t tmpfs -o size=256k none /srv/full && exec smbd --foreground
      --no-process-group --debug-stdout --configfile=/etc/samba/lab.conf"]
    as: smbd
    ready: {listening: tcp/445}
    stop: 20 s
  - on: h4
    run: [smbd, --foreground, --no-process-group, --debug-stdout, --configfile=/etc/samba/lab.conf]
    as: smbd-signed
    ready: {listening: tcp/445}
  - {on: client, at: 1 s, run: {probe: smb-get, server: "{server.ip}", file: file, every: 100 ms}, as: fetch}
  - on: client
    at: 3 s
    run: {probe: smb-get, server: "{server.ip}", file: file, client: smbget, block: 16 KiB}
    as: blocks
  - {on: client, at: 8 s, run: {probe: smb-get, server: "{server.ip}", put: /tmp/fetch.file, file: back}, as: put}
  - {on: server, at: 10 s, run: [sha256sum, /srv/share/back], as: there, prints: {match: "(?P<sha256>[0-9a-f]{64})"}}
  - {on: client, at: 11 s, run: [bash, /srv/failures], as: failures}
  - {on: h3, at: 11 s, run: [bash, /srv/failures], as: without}
  - {on: client, at: 14 s, run: {probe: smb-get, server: "{server.ip}", file: file, protocol: NT1}, as: old}
  - {on: client, at: 15 s, run: {probe: smb-get, server: 10.0.0.4, file: file, USER}, as: demanded}
  - {on: client, at: 16 s, run: {probe: smb-get, server: 10.0.0.4, file: file, USER, protection: encrypt}, as: secret}
  - {on: client, at: 18 s, run: [bash, /srv/dies], as: dies}
probes:
  - {on: h4, probe: tcpdump, filter: tcp port 445}
  - {on: server, probe: smb-requests, every: 500 ms}
metrics:
  transfer-time: {of: [fetch, blocks, put], unit: s}
  smb-calls: {of: smb-requests, unit: requests}
checks:
  - {that: fetch.sha256 == file.sha256}
  - {that: blocks.sha256 == file.sha256}
  - {that: there.sha256 == file.sha256}
  - {that: old.sha256 == file.sha256}
  - {that: demanded.sha256 == signed.sha256}
  - {that: secret.sha256 == signed.sha256}
""".replace("USER", "user: root, password: secret")
FAILURES = (
    ({"share": "nothing"}, "smbclient: 10.0.0.1 has no share nothing"),
    ({"file": "none"}, "smbclient: the share share of 10.0.0.1 has no file none"),
    ({"file": "none", "client": "smbget"}, "smbget: 10.0.0.1 has no share share, or no file none in it"),
    ({"share": "full", "put": "/tmp/fetch.file"}, "smbclient: the disk is full"),
    ({"share": "locked", "put": "/tmp/fetch.file"}, "smbclient: 10.0.0.1 does not allow it"),
    ({"server": "10.0.0.4", "user": "root", "password": "wrong"}, "smbclient: 10.0.0.4 does not accept the user"),
    ({"server": "10.0.0.9"}, "smbclient: 10.0.0.9 cannot be reached"),
    ({"server": "10.0.0.3"}, "smbclient: no file server listens on 10.0.0.3"),
)


def script(*keys: dict[str, str]) -> str:
    """Return a program that runs the probe's command for each, and prints what it says and its status."""
    probe, lines = probes.load("smb-get"), []
    for own in keys:
        params = probe.defaults({"server": "10.0.0.1", "file": "file"} | own)
        lines.append(shlex.join(probe.argv(Target("h2", "h2-eth0", None, None), params, "/lab/raw/failed")))
    return "".join(f'said=$({line} 2>&1); echo "$? $(tail -n 1 <<<"$said")"\n' for line in lines)


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory, machine: runs.Machine) -> Record:
    folder = tmp_path_factory.mktemp("smb")
    (folder / "t.yaml").write_text(PLACE)
    share = "[{}]\n  path = /srv/{}\n  guest ok = yes\n  read only = {}\n"
    own = share.format("full", "full", "no") + share.format("locked", "share", "yes")
    (folder / "lab.conf").write_text((STACK / "smb.conf").read_text() + own)
    for name in ("signed.conf", "users"):
        (folder / name).write_text((STACK / name).read_text())
    (folder / "failures").write_text(script(*(keys for keys, _ in FAILURES)))
    (folder / "dies").write_text(script({"file": "large"}))
    files = "".join(
        f"  {name}{place}: {{on: {place}, path: /srv/{name}, from: {name}}}\n"
        for name, place in (("failures", "client"), ("failures", "h3"), ("dies", "client"))
    )
    (folder / "w.yaml").write_text(WORKLOAD.replace("processes:\n", f"{files}processes:\n", 1))
    plan = load(str(folder / "t.yaml"), str(folder / "w.yaml"), 1)
    (folder / "run").mkdir()
    return stored.run_plan(plan, runs.with_images(machine, plan, SilentReport()), folder / "run")


def test_a_file_arrives_whole_from_either_client_and_comes_back_whole(ran: Record) -> None:
    assert ran.passed, ran.data["checks"]


def test_a_client_that_waits_for_each_block_pays_a_round_trip_for_each(ran: Record) -> None:
    rows = {row["process"]: row["total"] for row in ran.metrics["transfer-time"].rows}
    assert rows["fetch"] < 2 < 64 * 0.02 + 0.9 < rows["blocks"]  # s; 64 blocks, 20 ms, and 0.9 s at 10 Mbit/s
    calls = {row["command"]: row["requests"] for row in ran.metrics["smb-calls"].rows}
    assert calls["smb2_read"] >= 64 and calls["smb2_write"] >= 1
    assert calls["SMBreadX"] >= 16  # SMB1 asks for at most 64 KiB


def test_a_server_can_demand_signatures_and_a_client_encryption(ran: Record) -> None:
    """Of messages that come after the log-in: each is signed, or encrypted from end to end."""
    captured = (ran.directory / "raw" / "tcpdump.pcap").read_bytes()
    kinds = Counter(
        "encrypted" if match[1] == b"\xfd" else "signed" if match[3][0] & SIGNED else "open"
        for match in re.finditer(rb"([\xfe\xfd])SMB.{8}(..).{2}(.{4})", captured, re.DOTALL)
        if match[1] == b"\xfd" or int.from_bytes(match[2], "little") >= TREE_CONNECT
    )
    assert kinds.keys() == {"signed", "encrypted"} and min(kinds.values()) > 15, kinds


@pytest.mark.parametrize("number", range(len(FAILURES)))
def test_a_failure_says_what_it_is(ran: Record, number: int) -> None:
    said = (ran.directory / "raw" / "failures.out").read_text().splitlines()
    assert said[number] == f"1 {FAILURES[number][1]}"


def test_a_server_that_ends_in_the_middle_of_a_file(ran: Record) -> None:
    assert (ran.directory / "raw" / "dies.out").read_text() == "1 smbclient: 10.0.0.1 has ended the connection\n"


def test_a_node_without_the_image(ran: Record) -> None:
    said = (ran.directory / "raw" / "without.out").read_text().splitlines()
    assert said[0] == "1 this node has no smbclient; write image: samba for it"
