# SPDX-License-Identifier: MIT
"""The probe smb-get: its commands, what it reads, and what it says of a client's failure."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from lab.errors import ParameterError
from lab.probes.base import Parsed, ProbeOutputError, Raw, Target, Transfer, load

from ...probes import _smb_get_program as program

Typed = Callable[..., Parsed]
SETTINGS = {"server": "10.0.0.1", "share": "share", "file": "file"}


def settings(**params: Any) -> dict[str, Any]:
    probe = load("smb-get")
    filled = probe.defaults({"server": "10.0.0.1", "file": "file", **params})
    probe.check(filled)
    found: dict[str, Any] = json.loads(probe.argv(Target("h2", "h2-eth0", None, None), filled, "/lab/raw/x")[-1])
    return found


def test_the_commands_of_both_clients() -> None:
    fetch = ["smbclient", "//10.0.0.1/share", "--no-pass", "--command", 'get "file" "/tmp/x.file"']
    assert settings() == {"command": fetch, **SETTINGS}
    put = settings(put="/srv/my file", share="in")["command"]
    assert put == ["smbclient", "//10.0.0.1/in", "--no-pass", "--command", 'put "/srv/my file" "file"']
    blocks = settings(client="smbget", block=16 << 10, protocol="NT1")["command"]
    assert blocks == [
        *("smbget", "smb://10.0.0.1/share/file", "--guest", "--quiet", "--outputfile=/tmp/x.file", "--blocksize=16384"),
        *("--option=client max protocol=NT1", "--option=client min protocol=NT1"),
    ]
    assert settings(protocol="SMB3_11")["command"][-1] == "--option=client min protocol=SMB2_02"


def test_a_user_logs_in_and_says_how_the_session_is_protected() -> None:
    who = {"user": "root", "password": "secret", "protection": "sign"}
    command = settings(**who)["command"]
    assert (command[2], command[-1]) == ("--user=root%secret", "--client-protection=sign")
    command = settings(**who, client="smbget")["command"]
    assert (command[2], command[-1]) == ("--user=root%secret", "--client-protection=sign")
    assert settings(user="root")["command"][2:] == ["--user=root%", *settings()["command"][3:]]


def test_what_grows_is_what_is_watched() -> None:
    """A fetch makes its own file; what is put has been there, and stays."""
    probe = load("smb-get")
    assert probe.watched_file(probe.defaults({"server": "h1", "file": "file"}), "/lab/raw/x") == "/tmp/x.file"
    assert probe.watched_file(probe.defaults({"server": "h1", "file": "f", "put": "/srv/a"}), "x") == "/srv/a"


@pytest.mark.parametrize(("key", "least", "most"), [("block", 1 << 10, 8 << 20), ("every", 1_000_000, None)])
def test_limits(key: str, least: int, most: int | None) -> None:
    own = {"client": "smbget"}
    settings(**own, **{key: least})
    with pytest.raises(ParameterError, match=f"{key}: must be at least"):
        settings(**own, **{key: least - 1})
    if most is not None:
        settings(**own, **{key: most})
        with pytest.raises(ParameterError, match=f"{key}: must be at most"):
            settings(**own, **{key: most + 1})


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({"client": "smbclint"}, r'client: "smbclint" is not valid \(did you mean "?smbclient"?\?\)'),
        ({"protocol": "SMB4"}, 'protocol: "SMB4" is not valid.*known: NT1, SMB2_02'),
        ({"block": 16 << 10}, "block: needs client: smbget"),
        ({"client": "smbget", "block": 1}, "block: must be at least 1024 B"),
        ({"client": "smbget", "put": "/srv/file"}, "put: needs client: smbclient"),
        ({"client": "smbget", "server": "2001:db8::1"}, "server: smbget knows no addresses of IPv6; write the name"),
        ({"file": 'a"; rm "b'}, "file: must not have the characters"),
        ({"put": "a\nb"}, "put: must not have the characters"),
        ({"share": "a;b"}, "share: must not have the characters"),
        ({"user": "root", "protection": "signed"}, 'protection: "signed" is not valid.*known: off, sign, encrypt'),
        ({"protection": "sign"}, "protection: needs a user: an anonymous session has no key"),
        ({"password": "secret"}, "password: needs a user"),
    ],
)
def test_what_cannot_work_is_refused(keys: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        settings(**keys)


def test_a_fetch(pasted: Callable[..., Parsed]) -> None:
    parsed = pasted("smb-get", "fetch")
    assert parsed.values["bytes"] == 4 << 20 and len(parsed.values["sha256"]) == 64
    (transfer,) = load("smb-get").found(Raw(Path(), "fetch"), parsed)
    assert isinstance(transfer, Transfer) and transfer.complete
    assert transfer.duration_ns == round(parsed.values["time_total_s"] * 1e9) == 5_855_856_128
    assert transfer.rate is not None and sum(transfer.rate.values) > 0


def test_a_fetch_that_was_ended_has_what_arrived(typed: Typed) -> None:
    parsed = typed("smb-get", size="0 0\n1000000000 500\n", out="")
    (transfer,) = load("smb-get").found(Raw(Path(), "x"), parsed)
    assert isinstance(transfer, Transfer)
    assert (transfer.complete, transfer.duration_ns) == (False, 1_000_000_000)


def test_a_fetch_may_take_no_time(typed: Typed) -> None:
    assert typed("smb-get", size="", out='{"took_ns": 0}').values["time_total_s"] == 0


def test_what_was_put_does_not_arrive_over_time(tmp_path: Path) -> None:
    (tmp_path / "x.size").write_text(f"0 9\n1000000000 9\nsha256 {'0' * 64} 9\n")
    (tmp_path / "x.out").write_text('{"took_ns": 2000000000}\n')
    raw = Raw(tmp_path, "x", params={"put": "/srv/file"})
    parsed = load("smb-get").parse(raw)
    assert not parsed.series and parsed.values["bytes"] == 9
    assert list(load("smb-get").found(raw, parsed)) == [Transfer("x", 9, 2_000_000_000, complete=True)]


@pytest.mark.parametrize(
    ("out", "message"),
    [
        ("{}", "x.out:1: 'took_ns' is missing"),
        ('{"took_ns": "1"}', "took_ns: must be a number"),
        ('{"took_ns": -1}', "took_ns: must not be negative"),
        ('{"took_ns": 1}\n{"took_ns": 1}', "x.out:2: only one line was expected"),
        ("getting file", "x.out:1: not JSON"),
    ],
)
def test_other_output_is_refused(typed: Typed, out: str, message: str) -> None:
    with pytest.raises(ProbeOutputError, match=message):
        typed("smb-get", size="", out=out)


@pytest.mark.parametrize(
    ("said", "message"),
    [  # as smbclient and smbget of Debian 13 say it
        ("tree connect failed: NT_STATUS_BAD_NETWORK_NAME\n", "10.0.0.1 has no share share"),
        ("smb://10.0.0.1/share/file can't be found on the remote server\n", "10.0.0.1 has no share share, or no file"),
        (
            "do_connect: Connection to 10.0.0.1 failed (Error NT_STATUS_HOST_UNREACHABLE)\n",
            "10.0.0.1 cannot be reached",
        ),
        ("session setup failed: NT_STATUS_LOGON_FAILURE\n", "10.0.0.1 does not accept the user"),
        ("a\nsomething else\n", "something else"),
        ("", "it says nothing"),
    ],
)
def test_what_a_failure_means(said: str, message: str) -> None:
    assert program.meaning(said, SETTINGS).startswith(message)


def test_the_program_runs_a_client_and_says_how_it_ended() -> None:
    def ran(*command: str) -> subprocess.CompletedProcess[str]:
        words = json.dumps({"command": command, **SETTINGS})
        argv = [sys.executable, program.__file__, words]
        return subprocess.run(argv, capture_output=True, text=True, check=False, input="typed")

    done = ran("echo", "getting file")
    assert (done.returncode, done.stderr) == (0, "getting file\n") and json.loads(done.stdout)["took_ns"] > 0
    failed = ran("sh", "-c", "echo NT_STATUS_DISK_FULL; exit 3")
    assert (failed.returncode, failed.stdout) == (1, "")
    assert failed.stderr == "NT_STATUS_DISK_FULL\nsh: the disk is full\n"
    assert ran("cat").stderr == ""  # it gets no input that it could wait for
    assert ran("smb-nothing").stderr == "this node has no smb-nothing; write image: samba for it\n"
