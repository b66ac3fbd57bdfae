# SPDX-License-Identifier: MIT
"""a3d in the guest: it passes what it must not touch, and no byte is lost when it is killed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from lab import runs
from lab.cache.report import SilentReport
from lab.plan.load import load
from lab.record import Record
from tests import stored

pytestmark = pytest.mark.guest
STACK = Path(__file__).parents[2]
PLACE = """\
name: place
nodes:
  files:  {kind: host, image: samba}
  mails:  {kind: host, image: mail}
  s1:     {kind: switch}
  r1:     {kind: router}
  r2:     {kind: router}
  s2:     {kind: switch}
  reader: {kind: host, image: samba}
  sender: {kind: host, image: mail}
links:
  - {between: [files, s1]}
  - {between: [mails, s1]}
  - {between: [s1, r1]}
  - {between: [r1, r2], name: line, rate: 8 Mbit/s, delay: 20 ms, loss: 1%}
  - {between: [r2, s2]}
  - {between: [s2, reader]}
  - {between: [s2, sender]}
"""
KILLED = f"""\
name: killed
stack: a3
duration: 24 s
files:
  file: {{on: files, path: /srv/share/file, random: 5 MiB}}
  small: {{on: files, path: /srv/share/small, random: 1 MiB}}
  smb: {{on: files, path: /etc/samba/lab.conf, from: {STACK}/smb.conf}}
  text: {{on: sender, path: /srv/text, random: 200 KiB}}
  configuration: {{on: mails, path: /etc/postfix/main.cf, from: {STACK}/main.cf}}
  client: {{on: sender, path: /srv/mail.py, from: {STACK}/mail.py}}
  asks: {{on: reader, path: /srv/echo.py, from: {STACK}/tests/system/echo.py}}
  answers: {{on: files, path: /srv/echo.py, from: {STACK}/tests/system/echo.py}}
  server: {{on: mails, path: /srv/mail.py, from: {STACK}/mail.py}}
processes:
  - on: files
    run: [smbd, --foreground, --no-process-group, --debug-stdout, --configfile=/etc/samba/lab.conf]
    as: smbd
    ready: {{listening: tcp/445}}
  - {{on: mails, run: [postfix, start-fg], as: postfix, ready: {{listening: tcp/25}}}}
  - {{on: mails, run: [python3, /srv/mail.py, kept, /srv/mail/root], as: kept, stop: 23 s, prints: {{json: true}}}}
  - {{on: r1, run: [a3d, --side, server, --rar, --every-ms, "100"], as: far, required: false}}
  - {{on: r2, run: [a3d, --side, client, --rar, --every-ms, "100"], as: near, required: false}}
  - on: reader
    at: 2 s
    run: [smbclient, "//{{files.ip}}/share", --no-pass, --command, "get file /tmp/file"]
    as: get
  - {{on: sender, at: 2 s, run: [python3, /srv/mail.py, send, "{{mails.ip}}", "10", /srv/text], as: send,
     prints: {{json: true}}}}
  - {{on: files, run: [python3, /srv/echo.py, answer], as: answer, required: false,
     ready: {{listening: tcp/80}}}}
  - {{on: reader, at: 2 s, run: [python3, /srv/echo.py, ask, "{{files.ip}}", "4000", "100"], as: ask,
     required: false}}
  - on: reader
    at: 13 s
    run: [smbget, "smb://{{files.ip}}/share/small", --guest, --quiet, --outputfile=/tmp/small, "--blocksize=16384"]
    as: blocks
  - {{on: reader, at: 22 s, run: [sha256sum, /tmp/small], as: also, prints: {{match: "(?P<sha256>[0-9a-f]{{64}})"}}}}
  - {{on: reader, at: 22 s, run: [sha256sum, /tmp/file], as: read, prints: {{match: "(?P<sha256>[0-9a-f]{{64}})"}}}}
  - {{on: reader, run: {{probe: a3d, side: client, hook: host, rar: true}}, as: own}}
  - {{on: r1, at: 6 s, run: {{probe: a3d, side: server, rar: true}}, as: again}}
  - {{on: r2, at: 6.5 s, run: {{probe: a3d, side: client, rar: true}}, as: near-again}}
timeline:
  - {{at: 4 s, exec: r1, run: [pkill, -KILL, a3d]}}
  - {{at: 5 s, exec: r2, run: [pkill, -KILL, a3d]}}
  - at: 5.2 s
    exec: r2
    run: [nft, add, element, inet, a3, changed4, "{{{{ {{reader.ip}} . 4000 . {{files.ip}} . 80 }}}}"]
  - {{at: 5.5 s, exec: r2, run: [nft, list, ruleset]}}
