# SPDX-License-Identifier: MIT
"""Mails of one pair from msmtp to Postfix, through two a3d with AE, with DEFLATE alone, and without."""

from __future__ import annotations

from pathlib import Path

import pytest

from lab import runs
from lab.record import Record
from workloads.a3.tests.system.test_a3d import STACK, lines, ran

pytestmark = pytest.mark.guest
MAILS = 10
BYTES = 8192
PLACE = """\
name: place
subnets: {s1: {ip: 10.1.0.0/24, ip6: "2001:db8:1::/64"}, s2: {ip: 10.2.0.0/24, ip6: "2001:db8:2::/64"},
          wan: {ip: 10.3.0.0/24, ip6: "2001:db8:3::/64"}}
nodes:
  server: {kind: host, image: mail}
  s1: {kind: switch}
  r1: {kind: router}
  wan: {kind: switch}
  r2: {kind: router}
  s2: {kind: switch}
  client: {kind: host, image: mail}
links:
  - {between: [server, s1]}
  - {between: [s1, r1]}
  - {between: [r1, wan], rate: 500 kbit/s, delay: 50 ms, loss: 1%, limit: 50 packets}
  - {between: [wan, r2]}
  - {between: [r2, s2]}
  - {between: [s2, client]}
"""
HEAD = f"""\
name: letters
stack: a3
duration: DURATION s
files:
  send: {{on: client, path: /srv/letters.py, from: {STACK}/letters.py}}
  keep: {{on: server, path: /srv/letters.py, from: {STACK}/letters.py}}
  configuration: {{on: server, path: /etc/postfix/main.cf, from: {STACK}/main.cf}}
  secret: {{on: [r1, r2], path: /etc/a3d.key, mode: "0600", text: "of these two routers only"}}
processes:
  - {{on: server, run: [postfix, start-fg], as: postfix, ready: {{listening: tcp/25}}}}
  - {{on: server, run: [python3, /srv/letters.py, kept, /srv/mail/root], as: kept, stop: STOP s}}
  - on: client
    at: 2 s
    run: [python3, /srv/letters.py, send, "{{server.IP}}", sender@client.lab, root@server.lab, "{MAILS}", "BYTES"]
    as: sent
"""
DAEMONS = """  - {on: r1, run: {probe: a3d, side: server, ae: true}, as: far}
  - {on: r2, run: {probe: a3d, side: client, ae: true}, as: near}
  - {on: r1, at: STOP s, run: HASHES, as: far-tables}
  - {on: r2, at: STOP s, run: HASHES, as: near-tables}
"""
LINE = "  - {on: r2, at: STOP s, run: [cat, /sys/class/net/r2-eth0/statistics/tx_bytes], as: line}\n"
HASHES = """[sh, -c, "find /var/lib/a3d -type f -perm 600 -print0 | xargs -0r sha256sum"]"""
VARIANTS = {
    "tables": DAEMONS + LINE,
    "plain": DAEMONS.replace("ae: true", "ae: true, ae_tables: false") + LINE,
    "without": LINE,
}
KILLED = """  - {on: r1, run: [A3D, server], as: far, required: false}
  - {on: r2, run: [A3D, client], as: near, required: false}
  - {on: r1, at: 8 s, run: [A3D, server], as: far-again, required: false}
  - {on: r2, at: 12.5 s, run: [A3D, client], as: near-again, required: false}
  - {on: r2, at: 21.5 s, run: {probe: a3d, side: client, ae: true}, as: near-last}
  - {on: r1, at: 22 s, run: {probe: a3d, side: server, ae: true}, as: far-last}
timeline:
  - {at: 4 s, exec: r1, run: [pkill, -KILL, a3d]}
  - {at: 12 s, exec: r2, run: [pkill, -KILL, a3d]}
  - {at: 17 s, exec: r1, run: [pkill, -KILL, a3d]}
  - {at: 17.1 s, exec: r2, run: [pkill, -KILL, a3d]}
"""


def workload(duration_s: int, size: int, daemons: str, ip: str = "ip") -> str:
    text = HEAD + daemons
    for name, value in (
        ("HASHES", HASHES),
        ("A3D", 'a3d, --every-ms, "100", --ae, /var/lib/a3d, --ae-key, /etc/a3d.key, --side'),
        ("DURATION", duration_s),
        ("STOP", duration_s - 1),
        ("BYTES", size),
        ("IP", ip),
    ):
        text = text.replace(name, str(value))
    return text


