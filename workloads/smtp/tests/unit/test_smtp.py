# SPDX-License-Identifier: MIT
"""The probes smtp-send, mailbox and postfix, and the metric smtp-commands, on the output of Postfix 3.10 and msmtp."""

from __future__ import annotations

import email
import email.policy
import hashlib
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from lab.metrics import base as metrics
from lab.metrics.base import Context, Source
from lab.probes.base import Parsed, ProbeOutputError, Raw, Target, Transfer, load
from lab.shared import types

from ...probes import _mailbox_program as mailbox
from ...probes import _send_program as program

Pasted = Callable[..., Parsed]
Typed = Callable[..., Parsed]
# runs a program, and says when it waits for signals
WHEN_READY = """\
import runpy, signal, sys
wait = signal.sigwait
signal.sigwait = lambda signals: print("ready", flush=True) or wait(signals)
sys.argv = sys.argv[1:]
runpy.run_path(sys.argv[0], run_name="__main__")
"""
TARGET = Target("h1", "h1-eth0", None, None)


def test_the_command_of_the_client() -> None:
    probe = load("smtp-send")
    argv = probe.argv(TARGET, probe.defaults({"server": "10.0.0.1", "file": "/srv/file", "mails": 3}), "")
    settings = json.loads(argv[-1])
    assert settings["command"] == [
        *("msmtp", "--file=/dev/null", "--host=10.0.0.1", "--port=25", "--from=user@client.lab", "--domain=client.lab"),
        *("--", "root@server.lab"),
    ]
    assert (settings["mails"], settings["file"]) == (3, "/srv/file")
    own = {"server": "h1", "file": "f", "port": 587, "sender": "a@b.lab", "to": "c@d.lab"}
    settings = json.loads(probe.argv(TARGET, probe.defaults(own), "")[-1])
    assert settings["command"][3:] == ["--port=587", "--from=a@b.lab", "--domain=client.lab", "--", "c@d.lab"]
    assert (settings["sender"], settings["to"]) == ("a@b.lab", "c@d.lab")


def test_the_command_that_reads_a_maildir() -> None:
    probe = load("mailbox")
    assert probe.argv(TARGET, probe.defaults({}), "")[-1] == "/srv/mail/root"
    assert probe.argv(TARGET, probe.defaults({"folder": "/srv/mail/a"}), "")[-1] == "/srv/mail/a"


def test_three_mails_that_were_sent(pasted: Pasted) -> None:
    parsed = pasted("smtp-send", "three", started_ns=2_000_000_000)
    values = parsed.values
    assert (values["mails"], values["bytes"]) == (3, 3 * 717_979)
    sent = parsed.series_of("sent")
    assert sent.values == [1, 2, 3] and sent.t_ns[-1] == 2_000_000_000 + round(values["time_total_s"] * 1e9)
    for asked, complete in ((3, True), (4, False)):
        found = load("smtp-send").found(Raw(Path(), "three", params={"mails": asked}), parsed)
        (transfer,) = cast(list[Transfer], list(found))
        assert transfer.complete == complete and transfer.bytes == values["bytes"]


def test_what_the_server_delivered(pasted: Pasted) -> None:
    parsed = pasted("mailbox", "two-clients", epoch_ns=1_767_225_600_000_000_000)
    assert parsed.series_of("delivered").t_ns[0] == 6_616_576_512
    assert parsed.values["messages"] == 6 and len(parsed.values["sha256"]) == 64
    assert parsed.series_of("delivered").t_ns == sorted(parsed.series_of("delivered").t_ns)


def test_attachments_that_differ_have_no_common_hash(typed: Typed) -> None:
    lines = [json.dumps({"t_ns": "1", "bytes": 3, "sha256": digest}) for digest in ("a", "b")]
    assert typed("mailbox", out="\n".join(lines)).values["sha256"] == "various"
    assert typed("mailbox", out=lines[0] + lines[0]).values["sha256"] == "a"
    without = json.dumps({"t_ns": "1", "bytes": 3, "sha256": None})
    assert typed("mailbox", out=lines[0] + without).values["sha256"] == "various"
    assert typed("mailbox", out=without).values == {"messages": 1}


def commands(parsed: Parsed, raw: Raw, per: str) -> metrics.MetricValues:
    node = cast(types.Node, SimpleNamespace(name="h7"))
    source = Source("postfix", node, "postfix", {}, parsed, raw, 0)
    context = cast(Context, SimpleNamespace(sources={"postfix": source}))
    planned: Any = SimpleNamespace(of=("postfix",), per=per)
    return metrics.METRICS.made("smtp-commands").compute(planned, context)


