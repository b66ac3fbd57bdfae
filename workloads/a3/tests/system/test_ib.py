# SPDX-License-Identifier: MIT
"""IB in the guest: a server sends to a slow reader as if it were fast, and no byte is lost, whatever happens to a3d."""

from __future__ import annotations

import json
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
  server: {kind: host}
  r1:     {kind: router}
  r2:     {kind: router, privileged: true}  # it mounts a small disk
  client: {kind: host}
links:
  - {between: [server, r1]}
  - {between: [r1, r2], name: line, rate: 8 Mbit/s, delay: 20 ms, limit: 200 packets}
  - {between: [r2, client]}
"""
READER = "python3, /srv/reader.py"


def workload(name: str, duration_s: int, readers: str, more: str = "") -> str:
    return f"""\
name: {name}
stack: a3
duration: {duration_s} s
files:
  file: {{on: server, path: /srv/www/file, random: 2 MiB}}
  program: {{on: server, path: /srv/reader.py, from: {STACK}/tests/system/reader.py}}
  reader: {{on: client, path: /srv/reader.py, from: {STACK}/tests/system/reader.py}}
  forge: {{on: r2, path: /srv/forge.py, from: {STACK}/tests/system/forge.py}}
processes:
  - {{on: server, run: [{READER}, serve, /srv/www], as: serve, ready: {{listening: tcp/80}}, prints: {{json: true}}}}
{readers}
{more}
"""


def get(at_s: float, name: str, port: int, stop_s: float) -> str:
    words = f'"{{server.ip}}", file, "{port}", "{stop_s}"'
    return f"  - {{on: client, at: {at_s} s, run: [{READER}, {words}], as: {name}, prints: {{json: true}}}}"


def lines(record: Record, name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (record.directory / "raw" / f"{name}.out").read_text().splitlines()]


def values(record: Record, name: str) -> dict[str, Any]:
    return dict(record.data["sources"][name]["values"])


SLOW = workload(
    "slow",
    30,
    get(2, "fast", 4001, 0) + "\n" + get(6, "slow", 4002, 10),
    """\
  - {on: r2, run: {probe: a3d, side: client, ib: true}, as: near}
checks:
  - {that: fast.sha256 == file.sha256}
  - {that: slow.sha256 == file.sha256}
""",
)


@pytest.fixture(scope="module")
def slow(tmp_path_factory: pytest.TempPathFactory, machine: runs.Machine) -> Record:
    return ran(tmp_path_factory.mktemp("a3"), machine, PLACE, SLOW)


def test_a_server_sends_to_a_reader_that_stops_as_if_it_did_not(slow: Record) -> None:
    """Two MiB at 8 Mbit/s take 2.2 s; the reader that stops for 10 s gets them later, and whole."""
    assert slow.passed, slow.data["checks"]
    to_fast, to_slow = (line["took_ms"] for line in lines(slow, "serve"))
    assert 2100 < to_fast < 3000 and abs(to_slow - to_fast) < 0.05 * to_fast
    (read,) = lines(slow, "slow")
    assert 10_000 < read["took_ms"] < 11_500
    near = values(slow, "near")
    assert near["taken"] == 2 and near["stored"] > 1 << 20 and near["resets"] == near["disk_full"] == 0


KILLED = workload(
    "killed",
    30,
    get(2, "slow", 4001, 8) + "\n" + get(2, "other", 4002, 0),
    """\
  - {on: r2, run: [a3d, --side, client, --ib, /var/lib/a3d-ib, --every-ms, "100"], as: near, required: false}
  - {on: r2, at: 6 s, run: {probe: a3d, side: client, ib: true}, as: again}
timeline:
  - {at: 0.5 s, exec: r2, run: [python3, /srv/forge.py, narrow, "{client.ip}"]}
  - {at: 3.5 s, exec: r2, run: [pkill, -KILL, a3d]}
  - {at: 3.7 s, exec: r2, run: [nft, list, ruleset]}
checks:
  - {that: slow.sha256 == file.sha256}
  - {that: other.sha256 == file.sha256}
""",
)


def test_after_a_kill_what_was_acknowledged_is_delivered(tmp_path: Path, machine: runs.Machine) -> None:
    """Over a link that carries less than the handshake said."""
    record = ran(tmp_path, machine, PLACE, KILLED)
    assert record.passed, record.data["checks"]
    before, after = lines(record, "near")[-1], values(record, "again")
    assert before["taken"] == 2 and before["stored"] > 100_000 and before["errors"] > 0
    assert after["resumed"] == 2 and after["resets"] == 0
    rules = "".join(path.read_text() for path in (record.directory / "raw" / "exec").iterdir())
    assert all(f" . {port} . " in rules and f"80 . 10.0.2.2 . {port}" in rules for port in (4001, 4002))


FULL = workload(
    "full",
    30,
    get(2, "slow", 4001, 4),
    """\
  - {on: r2, at: 1 s, run: {probe: a3d, side: client, ib: true}, as: near}
timeline:
  - {at: 0.2 s, exec: r2, run: [mkdir, -p, /var/lib/a3d-ib]}
  - {at: 0.5 s, exec: r2, run: [mount, -t, tmpfs, -o, "size=300k,mode=700", none, /var/lib/a3d-ib]}
checks:
  - {that: slow.sha256 == file.sha256}
""",
)


def test_with_a_full_disk_nothing_is_lost(tmp_path: Path, machine: runs.Machine) -> None:
    record = ran(tmp_path, machine, PLACE, FULL)
    assert record.passed, record.data["checks"]
    near = values(record, "near")
    assert near["taken"] == 1 and near["disk_full"] > 0 and near["stored"] > 100_000 and near["resets"] == 0
    assert lines(record, "serve")[0]["took_ms"] > 4000
