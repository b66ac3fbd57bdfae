# SPDX-License-Identifier: MIT
"""A real mail server and a real client: what is delivered is what was sent, and a failure says what it is."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from lab import runs
from lab.cache.report import SilentReport
from lab.plan.load import load
from lab.probes import base as probes
from lab.probes.base import Target
from lab.record import Record
from tests import stored

pytestmark = pytest.mark.guest
STACK = Path(__file__).parents[2]
PLACE = """\
name: place
nodes:
  h1: {kind: host, roles: [server], image: mail, privileged: true}
  h2: {kind: host, roles: [client], image: mail}
  h3: {kind: host}
  s1: {kind: switch}
links:
  - {between: [h1, s1], rate: 10 Mbit/s, delay: 10 ms}
  - {between: [s1, h2]}
  - {between: [s1, h3]}
"""
WORKLOAD = """\
name: whole
roles: {server: 1, client: 1}
duration: 20 s
files:
  file: {on: client, path: /srv/file, random: 256 KiB}
  h3s: {on: h3, path: /srv/file, text: "any\n"}
  larger: {on: client, path: /srv/larger, random: 1 MiB}
  configuration: {on: server, path: /etc/postfix/main.cf, from: main.cf}
  failures-script: {on: client, path: /srv/failures, from: failures}
  without-script: {on: h3, path: /srv/failures, from: failures}
  dies-script: {on: client, path: /srv/dies, from: dies}
processes:
  - {on: server, run: {probe: postfix}, as: postfix, ready: {listening: tcp/25}}
  - {on: server, run: {probe: mailbox}, as: mailbox}
  - {on: client, at: 1 s, run: {probe: smtp-send, server: "{server.ip}", file: /srv/file, mails: 2}, as: send}
  - on: client
    at: 9 s
    run: {probe: smtp-send, server: "{server.ip}", file: /srv/file, to: anybody@server.lab}
    as: anybody
  - {on: client, at: 4 s, run: [bash, /srv/failures], as: failures}
  - {on: h3, at: 4 s, run: [bash, /srv/failures], as: without}
  - {on: server, at: 10 s, run: [mount, -t, tmpfs, -o, size=64k, none, /var/spool/postfix/incoming], as: fill}
  - {on: client, at: 11 s, run: [bash, /srv/dies], as: full}
  - {on: server, at: 14 s, run: [umount, /var/spool/postfix/incoming], as: empty}
  - {on: client, at: 16500 ms, run: [bash, /srv/dies], as: dies}
  - {on: server, at: 17 s, run: [pkill, -KILL, -x, smtpd], as: kill}
metrics:
  transfer-time: {of: send, unit: s}
  smtp-commands: {of: postfix, unit: commands}
checks:
  - {that: mailbox.messages == 3}
  - {that: mailbox.sha256 == file.sha256}
"""
FAILURES = (
    ({"to": "nobody@nowhere.lab"}, "10.0.0.1 takes no mail for this address"),
    ({"server": "10.0.0.3"}, "no mail server listens on 10.0.0.3"),
    ({"server": "10.0.0.9"}, "10.0.0.9 cannot be reached"),
)


def script(*keys: dict[str, str]) -> str:
    """Return a program that runs the probe's command for each, and prints what it says and its status."""
    probe, lines = probes.load("smtp-send"), []
    for own in keys:
        params = probe.defaults({"server": "10.0.0.1", "file": "/srv/file"} | own)
        lines.append(shlex.join(probe.argv(Target("h2", "h2-eth0", None, None), params, "")))
    return "".join(f'said=$({line} 2>&1); echo "$? $(tail -n 1 <<<"$said")"\n' for line in lines)


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory, machine: runs.Machine) -> Record:
    folder = tmp_path_factory.mktemp("smtp")
    (folder / "t.yaml").write_text(PLACE)
    (folder / "main.cf").write_text((STACK / "main.cf").read_text() + "notify_classes =\n")
    (folder / "failures").write_text(script(*(keys for keys, _ in FAILURES)))
    (folder / "dies").write_text(script({"file": "/srv/larger"}))
    (folder / "w.yaml").write_text(WORKLOAD)
    plan = load(str(folder / "t.yaml"), str(folder / "w.yaml"), 1)
    (folder / "run").mkdir()
    return stored.run_plan(plan, runs.with_images(machine, plan, SilentReport()), folder / "run")


def said(record: Record, process: str) -> list[str]:
    return (record.directory / "raw" / f"{process}.out").read_text().splitlines()


def test_mails_are_delivered_as_they_were_sent(ran: Record) -> None:
    assert ran.passed, ran.data["checks"]
    (row,) = ran.metrics["transfer-time"].rows
    assert 0.6 < row["total"] < 3  # s; 700 kB in base64 at 10 Mbit/s take 0.6 s


def test_the_server_counts_commands_also_refused_ones(ran: Record) -> None:
    counts = {row["command"]: row["commands"] for row in ran.metrics["smtp-commands"].rows}
    assert counts["ehlo"] >= 3 and counts["rcpt"] >= 3 and counts["quit"] >= 2


@pytest.mark.parametrize("number", range(len(FAILURES)))
def test_a_failure_says_what_it_is(ran: Record, number: int) -> None:
    assert said(ran, "failures")[number] == f"1 mail 1 was not sent: {FAILURES[number][1]}"


def test_a_full_disk(ran: Record) -> None:
    assert said(ran, "full") == ["1 mail 1 was not sent: 10.0.0.1 could not write it; is its disk full?"]


def test_a_server_that_ends_in_the_middle_of_a_mail(ran: Record) -> None:
    assert said(ran, "dies") == ["1 mail 1 was not sent: the connection to 10.0.0.1 broke"]


def test_a_node_without_the_image(ran: Record) -> None:
    assert said(ran, "without")[0] == "1 this node has no msmtp; write image: mail for it"