def test_six_mails_in_the_log(pasted: Pasted) -> None:
    parsed = pasted("postfix", "two-clients")
    expected = {"sessions": 6, "commands": 30, "sent": 6, "deferred": 0, "bounced": 0, "rejected": 0}
    assert parsed.values == expected
    raw = Raw(Path(__file__).parents[1] / "fixtures" / "postfix", "two-clients")
    found = commands(parsed, raw, "process")
    assert found.values == [30]
    assert found.rows == [
        {"node": "h7", "command": command, "commands": 6} for command in ("data", "ehlo", "mail", "quit", "rcpt")
    ]
    assert commands(parsed, raw, "command").values == [6] * 5


def test_what_was_refused_counts_as_asked(tmp_path: Path) -> None:
    """Lines of Postfix's log, for a mail that it does not take."""
    (tmp_path / "x.out").write_text(
        "Jan 01 00:00:05 server postfix/smtpd[263]: NOQUEUE: reject: RCPT from unknown[10.0.0.2]: 454 4.7.1 "
        "<nobody@nowhere.lab>: Relay access denied; from=<a@client.lab> to=<nobody@nowhere.lab> proto=ESMTP helo=<c>\n"
        "Jan 01 00:00:05 server postfix/smtpd[263]: disconnect from unknown[10.0.0.2] "
        "ehlo=1 mail=1 rcpt=0/1 data=0/1 commands=2/4\n"
    )
    raw = Raw(tmp_path, "x")
    parsed = load("postfix").parse(raw)
    assert (parsed.values["sessions"], parsed.values["commands"], parsed.values["rejected"]) == (1, 4, 1)
    assert commands(parsed, raw, "process").values == [4]


@pytest.mark.parametrize(
    ("probe", "out", "message"),
    [
        ("smtp-send", '{"took_ns": 1}', "'bytes' is missing"),
        ("smtp-send", '{"took_ns": -1, "bytes": 1, "sha256": ""}', "must not be negative"),
        ("smtp-send", '{"took_ns": 1, "bytes": -1, "sha256": ""}', "must not be negative"),
        ("mailbox", '{"t_ns": "12345678901234567890", "sha256": null}', "is not a time"),
        ("mailbox", '{"t_ns": "\u0663", "sha256": null}', "is not a time"),
        ("mailbox", '{"t_ns": "-1", "sha256": null}', "'-1' is not a time"),
        ("mailbox", "no mail", "not JSON"),
    ],
)
def test_other_output_is_refused(typed: Typed, probe: str, out: str, message: str) -> None:
    with pytest.raises(ProbeOutputError, match=message):
        typed(probe, out=out)


def test_what_the_log_says_of_deliveries(typed: Typed) -> None:
    """Lines as Postfix writes them; what a client calls itself is not a status."""
    lines = [
        "Jan 01 00:00:06 server postfix/local[169]: 86CC6B3: to=<root@server.lab>, dsn=2.0.0, status=sent (delivered)",
        "Jan 01 00:00:06 server postfix/smtp[170]: 86CC6B4: to=<a@b.lab>, dsn=4.4.1, status=deferred (refused)",
        "Jan 01 00:00:06 server postfix/local[171]: 86CC6B5: to=<c@server.lab>, dsn=5.1.1, status=bounced (unknown)",
        "Jan 01 00:00:06 server postfix/smtpd[172]: NOQUEUE: reject: RCPT from unknown[10.0.0.2]: 454 4.7.1 <a@b>: "
        'Relay access denied; from=<"a status=sent b"@client.lab> to=<a@b> proto=ESMTP helo=<c>',
        "Jan 01 00:00:06 server postfix/cleanup[173]: 86CC6B6: milter-reject: END-OF-MESSAGE from unknown[10.0.0.2]",
    ]
    values = typed("postfix", out="\n".join(lines)).values
    assert {name: values[name] for name in ("sent", "deferred", "bounced", "rejected")} == {
        **{"sent": 1, "deferred": 1, "bounced": 1, "rejected": 2}
    }


