# SPDX-License-Identifier: MIT
"""The Python around the ns-3 programs: arguments, output, what is said if something is missing. Without ns-3."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from bench.ns3 import cases
from bench.ns3.build import ensure_program
from bench.ns3.download import Outcome, Scenario, parse, run
from lab.errors import BuildError, HostError, RunError

SCENARIO = Scenario("11n-150", 2, "udp", seconds=3.5, seed=7)
PRINTED = {
    "mode": "11n-150",
    "stations": 2,
    "transport": "udp",
    "goodput_mbps": 135.1,
    "per_station_mbps": [67.6, 67.5],
    "wall_s": 1.25,
    "events": 4711,
}
CASE_PRINTED = """\
{"case": "anomaly-11a", "what": "slow station", "seeds": 2, \
"ip_mbps": {"mean": 2.7720, "sd": 0.1018}, "payload_mbps": {"mean": 2.7203, "sd": 0.0999}}
{"case": "anomaly-11a", "what": "each fast station", "seeds": 2, \
"ip_mbps": {"mean": 2.4975, "sd": 0.1846}, "payload_mbps": {"mean": 2.4509, "sd": 0.1811}}
"""
PKG_CONFIG = """
case "$1" in
--modversion) echo 3.37;;
--cflags) echo '-I/usr\\; -I/opt/ns3';;
--libs-only-l) echo '-lns3-wifi -lns3-core -lns3-core';;
esac
"""
COMPILES = """
echo "$*" >> "$0.log"
while [ "$1" != -o ]; do shift; done
echo binary > "$2"
"""


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The only directory of the PATH; empty."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    return folder


def put(folder: Path, name: str, script: str) -> Path:
    program = folder / name
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    return program


def built(folder: Path, source: str = "int main;") -> Path:
    (folder / "download.cc").write_text(source)
    return ensure_program(folder / "download.cc", folder / "build" / "ns3")


def test_arguments() -> None:
    assert SCENARIO.arguments() == [
        *("--mode=11n-150", "--stations=2", "--transport=udp", "--seconds=3.5", "--seed=7", "--latency=0us"),
    ]


def test_what_the_program_prints_is_read() -> None:
    assert parse(json.dumps(PRINTED) + "\n", SCENARIO) == Outcome(135.1, [67.6, 67.5], 1.25, 4711)


@pytest.mark.parametrize(
    "printed",
    ["", "ns-3 speaks", "[]", json.dumps({**PRINTED, "extra": 1}), json.dumps({**PRINTED, "stations": 3})],
)
def test_anything_else_is_refused(printed: str) -> None:
    with pytest.raises(RunError, match="ns-3's download"):
        parse(printed, SCENARIO)


def test_a_run_that_fails_reports_what_the_program_said(tmp_path: Path) -> None:
    program = put(tmp_path, "download", "echo no station >&2; exit 1")
    with pytest.raises(RunError, match=r"--latency=0us ended with 1:\nno station"):
        run(program, SCENARIO)


def test_a_run_is_read(tmp_path: Path) -> None:
    program = put(tmp_path, "download", f"echo '{json.dumps(PRINTED)}'")
    assert run(program, SCENARIO).events == 4711


def test_figures_of_a_case_are_read() -> None:
    assert cases.parse(CASE_PRINTED, "anomaly-11a") == [
        cases.Figure("anomaly-11a", "slow station", "ip_mbps", 2.772, 0.1018),
        cases.Figure("anomaly-11a", "slow station", "payload_mbps", 2.7203, 0.0999),
        cases.Figure("anomaly-11a", "each fast station", "ip_mbps", 2.4975, 0.1846),
        cases.Figure("anomaly-11a", "each fast station", "payload_mbps", 2.4509, 0.1811),
    ]


@pytest.mark.parametrize(
    ("printed", "case"),
    [
        ("", "anomaly-11a"),
        ("ns-3 speaks", "anomaly-11a"),
        ("[]", "anomaly-11a"),
        ('{"case": "anomaly-11a"}', "anomaly-11a"),
        ('{"case": "anomaly-11a", "what": "x", "seeds": 1, "ip_mbps": 2}', "anomaly-11a"),
        (CASE_PRINTED, "both-ways"),
    ],
)
def test_anything_else_than_figures_is_refused(printed: str, case: str) -> None:
    with pytest.raises(RunError, match="ns-3's cases"):
        cases.parse(printed, case)


def test_a_case_is_run(tmp_path: Path) -> None:
    put(tmp_path, "cases", f"echo \"$*\" > '{tmp_path}/asked'; cat '{tmp_path}/printed'")
    (tmp_path / "printed").write_text(CASE_PRINTED)

    figures = cases.run(tmp_path / "cases", "anomaly-11a", seeds=2, seconds=7)

    assert [figure.mean for figure in figures] == [2.772, 2.7203, 2.4975, 2.4509]
    assert (tmp_path / "asked").read_text() == "--case=anomaly-11a --seeds=2 --seconds=7\n"


def test_a_case_that_fails_reports_what_the_program_said(tmp_path: Path) -> None:
    program = put(tmp_path, "cases", "echo station 2 is not associated >&2; exit 1")
    with pytest.raises(RunError, match=r"--case=ht-five .* ended with 1:\nstation 2 is not"):
        cases.run(program, "ht-five")


def test_rows_of_a_table_are_as_wide_as_its_head() -> None:
    figures = cases.parse(CASE_PRINTED, "anomaly-11a")
    assert {len(cases.row(figure)) for figure in figures} == {len(cases.HEAD)}


def test_the_cases_are_those_of_the_program() -> None:
    assert tuple(re.findall(r'^\t{"([^"]+)", \d+, ', cases.SOURCE.read_text(), re.MULTILINE)) == cases.CASES


def test_without_pkg_config_its_package_is_named(programs: Path, tmp_path: Path) -> None:
    with pytest.raises(HostError, match="apt-get install pkg-config"):
        built(tmp_path)


def test_without_ns3_its_package_is_named(programs: Path, tmp_path: Path) -> None:
    put(programs, "pkg-config", "exit 1")
    with pytest.raises(HostError, match="apt-get install libns3-dev"):
        built(tmp_path)


def test_without_a_compiler_its_package_is_named(programs: Path, tmp_path: Path) -> None:
    put(programs, "pkg-config", PKG_CONFIG)
    with pytest.raises(HostError, match=r"apt-get install g\+\+"):
        built(tmp_path)


def test_a_program_is_compiled_once_for_each_source(programs: Path, tmp_path: Path) -> None:
    put(programs, "pkg-config", PKG_CONFIG)
    compiler = put(programs, "g++", COMPILES)
    first = built(tmp_path)
    again = built(tmp_path)
    other = built(tmp_path, "int main = 1;")

    calls = compiler.with_name("g++.log").read_text().splitlines()
    assert first == again != other
    assert first.read_text() == other.read_text() == "binary\n"
    assert sorted(first.parent.iterdir()) == sorted([first, other])
    assert len(calls) == 2
    assert calls[0].endswith(" -I/usr; -I/opt/ns3 -lns3-wifi -lns3-core")


def test_what_the_compiler_says_is_shown_and_nothing_left(programs: Path, tmp_path: Path) -> None:
    put(programs, "pkg-config", PKG_CONFIG)
    put(programs, "g++", "echo no such class >&2; exit 1")
    with pytest.raises(BuildError, match=r"no such class(?s:.*)ns-3 3\.37; installed is 3\.37"):
        built(tmp_path)
    assert list((tmp_path / "build" / "ns3").iterdir()) == []
