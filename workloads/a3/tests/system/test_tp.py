# SPDX-License-Identifier: MIT
"""TP in the guest: real clients of a real Samba get their files sooner, whole, and never old."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from lab import runs
from lab.record import Record

from .test_a3d import STACK, ran

pytestmark = pytest.mark.guest
PLACE = """\
name: place
nodes:
  files:  {kind: host, image: samba}
  s1:     {kind: switch}
  r1:     {kind: router}
  r2:     {kind: router}
  r3:     {kind: router}
  reader: {kind: host, image: samba}
  plain:  {kind: host, image: samba}
  writer: {kind: host, image: samba}
links:
  - {between: [files, s1]}
  - {between: [writer, s1]}
  - {between: [s1, r1]}
  - {between: [r1, r2], name: line, rate: 8 Mbit/s, delay: 280 ms, limit: 500 packets}
  - {between: [r1, r3], name: other, rate: 8 Mbit/s, delay: 280 ms, limit: 500 packets}
  - {between: [r2, reader]}
  - {between: [r3, plain]}
"""
CONFIGURATION = f"{STACK}/tests/observe/record/dialects.conf"  # which offers SMB1, too
RECORD = f"{STACK}/tests/observe/record"
HASH = 'prints: {match: "(?P<sha256>[0-9a-f]{64})"}'


def workload(name: str, duration_s: int, processes: str, more: str = "") -> str:
    return f"""\
name: {name}
stack: a3
duration: {duration_s} s
files:
  file: {{on: files, path: /srv/share/file, random: 400 KiB}}
  other: {{on: files, path: /srv/share/other, random: 400 KiB}}
  shared: {{on: files, path: /srv/share/shared, random: 200 KiB}}
  up: {{on: plain, path: /srv/up, random: 3 MiB}}
  new: {{on: writer, path: /srv/new, random: 199 KiB}}
  smb: {{on: files, path: /etc/samba/lab.conf, from: {CONFIGURATION}}}
  users: {{on: files, path: /etc/samba/users, text: ""}}
  client: {{on: reader, path: /srv/record/smb2_client.py, from: {RECORD}/smb2_client.py}}
  program: {{on: reader, path: /srv/record/smb_reader.py, from: {RECORD}/smb_reader.py}}
processes:
  - on: files
    run: [smbd, --foreground, --no-process-group, --debug-stdout, --configfile=/etc/samba/lab.conf]
    as: smbd
    ready: {{listening: tcp/445}}
{processes}
{more}
"""


def get(node: str, at_s: float, name: str, file: str, protocol: str = "SMB3_11") -> str:
    least = "NT1" if protocol == "NT1" else "SMB2_02"
    words = (
        f'"smb://{{files.ip}}/share/{file}", --guest, --quiet, --outputfile=/tmp/{name}, "--blocksize=16384", '
        f'"--option=client max protocol={protocol}", "--option=client min protocol={least}"'
    )
    return f"""\
  - {{on: {node}, at: {at_s} s, run: [bash, -c, "time smbget \\"$@\\"; sha256sum /tmp/{name}", get, {words}],
     as: {name}, prints: {{match: "(?P<sha256>[0-9a-f]{{64}})"}}}}"""


def values(record: Record, name: str) -> dict[str, Any]:
    return dict(record.data["sources"][name]["values"])


GAIN = workload(
    "gain",
    84,
    "\n".join(
        [
            get("reader", 2, "with", "file"),
            get("plain", 2, "without", "other"),
            get("reader", 31, "with-1", "file", "NT1"),
            get("plain", 31, "without-1", "other", "NT1"),
            """\
  - {on: reader, at: 62 s, run: [bash, -c, "smbclient \\"$@\\"; sha256sum /tmp/all", get, "//{files.ip}/share",
     --no-pass, --command, "get file /tmp/all"], as: all, prints: {match: "(?P<sha256>[0-9a-f]{64})"}}""",
            """\
  - {on: plain, at: 62 s, run: [smbclient, "//{files.ip}/share", --no-pass, --command, put /srv/up up], as: puts}
  - {on: files, at: 83 s, run: [sha256sum, /srv/share/up], as: put, prints: {match: "(?P<sha256>[0-9a-f]{64})"}}
  - {on: r3, at: 55 s, run: {probe: a3d, side: client, serialise: true, every: 10 s}, as: other-near}""",
            "  - {on: r2, run: {probe: a3d, side: client, tp: true, every: 10 s}, as: near}",
        ]
    ),
    """\