def test_commands_are_listed_by_name_in_whatever_order_sessions_had_them(tmp_path: Path) -> None:
    line = "Jan 01 00:00:05 server postfix/smtpd[263]: disconnect from unknown[10.0.0.2] quit=1 ehlo=1 commands=2"
    (tmp_path / "x.out").write_text(line)
    raw = Raw(tmp_path, "x")
    assert [row["command"] for row in commands(load("postfix").parse(raw), raw, "process").rows] == ["ehlo", "quit"]


@pytest.mark.parametrize(
    ("said", "message"),
    [  # as msmtp of Debian 13 says it
        ("msmtp: network read error: the operation timed out\n", "the connection to 10.0.0.1 broke"),
        ("msmtp: server message: 452 4.3.1 Insufficient system storage\n", "the disk of 10.0.0.1 is full"),
        ("msmtp: an unknown error\nmsmtp: could not send mail\n", "an unknown error"),
    ],
)
def test_what_a_failure_means(said: str, message: str) -> None:
    assert program.meaning(said, {"server": "10.0.0.1"}) == message


@pytest.mark.parametrize("end", [signal.SIGINT, signal.SIGTERM])
def test_the_program_lists_mails_by_the_time_of_their_delivery_when_told_to_end(tmp_path: Path, end: int) -> None:
    """Also those that somebody has read (cur)."""
    for name, t_ns in (("new/b", 1), ("new/a", 3), ("cur/c", 2)):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(b"Subject: x\n\n" + b"x" * t_ns)
        os.utime(path, ns=(0, t_ns))
    argv = [sys.executable, "-c", WHEN_READY, mailbox.__file__, str(tmp_path)]
    with subprocess.Popen(argv, stdout=subprocess.PIPE, text=True) as running:
        assert running.stdout is not None and running.stdout.readline() == "ready\n"
        running.send_signal(end)
        lines = [json.loads(line) for line in running.stdout]
    assert [(line["t_ns"], line["bytes"]) for line in lines] == [("1", 13), ("2", 14), ("3", 15)]


def test_the_programs_agree_on_a_mail(tmp_path: Path) -> None:
    """What one sends, the other one reads: also bytes that mail does not carry as they are."""
    attached = bytes(range(256)) * 9
    content = program.mail({"sender": "a@client.lab", "to": "b@server.lab"}, 7, attached)
    assert all(len(line) < 79 for line in content.split(b"\r\n"))
    read = email.message_from_bytes(content, policy=email.policy.default)
    assert (read["Subject"], read["From"], read["To"]) == ("mail 7", "a@client.lab", "b@server.lab")
    (tmp_path / "new").mkdir()
    (tmp_path / "new" / "1").write_bytes(content)
    (found,) = mailbox.mails(tmp_path)
    assert mailbox.line(found)["sha256"] == hashlib.sha256(attached).hexdigest()
    found.write_bytes(b"Subject: x\n\nno attachment\n")
    assert mailbox.line(found)["sha256"] is None


def test_the_program_sends_each_mail_and_stops_at_the_first_that_fails(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"x")

    def ran(*command: str, mails: int = 2) -> subprocess.CompletedProcess[str]:
        settings = {"command": command, "server": "10.0.0.1", "file": str(tmp_path / "file"), "mails": mails}
        words = json.dumps({**settings, "sender": "a@client.lab", "to": "b@server.lab"})
        argv = [sys.executable, program.__file__, words]
        return subprocess.run(argv, capture_output=True, text=True, check=False)

    done = ran("cat")
    assert done.returncode == 0 and len(done.stdout.splitlines()) == 2
    failed = ran("sh", "-c", "echo 'msmtp: server message: 454 4.7.1 <b>: Relay access denied' >&2; exit 69")
    assert (failed.returncode, failed.stdout) == (1, "")
    assert failed.stderr.endswith("mail 1 was not sent: 10.0.0.1 takes no mail for this address\n")
    (tmp_path / "sent").touch()
    twice = ran("sh", "-c", f"rm {tmp_path / 'sent'}", mails=3)
    assert len(twice.stdout.splitlines()) == 1 and twice.stderr.startswith("rm: ")
    assert "\nmail 2 was not sent: " in twice.stderr and "mail 3" not in twice.stderr
    assert ran("false").stderr == "mail 1 was not sent: it says nothing\n"
    (tmp_path / "file").rename(tmp_path / "other")
    assert ran("cat").stderr == f"the file {tmp_path / 'file'} cannot be read: No such file or directory\n"
    (tmp_path / "other").rename(tmp_path / "file")
    assert ran("msmtp-none").stderr == "this node has no msmtp-none; write image: mail for it\n"