checks:
  - {{that: read.sha256 == file.sha256}}
  - {{that: also.sha256 == small.sha256}}
  - {{that: kept.sha256 == text.sha256}}
  - {{that: kept.kept == 10}}
"""


LOSSY = """\
name: lossy
nodes:
  server1:    {kind: host, image: mail}
  r1:        {kind: router}
  r2:        {kind: router}
  client1:    {kind: host, image: mail}
  server2: {kind: host, image: mail}
  r3:     {kind: router}
  r4:     {kind: router}
  client2: {kind: host, image: mail}
links:
  - {between: [server1, r1]}
  - {between: [r1, r2], rate: 1 Mbit/s, delay: 50 ms, loss: 5%}
  - {between: [r2, client1]}
  - {between: [server2, r3]}
  - {between: [r3, r4], rate: 1 Mbit/s, delay: 50 ms, loss: 5%}
  - {between: [r4, client2]}
"""
MAILS = 60
SENT = f"""\
name: sent
stack: a3
duration: 180 s
files:
  text1: {{on: client1, path: /srv/text, random: 2 KiB}}
  text2: {{on: client2, path: /srv/text, random: 2 KiB}}
  mail1: {{on: client1, path: /srv/mail.py, from: {STACK}/mail.py}}
  mail2: {{on: client2, path: /srv/mail.py, from: {STACK}/mail.py}}
  mail3: {{on: server1, path: /srv/mail.py, from: {STACK}/mail.py}}
  mail4: {{on: server2, path: /srv/mail.py, from: {STACK}/mail.py}}
  postfix1: {{on: server1, path: /etc/postfix/main.cf, from: {STACK}/main.cf}}
  postfix2: {{on: server2, path: /etc/postfix/main.cf, from: {STACK}/main.cf}}
processes:
  - {{on: server1, run: [postfix, start-fg], as: postfix, ready: {{listening: tcp/25}}}}
  - {{on: server2, run: [postfix, start-fg], as: other-postfix, ready: {{listening: tcp/25}}}}
  - {{on: server1, run: [python3, /srv/mail.py, kept, /srv/mail/root], as: kept, stop: 179 s,
     prints: {{json: true}}}}
  - {{on: server2, run: [python3, /srv/mail.py, kept, /srv/mail/root], as: other-kept, stop: 179 s,
     prints: {{json: true}}}}
  - {{on: r1, run: {{probe: a3d, side: server, rar: true}}, as: far}}
  - {{on: r2, run: {{probe: a3d, side: client, rar: true}}, as: near}}
  - {{on: r3, run: {{probe: a3d, side: server}}, as: other-far}}
  - {{on: r4, run: {{probe: a3d, side: client}}, as: other-near}}
  - on: client1
    at: 2 s
    run: [python3, /srv/mail.py, send, "{{server1.ip}}", "{MAILS}", /srv/text]
    as: sent
  - on: client2
    at: 2 s
    run: [python3, /srv/mail.py, send, "{{server2.ip}}", "{MAILS}", /srv/text]
    as: other-sent
checks:
  - {{that: kept.sha256 == text1.sha256}}
  - {{that: other-kept.sha256 == text2.sha256}}
  - {{that: kept.kept == {MAILS}}}
  - {{that: other-kept.kept == {MAILS}}}