checks:
  - {that: all.sha256 == file.sha256}
  - {that: put.sha256 == up.sha256}
  - {that: with.sha256 == file.sha256}
  - {that: without.sha256 == other.sha256}
  - {that: with-1.sha256 == file.sha256}
  - {that: without-1.sha256 == other.sha256}
""",
)
WRITTEN = workload(
    "written",
    40,
    """\
  - {on: reader, at: 2 s, run: [env, PYTHONPATH=/srv, python3, -m, record.smb_reader, "{files.ip}", shared, "4"],
     as: reads, prints: {json: true}}
  - {on: writer, at: 9.6 s, run: [smbclient, "//{files.ip}/share", --no-pass, --command, put /srv/new shared],
     as: writes}
  - {on: writer, run: [bash, -c, "tail -c +16385 /srv/new | sha256sum"], as: tail, HASH}
  - {on: r2, run: {probe: a3d, side: client, tp: true, every: 100 ms}, as: near}
""".replace("HASH", HASH),
    """\
checks:
  - {that: reads.rest == tail.sha256}
  - {that: reads.size == 203776}
""",
)
KILLED = workload(
    "killed",
    60,
    "\n".join(
        [
            get("reader", 2, "first", "file").replace(HASH, "required: false"),
            get("reader", 30, "second", "file"),
            "  - {on: r2, run: [a3d, --side, client, --tp, /var/lib/blocks, --ib, /var/lib/a3d-ib], as: ended,",
            "     required: false}",
            "  - {on: r2, at: 13 s, run: {probe: a3d, side: client, tp: true, rar: true, ib: true}, as: near}",
        ]
    ),
    """\
timeline:
  - {at: 11.5 s, exec: r2, run: [pkill, -KILL, a3d]}
  - {at: 30 s, netem: line, loss: 1%}
checks:
  - {that: second.sha256 == file.sha256}
""",
)


@pytest.fixture(scope="module")
def gain(tmp_path_factory: pytest.TempPathFactory, machine: runs.Machine) -> Record:
    return ran(tmp_path_factory.mktemp("a3"), machine, PLACE, GAIN)


def took_s(record: Record, name: str) -> float:
    """Return how long a client took, as bash says it."""
    text = (record.directory / "raw" / f"{name}.err").read_text()
    minutes, seconds = text.split("real")[1].split()[0].rstrip("s").split("m")
    return float(minutes) * 60 + float(seconds)


def test_a_file_comes_in_fewer_round_trips(gain: Record) -> None:
    """25 blocks of 16 KiB over 560 ms: 24 of them are there when they are asked for. Each has its hash."""
    assert [check["passed"] for check in gain.data["checks"]] == [True] * 6
    for name in ("with", "with-1"):
        plain_s = took_s(gain, name.replace("with", "without"))
        assert plain_s - took_s(gain, name) > 18 * 0.56
    counts = values(gain, "near")
    assert counts["predicted"] == counts["answered"] == 2 * 24
    assert counts["fetched"] == counts["served"] == 2 * 24 * 16384 and counts["wasted"] == 0
    assert values(gain, "other-near")["tp_taken"] == 1
    assert (counts["oplocks"], counts["tp_taken"], counts["tp_broken"], counts["resets"]) == (3, 3, 0, 0)


def test_what_another_client_has_written_is_read(tmp_path: Path, machine: runs.Machine) -> None:
    """All of the file is here when it is written, and fresh. The writer waits until that is dropped."""
    record = ran(tmp_path, machine, PLACE, WRITTEN)
    assert [check["passed"] for check in record.data["checks"]] == [True] * 2
    counts = values(record, "near")
    assert (counts["oplocks"], counts["breaks"], counts["served"], counts["stale"]) == (1, 1, 0, 0)
    assert counts["fetched"] == counts["wasted"] == 184 << 10


def test_killed_in_the_middle_of_a_file(tmp_path: Path, machine: runs.Machine) -> None:
    """The client gets an error or the whole file. The next one gets its file, on a line that loses, with IB and RAR."""
    record = ran(tmp_path, machine, PLACE, KILLED)
    assert [check["passed"] for check in record.data["checks"]] == [True]
    counts = values(record, "near")
    assert counts["resets"] > 0 and counts["answered"] == 24 and counts["copies"] > 0
    hashed, said = ((record.directory / "raw" / f"first.{name}").read_text() for name in ("out", "err"))
    assert values(record, "second")["sha256"] in hashed or "Can't read" in hashed + said
