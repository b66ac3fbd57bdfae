# SPDX-License-Identifier: MIT
"""``lab compare`` of two runs."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from lab.cli.entry import main
from lab.record import Record
from lab.report import compare

Changed = Callable[[dict[str, Any]], None]


def other(record: Record, change: Changed) -> Record:
    """A record with other data, in a directory of its own."""
    data = copy.deepcopy(dict(record.data))
    change(data)
    directory = record.directory.parent / "other"
    directory.mkdir(exist_ok=True)
    found = Record(directory, data)
    found.write()
    return found


def slower(data: dict[str, Any]) -> None:
    """Another delay and seed; half the goodput, a failed check, another kernel."""
    data["plan"]["links"][0]["netem"]["delay_ns"] = 20_000_000
    data["plan"]["seed"] = 7
    goodput = data["metrics"]["goodput"]["values"]
    data["metrics"]["goodput"]["values"] = {**goodput, "mean": goodput["mean"] / 2}
    data["checks"][0]["passed"] = False
    data["hashes"]["kernel"] = "d" * 64


def test_keys_metrics_and_checks_side_by_side(record: Record) -> None:
    found = compare.compare(record, other(record, slower))
    link = record.plan.links[0].name
    assert (f"links.{link}.delay", "5 ms", "20 ms") in found.keys and ("seed", "1", "7") in found.keys
    assert len(found.keys) == 2 and found.builds == ["kernel"]
    (goodput,) = [row for row in found.metrics if row["metric"] == "goodput"]
    assert goodput["ratio"] == 0.5 and goodput["difference"] == -goodput["b"]
    assert found.checks == [(record.data["checks"][0]["that"], "passed", "FAILED")]
    assert found.verdict == "1 check changed"
    for row in found.metrics:
        assert row["unit"] != "dBm" or row["ratio"] is None, "a ratio of levels means nothing"


def test_a_setting_of_a_radio_is_one_setting() -> None:
    """The kernel's attributes, which follow from it, are not others."""
    radio = {"node": "sta1", "index": 0, "attributes": {"rate": [1, 4]}}
    plan = {"nodes": [{"name": "sta1", "radio": {"settings": {"rate": "24 Mbit/s"}}}], "medium": {"radios": [radio]}}
    found = dict(compare._flat("", plan))
    assert found["nodes.sta1.rate"] == "24 Mbit/s" and not any("attributes" in key for key in found)


def test_a_process_that_one_run_lacks() -> None:
    process = {"id": "ping", "at_ns": -1, "stop_ns": None, "every_ns": 1_000_000}
    found = dict(compare._flat("", {"processes": [process]}))
    assert found == {
        "processes.ping.id": "ping",
        "processes.ping.at": "before the timeline",
        "processes.ping.every": "1 ms",
    }


def test_a_run_is_the_same_as_itself(record: Record) -> None:
    found = compare.compare(record, record)
    assert (found.keys, found.builds, found.checks) == ([], [], [])
    assert found.verdict.startswith("A and B are the same")


def test_a_run_that_failed_says_so(
    record: Record, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(data: dict[str, Any]) -> None:
        data["error"] = {"message": "curl ended with status 7", "culprit": None, "logs": []}

    record.write()
    words = ("compare", record.directory, other(record, fail).directory)
    _, out, _ = lab(*words, capsys=capsys, monkeypatch=monkeypatch)
    assert out.endswith("\nB failed: curl ended with status 7\nNo checks changed\n") and "A failed" not in out
    _, out, _ = lab(*words, "--json", capsys=capsys, monkeypatch=monkeypatch)
    assert json.loads(out)["failures"] == ["B failed: curl ended with status 7"]


def lab(*words: object, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> tuple[int, str, str]:
    monkeypatch.setattr("sys.argv", ["lab", *map(str, words)])
    with pytest.raises(SystemExit) as end:
        main()
    return int(end.value.code or 0), *capsys.readouterr()


def test_a_difference_has_its_sign(
    record: Record, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    runs = [record.directory, other(record, slower).directory]
    less, more = (lab("compare", *pair, capsys=capsys, monkeypatch=monkeypatch)[1] for pair in (runs, runs[::-1]))
    (lost,) = re.findall(r"^ goodput .* \N{MINUS SIGN}(\S+)  +0\.5", less, re.MULTILINE)
    (gained,) = re.findall(r"^ goodput .* \+(\S+)  +2", more, re.MULTILINE)
    assert lost == gained


def test_the_verb_prints_text_and_json(
    record: Record, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    record.write()
    words = ("compare", record.directory, other(record, slower).directory)
    status, out, _ = lab(*words, capsys=capsys, monkeypatch=monkeypatch)
    assert status == 0 and out.endswith("The builds differ in kernel\n1 check changed\n")
    for word in ("Keys that differ", "20 ms", "B / A", "0.5", "Checks that changed", "FAILED"):
        assert word in out
    status, out, _ = lab(*words, "--json", capsys=capsys, monkeypatch=monkeypatch)
    assert json.loads(out)["checks"][0]["b"] == "FAILED"


def rename(data: dict[str, Any]) -> None:
    data["plan"]["workload"] = "ping"


def damage(data: dict[str, Any]) -> None:
    data["plan"]["nodes"] = [{}]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (rename, "A runs short-download, B runs ping: only runs of the same workload can be compared"),
        (damage, "has a damaged plan"),
    ],
)
def test_what_cannot_be_compared_is_explained(
    change: Changed,
    message: str,
    record: Record,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    record.write()
    directory = other(record, change).directory
    status, _, error = lab("compare", record.directory, directory, capsys=capsys, monkeypatch=monkeypatch)
    assert status and message in error and "Traceback" not in error


def test_what_is_not_a_run_is_explained(
    record: Record, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    record.write()
    for name, file in (("empty", None), ("failed", "plan.json"), ("results", "results.json")):
        (tmp_path / name).mkdir()
        if file:
            (tmp_path / name / file).write_text("{}")
    (tmp_path / "README.md").write_text("# Mine\n")
    for name, message in {
        "README.md": "README.md is neither a run (record.json) nor an experiment's results (results.json)",
        "nonesuch": "does not exist",
        "empty": "is neither a run (record.json) nor an experiment's results (results.json)",
        "failed": "has no record.json, since the run failed",
        "results": "is the results of an experiment: compare two runs or two results",
        "failed/record.json": "/failed/record.json is a file of a run; name its directory, ",
    }.items():
        status, _, error = lab("compare", record.directory, tmp_path / name, capsys=capsys, monkeypatch=monkeypatch)
        assert status == 2 and message in error, error