"""


def ran(folder: Path, machine: runs.Machine, place: str, workload: str) -> Record:
    (folder / "t.yaml").write_text(place)
    (folder / "w.yaml").write_text(workload)
    plan = load(str(folder / "t.yaml"), str(folder / "w.yaml"), 1)
    (folder / "run").mkdir()
    own = runs.with_stacks(runs.with_images(machine, plan, SilentReport()), [STACK], SilentReport())
    return stored.run_plan(plan, own, folder / "run")


@pytest.fixture(scope="module")
def killed(tmp_path_factory: pytest.TempPathFactory, machine: runs.Machine) -> Record:
    return ran(tmp_path_factory.mktemp("a3"), machine, PLACE, KILLED)


def lines(record: Record, name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (record.directory / "raw" / f"{name}.out").read_text().splitlines()]


def epoch_s(record: Record) -> float:
    """Return the time of day when the timeline began."""
    return float(json.loads((record.directory / "guest.json").read_text())["epoch_ns"]) / 1e9


def when(line: dict[str, Any]) -> float:
    return float(line["t_s"])


def test_files_and_mails_arrive_whole_when_both_daemons_are_killed(killed: Record) -> None:
    assert killed.passed, killed.data["checks"]


def test_both_daemons_were_killed_in_the_middle_of_a_file_and_a_mail(killed: Record) -> None:
    """Each had passed packets in its last interval, and what replaced it did in its first ones."""
    for name, again in (("far", "again"), ("near", "near-again")):
        packets = [line["packets"] for line in lines(killed, name)]
        assert packets[-1] > packets[-2] + 10 > 500, packets
        assert [line["packets"] for line in lines(killed, again)][1] > 100


def test_rules_stay_and_one_queue_passes_and_one_does_not(killed: Record) -> None:
    rules = "".join(path.read_text() for path in (killed.directory / "raw" / "exec").iterdir())
    assert "queue flags bypass to 9100" in rules
    queued = [line.split("queue ")[1] for line in rules.splitlines() if "@changed" in line and "queue" in line]
    assert queued == ["to 9101", "to 9101"]
    assert len([line for line in rules.splitlines() if "@changed" in line and "missing drop" in line]) == 2


def test_a_changed_connection_waits_for_the_daemon_and_is_reset_by_it(killed: Record) -> None:
    """Nothing passes from 5.2 s, when it was called changed, until a3d serves the second queue again at 6.5 s.

    There is no journal of it, so a3d cannot go on: both ends are told.
    """
    passed = [line["ns"] / 1e9 - epoch_s(killed) for line in lines(killed, "ask")]
    assert 25 < len(passed) < 60 and max(passed) < 5.3
    assert "ConnectionResetError" in (killed.directory / "raw" / "ask.err").read_text()
    assert killed.data["sources"]["near-again"]["values"]["resets"] > 0


def test_requests_of_blocks_are_thin_and_blocks_are_not(killed: Record) -> None:
    """Since the client's side is back, smbget has asked for 64 blocks of 16 KiB, one after the other."""
    near, far = (killed.data["sources"][name]["values"] for name in ("near-again", "again"))
    before, after = (
        [line[key] for line in lines(killed, "near-again") if when(line) - epoch_s(killed) < 13][-1]
        for key in ("thin", "copied_bytes")
    )
    assert 64 + 8 <= near["thin"] - before < 64 + 32
    assert far["thin"] < near["thin"] and near["copied_bytes"] - after < 300 * 2 * (64 + 32)
    assert near["given_up"] == near["no_room"] == near["errors"] == 0


def test_on_its_own_host_it_sees_what_arrives_and_copies_what_is_sent(killed: Record) -> None:
    """6 MiB arrive; TCP may have joined them to segments of up to 64 KB. Requests of 64 blocks, at least, are thin."""
    own = killed.data["sources"]["own"]["values"]
    assert own["packets"] > 2 * 100 + 6 * 1024 / 64
    assert own["thin"] > 64 + 16 and own["errors"] == own["left_gap"] == own["left_middle"] == 0
    assert 1.9 * own["thin"] < own["copies"] < 2.5 * own["thin"]


@pytest.fixture(scope="module")
def sent(tmp_path_factory: pytest.TempPathFactory, machine: runs.Machine) -> Record:
    return ran(tmp_path_factory.mktemp("a3"), machine, LOSSY, SENT)


def test_mails_arrive_whole_with_redundant_messages(sent: Record) -> None:
    assert sent.passed, sent.data["checks"]


def test_thin_messages_are_hardly_ever_late_with_copies(sent: Record) -> None:
    """Five commands take five round trips of 100 ms, and a little for their bytes at 1 Mbit/s.

    With 5 % of loss and without copies, four in ten sessions lose a command or an answer, and wait for a timer of TCP.
    """
    redundant, plain = (sorted(line["thin"] for line in lines(sent, name)) for name in ("sent", "other-sent"))
    assert len(redundant) == len(plain) == MAILS
    assert 500 < min(redundant) < 520 and 500 < min(plain) < 520
    assert len([took for took in redundant if took > 650]) <= MAILS / 20, redundant
    assert len([took for took in plain if took > 650]) > MAILS / 4, plain


def test_copies_leave_one_side_and_do_not_pass_the_other(sent: Record) -> None:
    """The client's side has 5 thin messages in a mail, the server's side 7; each has two copies, more after alarms."""
    values = {name: sent.data["sources"][name]["values"] for name in ("near", "far", "other-near", "other-far")}
    for side, messages in (("near", 5), ("far", 7)):
        assert values[side]["thin"] == messages * MAILS
        assert 1.98 * messages * MAILS <= values[side]["copies"] < 2.2 * messages * MAILS
        assert values[side]["left_middle"] == values[side]["left_gap"] == values[side]["errors"] == 0
    lost = 0.05
    for side, other in (("near", "far"), ("far", "near")):
        arrive = values[other]["copies"] * (1 - lost)
        assert 0.9 * arrive < values[side]["filtered"] < arrive
    assert values["other-near"]["copies"] == values["other-far"]["copies"] == 0