def hashes(record: Record, name: str) -> list[str]:
    return sorted(str(line["sha256"]) for line in lines(record, name))


@pytest.fixture(scope="module")
def sent(tmp_path_factory: pytest.TempPathFactory, machine: runs.Machine) -> dict[str, Record]:
    return {
        name: ran(tmp_path_factory.mktemp(name), machine, PLACE, workload(40, BYTES, daemons))
        for name, daemons in VARIANTS.items()
    }


def on_the_line(record: Record) -> int:
    return int((record.directory / "raw" / "line.out").read_text())


def test_every_mail_arrives_with_its_hash(sent: dict[str, Record]) -> None:
    for record in sent.values():
        assert record.passed and len(hashes(record, "sent")) == MAILS
        assert hashes(record, "kept") == hashes(record, "sent")


def test_fewer_bytes_cross_with_tables_than_with_deflate_alone_and_without(sent: dict[str, Record]) -> None:
    with_tables, plain, without = (on_the_line(sent[name]) for name in VARIANTS)
    assert with_tables < 0.95 * plain and plain < 0.75 * without


def test_both_ends_have_the_same_tables_and_what_was_compressed_was_restored(sent: dict[str, Record]) -> None:
    for name in ("tables", "plain"):
        near, far = (sent[name].data["sources"][side]["values"] for side in ("near", "far"))
        assert near["far_ends"] == MAILS and near["encoded"] > 4 * MAILS
        assert far["decoded"] == near["encoded"] - near["repeated"] or far["decoded"] > 0.9 * near["encoded"]
        assert far["refused"] == near["off"] == near["behind"] == near["no_table"] == far["no_table"] == 0
        assert near["mails"] == far["mails"] == (MAILS if name == "tables" else 0)
        tables = [(sent[name].directory / "raw" / f"{side}-tables.out").read_text() for side in ("near", "far")]
        assert tables[0] == tables[1] and tables[0].count("\n") == (name == "tables")


@pytest.fixture(scope="module")
def killed(tmp_path_factory: pytest.TempPathFactory, machine: runs.Machine) -> Record:
    return ran(tmp_path_factory.mktemp("killed"), machine, PLACE, workload(90, 200_000, KILLED, "ip6"))


def test_mails_arrive_whole_over_ipv6_when_either_end_is_killed(killed: Record) -> None:
    assert killed.passed and len(hashes(killed, "sent")) == MAILS
    assert hashes(killed, "kept") == hashes(killed, "sent")


def test_each_was_killed_while_segments_were_compressed(killed: Record) -> None:
    """The near end without a far end stops; with a new one, it goes on with the next mail."""
    for name in ("far", "near"):
        said = [line["decoded" if name == "far" else "encoded"] for line in lines(killed, name)]
        assert said[-1] > said[-3] > 0
    near, again, last = (lines(killed, name)[-1] for name in ("near", "near-again", "near-last"))
    assert near["off"] >= 1 and again["encoded"] > 0 and last["encoded"] > 0
    assert lines(killed, "far-last")[-1]["decoded"] > 0


NARROW = """\
  - {on: r1, run: {probe: a3d, side: server, ae: true}, as: far}
  - {on: r2, run: {probe: a3d, side: client, ae: true}, as: near}
timeline:
  - {at: 1 s, exec: m, run: [ip, link, set, m-eth1, mtu, "600"]}
"""


def test_a_link_with_a_smaller_mtu_behind_the_near_end_breaks_nothing(tmp_path: Path, machine: runs.Machine) -> None:
    """Its router tells the sender of protocol 253 that a packet is too long, and TCP does not know that protocol."""
    place = PLACE.replace(
        "  wan: {kind: switch}\n", "  m: {kind: router}\n  wan: {kind: switch}\n  link: {kind: switch}\n"
    )
    place = place.replace("subnets: {", 'subnets: {link: {ip: 10.4.0.0/24, ip6: "2001:db8:4::/64"}, ')
    place = place.replace(
        "  - {between: [wan, r2]}\n", "  - {between: [m, link]}\n  - {between: [m, wan]}\n  - {between: [link, r2]}\n"
    )
    record = ran(tmp_path, machine, place, workload(60, 30_000, NARROW))
    near, far = (record.data["sources"][side]["values"] for side in ("near", "far"))
    assert record.passed and hashes(record, "kept") == hashes(record, "sent") and len(hashes(record, "sent")) == MAILS
    assert far["decoded"] > 0 and near["encoded"] > far["decoded"] and near["repeated"] > 0
