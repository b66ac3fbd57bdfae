# SPDX-License-Identifier: MIT
"""What programs print becomes values and series."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from threading import Thread

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lab.errors import HostError
from lab.experiments.analysis.sources import planned, recorded
from lab.expressions.values import ValueWithUnit
from lab.probes.base import Parsed, ProbeOutputError, Raw
from lab.record import build, matching
from lab.record.printed import parse
from lab.shared.outcome import Ended, Outcome
from lab.shared.types import Check, Node, Plan, PlannedMetric, Prints, Process

BOOT_NS = 5_000_000_000
JSON = Prints(True, [], {"rtt": "ms"})
ACKED = Prints(False, [r"acked (?P<acked>\d+), state (?P<state>\w+)", r"rtt=(?P<rtt>\S+)"], {"rtt": "ms"})
SLOW = Prints(False, ["x", "(?P<x>(a+)+)$"], {})


def parsed(directory: Path, prints: Prints, out: str | bytes, when: str = "") -> Parsed:
    (directory / "cli.out").write_bytes(out.encode() if isinstance(out, str) else out)
    (directory / "cli.when").write_text(when)
    return parse(Raw(directory, "cli", started_ns=7), prints, BOOT_NS)


def test_lines_of_json(tmp_path: Path) -> None:
    out = '{"rtt": 1.5, "acked": 1}\nhello\n  {"rtt": 2, "state": "done", "ok": true, "more": [1], "none": null}\r\n'
    found = parsed(tmp_path, JSON, out, f"{BOOT_NS + 10} 25\n{BOOT_NS + 30} {len(out)}\n")
    assert found.values == {"rtt": 2, "acked": 1, "state": "done", "ok": True}
    assert [(series.name, series.unit, series.t_ns, series.values) for series in found.series] == [
        ("rtt", "ms", [10, 30], [1.5, 2]),
        ("acked", "", [10], [1]),
    ]


def test_groups_of_expressions(tmp_path: Path) -> None:
    found = parsed(tmp_path, ACKED, "acked 3, state up rtt=1e-3\nrtt=4 rtt=none rtt=-.5\n")
    assert found.values == {"acked": 3, "state": "up", "rtt": -0.5}
    assert [(series.name, series.t_ns, series.values) for series in found.series] == [
        ("acked", [7], [3]),
        ("rtt", [7, 7, 7], [0.001, 4, -0.5]),
    ]


def test_a_line_counts_when_its_last_byte_is_there(tmp_path: Path) -> None:
    found = parsed(tmp_path, ACKED, "rtt=1\nrtt=2\nrtt=3", f"{BOOT_NS} 9\n{BOOT_NS + 1} 12\n{BOOT_NS + 2} 17\n")
    assert found.series[0].t_ns == [0, 1, 2]


@pytest.mark.parametrize("line", ["{rtt: 1}", "{", '{"rtt": 1} and more', "{" * 100_000])
def test_lines_that_only_begin_like_json_are_ignored(tmp_path: Path, line: str) -> None:
    assert parsed(tmp_path, JSON, f'{{"rtt": 1}}\n{line}\n{{"acked": 2}}\n').values == {"rtt": 1, "acked": 2}


@pytest.mark.parametrize("number", ["1e400", "-1e400", "9" * 400, "-" + "9" * 400, "NaN"], ids=range(5))
def test_numbers_that_no_float_can_hold_are_ignored(tmp_path: Path, number: str) -> None:
    found = parsed(tmp_path, JSON, f'{{"rtt": 1, "acked": 2}}\n{{"rtt": {number}, "acked": 3}}\n')
    assert found.values == {"rtt": 1, "acked": 3}


def test_an_expression_that_would_take_years_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(matching, "groups", partial(matching.groups, cpu_s=0.2))
    (tmp_path / "cli.out").write_text(f"x\n{'a' * 60}b\n")
    reported: list[str] = []

    def read() -> None:
        try:
            parse(Raw(tmp_path, "cli"), SLOW, BOOT_NS, "w.yaml:7")
        except ProbeOutputError as error:
            reported.append(str(error))

    reader = Thread(target=read, daemon=True)  # as trials are; no signal ends a search there
    reader.start()
    reader.join(30)
    assert [text.partition("; ")[0] for text in reported] == [
        "w.yaml:7: prints: match: cli.out:2: the search for '(?P<x>(a+)+)$' takes too long"
    ]


def test_a_search_that_was_killed_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.executable", "/bin/false")
    with pytest.raises(HostError, match=r"cli.out: the search of regular expressions ended with status 1"):
        parsed(tmp_path, ACKED, "rtt=1\n")


@settings(deadline=None, max_examples=25)  # each starts a process
@given(st.binary())
def test_any_output_is_read(out: bytes) -> None:
    import tempfile

    with tempfile.TemporaryDirectory() as directory:
        found = parsed(Path(directory), Prints(True, [r"(?P<a>\S+)"], {}), out)
    json.dumps([found.values, [series.values for series in found.series]], allow_nan=False)


def ran(directory: Path, prints: Prints, out: str, *checks: str) -> Path:
    """A finished run of two programs cli."""
    nodes = [Node(name, "host", [], None, 1, 1, None, [], None, 1) for name in ("h1", "h2")]
    processes = [
        Process(f"cli@{node.name}", "cli", node.name, 0, ["cli"], None, {}, None, None, True, prints=prints)
        for node in nodes
    ]
    metrics = [
        PlannedMetric("rtt", "printed", ["cli@h1.rtt", "cli@h2.rtt"], "us", None),
        PlannedMetric("last", "printed", ["cli@h1.rtt", "cli@h2.rtt"], "ms", "process"),
        PlannedMetric("acked", "printed", ["cli@h1.acked"], "packets", None),
    ]
    found = [Check(check) for check in checks]
    plan = Plan("x", "", "t", "w", 1, 30_000_000_000, {}, nodes, [], [], processes, [], metrics, found)
    (directory / "plan.json").write_text(plan.to_json())
    ends = [Ended(one.id, one.node, 0, 9, 0, None) for one in processes]
    (directory / "guest.json").write_text(Outcome(1, BOOT_NS, 9, "6", ends, [], {}, None).to_json())
    (directory / "raw").mkdir()
    for number, node in enumerate(nodes):
        (directory / "raw" / f"cli@{node.name}.out").write_text(out.replace("N", str(number)))
    return directory


def test_metrics_and_checks_of_what_is_printed(tmp_path: Path) -> None:
    checks = ("cli.rtt > 1 ms", "cli@h1.acked == 300", 'cli.state == "up"', "cli.exit == 0", "rtt.mean == 2500 us")
    prints = Prints(False, ACKED.match, {"rtt": "ms", "acked": "packets"})
    out = "rtt=N.5\nacked 300, state up\nrtt=4\n"
    record = build(ran(tmp_path, prints, out, *checks[:1], "cli@h1.acked == 300 packets", *checks[2:]), hashes={})
    assert [check["because"] for check in record.data["checks"] if not check["passed"]] == []
    assert record.metrics["rtt"].each == [500, 4000, 1500, 4000]
    assert record.metrics["last"].each == [4, 4] and record.metrics["acked"].values["sum"] == 300
    assert [series["name"] for series in record.metrics["rtt"].series] == ["cli@h1.rtt", "cli@h2.rtt"]


def test_half_a_character_does_not_stop_the_record(tmp_path: Path) -> None:
    out = '{"msg": "\\ud800", "\\udfff": 1}\n'
    record = build(ran(tmp_path, Prints(True, [], {}), out, 'cli@h1.msg == "up"'), hashes={})
    assert record.data["sources"]["cli@h1"]["values"] == {"msg": "\ufffd", "\ufffd": 1}
    assert not record.passed and (tmp_path / "record.json").read_text(encoding="utf-8")


def test_more_lines_than_a_report_can_show_are_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lab.record.printed.MOST_LINES", 3)
    assert parsed(tmp_path, JSON, '{"rtt": 1}\n' * 3).values == {"rtt": 1}
    with pytest.raises(ProbeOutputError, match=r"^cli.out has 4 lines; none of them was read, since prints: reads at"):
        parsed(tmp_path, JSON, '{"rtt": 1}\n' * 4)


def test_nothing_printed_is_no_value(tmp_path: Path) -> None:
    record = build(ran(tmp_path, JSON, "nothing\n", "cli.acked == 0", "rtt.max < 5 ms"), hashes={})
    assert [check["passed"] for check in record.data["checks"]] == [False, False]
    assert record.data["checks"][0]["because"] == 'cannot be evaluated: cli has no "acked"; known: exit'
    assert record.metrics["rtt"].values["mean"] is None


def test_output_that_cannot_be_read_fails_the_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(matching, "groups", partial(matching.groups, cpu_s=0.2))
    record = build(ran(tmp_path, SLOW, f"{'a' * 60}b\n"), hashes={})
    assert not record.passed and "cli@h1.out:1: the search" in record.data["sources"]["cli@h1"]["error"]


def test_metrics_of_experiments_know_what_is_printed(tmp_path: Path) -> None:
    record = build(
        ran(tmp_path, Prints(False, ACKED.match, {"rtt": "ms"}), "rtt=N.5\nacked 300, state up\n"), hashes={}
    )
    found = recorded(record.data)
    assert found["cli@h1"] == {"exit": 0, "rtt": ValueWithUnit(0.5, "ms"), "acked": 300, "state": "up"}
    before = planned(record.plan)["cli"][1]
    assert "acked" in before and before["acked"] is None and before["rtt"] == ValueWithUnit(1, "ms")
