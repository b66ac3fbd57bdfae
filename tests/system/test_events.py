# SPDX-License-Identifier: MIT
"""What events leave: the output of commands, and where a handoff began."""

from __future__ import annotations

import io
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from rich.console import Console

from lab import report
from lab.record.build import build
from tests.system.conftest import WIRED, Ran
from tests.system.test_shell import DEADLINE_S, LAB

pytestmark = pytest.mark.guest

ROAM = """\
name: two
nodes:
  ap1: {kind: ap, ssid: campus, channel: 1}
  ap2: {kind: ap, ssid: campus, channel: 6}
  sta1: {kind: sta}
"""


def test_output_of_commands_is_in_a_file_each_on_the_terminal_and_in_the_report(boot: Callable[..., Ran]) -> None:
    ran = boot(
        WIRED,
        "name: look\nduration: 2 s\ntimeline:\n"
        "  - {at: 500 ms, exec: h1, run: [echo, first]}\n"
        "  - {at: 1 s, exec: h2, run: ['true']}\n"
        "  - {at: 1 s, exec: h2, run: [sh, -c, 'seq 25; echo last >&2']}\n",
    )
    assert ran.raw("exec/1-h1.out") == "first\n"
    assert ran.raw("exec/2-h2.out") == ""
    assert ran.raw("exec/3-h2.out").endswith("25\nlast\n")
    record = build(ran.directory, hashes={})
    text = io.StringIO()
    Console(width=200, file=text).print(report.tables(record))
    lines = [line.rstrip() for line in text.getvalue().splitlines()]
    begin = lines.index("0.5 s  h1: echo first")
    assert lines[begin : begin + 5] == [
        "0.5 s  h1: echo first",
        "  first",
        "",
        "1 s  h2: sh -c 'seq 25; echo last >&2'",
        "  1",
    ]
    assert lines[begin + 23 : begin + 25] == ["  20", f"  … 6 more lines: {ran.directory}/raw/exec/3-h2.out"]
    assert "25\nlast</td>" in report.write(record, ran.directory).read_text()


def test_a_process_may_end_while_a_command_outlasts_the_run(boot: Callable[..., Ran]) -> None:
    """It counted as running, since nothing had looked after it while the agent waited for the command."""
    nap = "processes:\n  - {on: h1, at: 500 ms, run: [sleep, '1'], as: nap}\n"
    boot(WIRED, f"name: outlast\nduration: 2 s\n{nap}timeline:\n  - {{at: 1 s, exec: h2, run: [sleep, '2']}}\n")


def test_output_of_a_command_that_fails_is_in_its_file(machine: object, tmp_path: Path) -> None:
    work = "name: fail\nduration: 2 s\ntimeline:\n  - {at: 1 s, exec: h1, run: [sh, -c, 'echo out; exit 3']}\n"
    (tmp_path / "wired.yaml").write_text(WIRED)
    (tmp_path / "fail.yaml").write_text(work)
    words = [str(LAB), "run", "wired.yaml", "fail.yaml", "--out", "run"]
    ran = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, timeout=DEADLINE_S, check=False)
    assert ran.stderr.endswith(
        "lab: fail.yaml:4: exec h1: sh -c 'echo out; exit 3' ended with 3\n"
        f"  last lines of {tmp_path}/run/raw/exec/1-h1.out:\n    out\n"
    )
    assert (tmp_path / "run/raw/exec/1-h1.out").read_text() == "out\n" and ran.returncode == 1


def test_output_of_commands_is_kept_as_it_came(boot: Callable[..., Ran]) -> None:
    many = "yes 1234567 | head -n 20000"
    ran = boot(
        WIRED,
        "name: raw\nduration: 2 s\ntimeline:\n"
        "  - {at: 500 ms, exec: h1, run: [printf, 'a\\377b\\r\\n']}\n"
        f"  - {{at: 1 s, exec: h1, run: [sh, -c, '{many}']}}\n",
    )
    assert (ran.directory / "raw/exec/1-h1.out").read_bytes() == b"a\xffb\r\n"
    assert (ran.directory / "raw/exec/2-h1.out").read_bytes() == b"1234567\n" * 20000
    short, long = ran.guest()["events"]
    assert short["output"] == "a\N{REPLACEMENT CHARACTER}b\r\n" and "more_lines" not in short
    assert len(long["output"]) == 64 << 10 and long["more_lines"] == 20000 - 8192
    text = io.StringIO()
    Console(width=300, file=text).print(report.tables(build(ran.directory, hashes={})))
    assert f"  1234567\n  … 19980 more lines: {ran.directory}/raw/exec/2-h1.out\n" in text.getvalue()


def test_a_handoff_knows_where_it_began_without_another_probe(boot: Callable[..., Ran]) -> None:
    ran = boot(
        ROAM,
        "name: roam\nroles: {sta: 1}\nduration: 4 s\nprobes: [{probe: wpa-events, on: sta}]\n"
        "metrics: {outage: {of: wpa-events, unit: ms}}\n"
        "timeline: [{at: 1 s, roam: sta1, to: ap2}, {at: 2500 ms, roam: sta1, to: ap1}]\n",
    )
    rows = build(ran.directory, hashes={}).metrics["outage"].rows
    assert [(row["from"], row["to"]) for row in rows] == [("ap1", "ap2"), ("ap2", "ap1")]
