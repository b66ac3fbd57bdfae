# SPDX-License-Identifier: MIT
"""All elements at once in the guest: mails and a slow reader of a file; a daemon is killed, and the next one ends."""

from __future__ import annotations

import pytest

from lab import runs
from lab.record import Record

from .test_a3d import STACK, lines, ran

pytestmark = pytest.mark.guest
PLACE = """\
name: place
nodes:
  server: {kind: host, image: mail}
  r1:     {kind: router}
  r2:     {kind: router}
  client: {kind: host, image: mail}
links:
  - {between: [server, r1]}
  - {between: [r1, r2], rate: 2 Mbit/s, delay: 30 ms, loss: 1%, limit: 100 packets}
  - {between: [r2, client]}
"""
NEAR = (
    "a3d, --side, client, --rar, --pf, --ib, /var/lib/a3d-ib, --ae, /var/lib/a3d, --ae-key, /etc/a3d.key, "
    '--every-ms, "100"'
)
FORGED = "203.0.113.9 . 9 . 203.0.113.10 . 80, 203.0.113.10 . 80 . 203.0.113.9 . 9"
STRANGER = f'"{{{{ 192.0.2.1 . 9 . 192.0.2.2 . 80, {FORGED} }}}}"'
TOGETHER = f"""\
name: together
stack: a3
duration: 50 s
files:
  secret: {{on: [r1, r2], path: /etc/a3d.key, mode: "0600", text: "of these two routers only"}}
  file: {{on: server, path: /srv/www/file, random: 1 MiB}}
  program: {{on: server, path: /srv/reader.py, from: {STACK}/tests/system/reader.py}}
  reader: {{on: client, path: /srv/reader.py, from: {STACK}/tests/system/reader.py}}
  send: {{on: client, path: /srv/letters.py, from: {STACK}/letters.py}}
  forge: {{on: r1, path: /srv/forge.py, from: {STACK}/tests/system/forge.py}}
  keep: {{on: server, path: /srv/letters.py, from: {STACK}/letters.py}}
  configuration: {{on: server, path: /etc/postfix/main.cf, from: {STACK}/main.cf}}
processes:
  - {{on: server, run: [postfix, start-fg], as: postfix, ready: {{listening: tcp/25}}}}
  - {{on: server, run: [python3, /srv/reader.py, serve, /srv/www], as: serve, ready: {{listening: tcp/80}},
     may_run_on: true}}
  - {{on: server, run: [python3, /srv/letters.py, kept, /srv/mail/root], as: kept, stop: 45 s, prints: {{json: true}}}}
  - {{on: r1, run: {{probe: a3d, side: server, rar: true, pf: true, pf_rate: 1900kbit/s, ae: true, ib: true}}, as: far,
     stop: 46 s}}
  - {{on: r2, run: [{NEAR}], as: near, required: false}}
  - {{on: r2, at: 7 s, run: [{NEAR}], as: second, required: false}}
  - {{on: r2, at: 8 s, run: [{NEAR}], as: too-many, required: false}}
  - {{on: r2, at: 8 s, run: [a3d, --side, client, --ib, /var/lib/a3d-ib], as: too-many-ib, required: false}}
  - {{on: r2, at: 8 s, run: [a3d, --side, client, --rar, --queue, "9200"], as: beside, required: false}}
  - {{on: r2, at: 10.3 s, run: [a3d, --side, client, --rar], as: without, required: false}}
  - {{on: r2, at: 11 s, run: {{probe: a3d, side: client, rar: true, pf: true, ae: true, ib: true}}, as: last,
     stop: 46 s}}
  - {{on: client, at: 3 s, run: [python3, /srv/reader.py, "{{server.ip}}", file, "4001", "15"], as: slow,
     prints: {{json: true}}}}
  - {{on: client, at: 24 s, run: [python3, /srv/reader.py, "{{server.ip}}", file, "4002", "0"], as: other,
     prints: {{json: true}}}}
  - on: client
    at: 3 s
    run: [python3, /srv/letters.py, send, "{{server.ip}}", sender@client.lab, root@server.lab, "10", "8000"]
    as: sent
    prints: {{json: true}}
timeline:
  - {{at: 6 s, exec: r2, run: [pkill, -KILL, a3d]}}
  - {{at: 7.5 s, exec: r2, run: [nft, add, element, inet, a3, changed4, {STRANGER}]}}
  - {{at: 7.6 s, exec: r2, run: [ip, route, add, 203.0.113.0/24, via, "{{client.ip}}"]}}
  - {{at: 7.8 s, exec: r1, run: [python3, /srv/forge.py, pair, "{{client.ip}}"]}}
  - {{at: 9 s, exec: r2, run: [pkill, -TERM, a3d]}}
  - {{at: 10 s, exec: r2, run: [nft, list, set, inet, a3, changed4]}}
  - {{at: 48 s, exec: r2, run: [nft, list, set, inet, a3, changed4]}}
  - {{at: 48.5 s, exec: r1, run: [nft, list, tables]}}
checks:
  - {{that: slow.sha256 == file.sha256}}
  - {{that: other.sha256 == file.sha256}}
  - {{that: kept.mails == 10}}
  - {{that: kept.all == sent.all}}
"""


@pytest.fixture(scope="module")
def together(tmp_path_factory: pytest.TempPathFactory, machine: runs.Machine) -> Record:
    return ran(tmp_path_factory.mktemp("a3"), machine, PLACE, TOGETHER)


def test_all_arrives_whole_and_each_element_does_its_part(together: Record) -> None:
    assert together.passed, together.data["checks"]
    far, last = (together.data["sources"][name]["values"] for name in ("far", "last"))
    assert far["copies"] > 0 and far["pf_held"] > 0 and far["taken"] > 0 and far["decoded"] > 0
    assert last["resumed"] == 1 and last["taken"] == 1 and last["resets"] == 0
    assert [line["taken"] for line in lines(together, "near")][-1] == 1
    assert [line["resumed"] for line in lines(together, "second")][-1] == 1


def test_one_folder_is_for_one_daemon(together: Record) -> None:
    said = [(together.directory / "raw" / f"{name}.err").read_text() for name in ("too-many", "too-many-ib")]
    assert all("another a3d stores there" in one for one in said)


def test_one_node_is_for_one_daemon_and_the_next_one_must_be_like_it(together: Record) -> None:
    """Another one would take the rules of the first, and reset what it has changed."""
    said = [(together.directory / "raw" / f"{name}.err").read_text() for name in ("beside", "without")]
    assert "another a3d serves this node" in said[0] and "has left connections that it has changed" in said[1]


def test_a_daemon_that_ends_keeps_from_passing_what_it_or_another_one_has_changed(together: Record) -> None:
    """Its own connections, until they are over, and one that it does not know. If there is none, the rules go."""
    said = (together.directory / "raw" / "exec").glob("*.out")
    *_, ended, near, far = (path.read_text() for path in sorted(said, key=lambda path: int(path.name.split("-")[0])))
    assert ". 4001 . " in ended and "192.0.2.1" in ended
    assert "203.0.113.9 . 9 . " in ended  # whose SYN and answer were forged
    assert ". 4002 . " not in near and "192.0.2.1" in near
    assert "a3" not in far
