# SPDX-License-Identifier: MIT
"""A user's programs in a directory with nothing else but a topology and a workload."""

from __future__ import annotations

import subprocess
import sys
import xml.etree.ElementTree as ET
from itertools import pairwise
from pathlib import Path

import pytest

from lab.record import load

from .conftest import WIRED

pytestmark = pytest.mark.guest

LAB = Path(sys.executable).parent / "lab"
CLIENT = """\
import json, sys, time
name = f"{self.name}" if False else "client"
for number in range(3):
    print(json.dumps({"number": number, "delay": 1.5 * number}), flush=True)
    time.sleep(0.25)
open("/root/out/result.csv", "w").write(f"{name}\\\\n")
print("acked 3 of 3")
"""
WORKLOAD = """\
name: mine
duration: 3 s
files:
  client: {on: h2, path: /root/client.py, from: client.py}
  data: {on: h2, path: /root/out, from: data}
  program: {on: h2, path: /root/say, from: say}
processes:
  - on: h2
    at: 1 s
    run: [python3, /root/client.py]
    as: cli
    prints: {json: true, match: 'acked (?P<acked>\\d+) of', units: {delay: ms, acked: packets}}
    collect: [/root/out/*.csv, {path: "/root/out/**/*.bin", optional: true}]
  - {on: h2, at: 2 s, run: [/root/say, hello], as: say, prints: {match: '(?P<word>\\w+)'}}
  - {on: h1, run: {probe: own-word}, as: own}
metrics:
  delay: {of: cli.delay, unit: us}
checks:
  - {that: cli.acked == 3 packets and cli.number == 2}
  - {that: delay.max == 3 ms}
  - {that: say.word == "hello"}
  - {that: own.length == 5}
"""
PROBE = """\
from lab.probes.base import Parsed, Probe


class OwnWord(Probe):
    about = "a word"
    acts = True

    def argv(self, target, params, raw):
        return ["echo", "hello"]

    def parse(self, raw):
        return Parsed(values={"length": len(raw.text().strip())})


PROBE = OwnWord()
"""


@pytest.fixture
def here(tmp_path: Path) -> Path:
    """A directory with a topology, a workload and programs."""
    (tmp_path / "topology.yaml").write_text(WIRED)
    (tmp_path / "workload.yaml").write_text(WORKLOAD)
    (tmp_path / "client.py").write_text(CLIENT)
    (tmp_path / "data" / "deep").mkdir(parents=True)
    (tmp_path / "data" / "deep" / "noise.bin").write_bytes(b"\xff\0\n")
    (tmp_path / "say").write_bytes(b"#!/bin/sh\n# \xff\necho $1\n")
    (tmp_path / "say").chmod(0o755)
    (tmp_path / "probes").mkdir()
    (tmp_path / "probes" / "own_word.py").write_text(PROBE)
    (tmp_path / "elsewhere").mkdir()
    return tmp_path


def lab(here: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [str(LAB), "run", "../topology.yaml", "../workload.yaml", "--out", "../run", *arguments]
    return subprocess.run(command, cwd=here / "elsewhere", capture_output=True, text=True, check=False)


def test_what_programs_print_and_leave(here: Path) -> None:
    ran = lab(here, "--junit", "../result.xml")
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert (here / "run/collected/h2/root/out/result.csv").read_text() == "client\\n"
    assert (here / "run/collected/h2/root/out/deep/noise.bin").read_bytes() == b"\xff\0\n"
    record = load(here / "run")
    assert [entry["path"] for entry in record.data["collected"]] == [
        "h2/root/out/deep/noise.bin",
        "h2/root/out/result.csv",
    ]
    times_ms = [t_ns // 1_000_000 for t_ns in record.metrics["delay"].series[0]["t_ns"]]
    assert [after - before for before, after in pairwise(times_ms)] == [250, 250]
    assert "delay.svg" in {path.name for path in (here / "run/plots").iterdir()}
    root = ET.parse(here / "result.xml").getroot()
    assert (root.attrib["tests"], root.attrib["failures"], root.attrib["errors"]) == ("5", "0", "0")


def test_a_file_that_is_not_there_or_too_large_fails_the_run(here: Path) -> None:
    workload = here / "workload.yaml"
    text = WORKLOAD.replace("/root/out/*.csv", "/root/out/*.log").replace("optional: true", "at_most: 2 B")
    workload.write_text(text)
    ran = lab(here, "--junit", "../result.xml")
    assert ran.returncode == 1
    assert (
        "../workload.yaml:13: collect: h2 has no file /root/out/*.log; /root/out has deep, result.csv; write "
        "optional: true if it may be missing\n"
        "../workload.yaml:13: collect: the files /root/out/**/*.bin of h2 are larger than 2 B in total; write "
        "a larger at_most:, or collect less" in ran.stderr
    )
    assert "Traceback" not in ran.stderr
    error = ET.parse(here / "result.xml").getroot().find("testsuite/testcase/error")
    assert error is not None and "collect: h2 has no file" in error.attrib["message"]
