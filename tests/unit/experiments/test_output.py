# SPDX-License-Identifier: MIT
"""The files of an experiment: they parse back, are the same for the same results, and hold what they should."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lab.errors import HostError, RecordError
from lab.experiments.output import files
from lab.experiments.output.trials import commands
from lab.experiments.types import FigureSpec, Level, Summary, TrialMetric, TrialOutcome
from lab.printable import printable

from . import made


def parsed(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text), strict=True))


def test_the_files(tmp_path: Path) -> None:
    path = files.write(made.broken(), tmp_path / "out" / "here")
    assert path == tmp_path / "out" / "here" / "report.html"
    names = {file.name for file in path.parent.iterdir()}
    assert names == {
        "report.html", "results.json", "results.csv", "trials.csv", "junit.xml", "figure-1.svg", "figure-1.png",
        "figure-1.pdf",
    }  # fmt: skip


def test_equal_results_give_equal_files(tmp_path: Path) -> None:
    first = made.broken()
    again = replace(
        first, wall_s=9.0, outcomes=tuple(replace(found, cached=True, wall_s=0.1) for found in first.outcomes)
    )
    for name, results in (("one", first), ("two", first), ("later", again)):
        files.write(results, tmp_path / name)
    for file in (tmp_path / "one").iterdir():
        assert file.read_bytes() == (tmp_path / "two" / file.name).read_bytes()
    for name in ("results.csv", "figure-1.svg"):  # what was kept from before shows in no value
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "later" / name).read_bytes()
    one, later = (json.loads((tmp_path / name / "results.json").read_text()) for name in ("one", "later"))
    assert one.pop("wall") != later.pop("wall")
    assert one == later


def test_results_json_is_as_the_issue_has_it(tmp_path: Path) -> None:
    results = made.broken()
    files.write(results, tmp_path, formats=[])
    found = files.read(tmp_path)
    assert found == json.loads(json.dumps(files.as_json(results)))
    row = found["rows"][0]
    assert list(row) == ["distance", "transport", "transfer_time"]
    assert (row["distance"], row["transport"]) == ("2 m", "tcp")
    summary = results.rows[0].metrics["transfer_time"]
    assert list(row["transfer_time"])[:4] == ["mean", "ci95", "n", "unit"]
    assert row["transfer_time"] == {
        "mean": summary.mean, "ci95": summary.ci95, "n": 10, "unit": "s", "median": summary.median,
        "deviation": summary.deviation, "missing": 0, "unfinished": 0, "precise": None,
        "values": list(summary.values), "paper": 1.163,
    }  # fmt: skip
    assert found["rows"][6]["transfer_time"]["mean"] is None  # 6 m, tcp: all failed
    assert list(found["claims"][1])[:4] == ["name", "passed", "value", "expected"]
    assert (found["claims"][1]["name"], found["claims"][1]["passed"]) == ("mean speed-up", False)
    assert found["passed"] is False
    provenance = found["provenance"]
    assert provenance["hashes"] == made.HASHES and provenance["versions"] == made.VERSIONS
    assert (provenance["trials"], provenance["failed"], provenance["seed"]) == (150, 12, 1)
    assert provenance["command"] == "lab reproduce swp/table1"
    failed = next(trial for trial in found["trials"] if trial["error"])
    assert failed["point"] == {"distance": "6 m", "transport": "tcp"} and "<deauth>" in failed["error"]


def test_numbers_that_json_has_no_word_for_are_null() -> None:
    results = made.table1()
    summary = Summary((float("inf"),), float("inf"), float("nan"), None, 1, 0, "s")
    row = replace(results.rows[0], metrics={"transfer_time": summary})
    text = files.to_json(replace(results, rows=(row,)))
    found = json.loads(text, parse_constant=lambda word: pytest.fail(f"{word} is not JSON"))["rows"][0]["transfer_time"]
    assert (found["mean"], found["ci95"], found["values"]) == (None, None, [None])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (None, "cannot read"),
        ("{", "contains no results"),
        ("[" * 100_000, "contains no results"),
        ("[1]", "contains no results"),
        ('{"version": 1}', "contains no results"),
        ('{"version": 99, "rows": [], "claims": [], "provenance": {}}', "has version 99"),
    ],
)
def test_what_is_no_results_json_is_refused(tmp_path: Path, text: str | None, message: str) -> None:
    if text is not None:
        (tmp_path / "results.json").write_text(text)
    with pytest.raises(RecordError, match=message):
        files.read(tmp_path)


def test_results_csv_has_a_line_for_each_point_and_metric() -> None:
    results = made.broken()
    lines = parsed(files.results_csv(results))
    assert len(lines) == 15
    summary = results.rows[0].metrics["transfer_time"]
    first = lines[0]
    assert (first["distance"], first["transport"], first["metric"], first["unit"]) == (
        "2 m",
        "tcp",
        "transfer_time",
        "s",
    )
    assert (float(first["mean"]), float(first["ci95"]), int(first["n"])) == (summary.mean, summary.ci95, 10)
    assert float(first["ratio"]) == pytest.approx(float(first["mean"]) / 1.163)
    gone = lines[6]
    assert (gone["mean"], gone["n"], gone["missing"], gone["paper"], gone["ratio"]) == ("", "0", "10", "1.452", "")


def test_trials_csv_has_a_line_for_each_trial() -> None:
    results = made.broken()
    text = files.trials_csv(results)
    assert len(text.splitlines()) == 151
    lines = parsed(text)
    for line, outcome in zip(lines, results.outcomes, strict=True):
        assert (int(line["seed"]), line["command"], line["key"]) == (outcome.seed, outcome.command, outcome.key)
        value = outcome.values.get("transfer_time")
        assert line["transfer_time, s"] == ("" if value is None else repr(value))
    failed = [line for line in lines if line["error"]]
    assert len(failed) == 12 and failed[0]["error"] == "sta1 is not associated after 5 s"
    assert failed[0]["log"] == "runs/failed/6-1"


def test_axes_of_quantities_have_a_column_of_numbers() -> None:
    axes = [made.axis("power", "10 dBm", "20 dBm", unit="dBm"), made.axis("delay", "5 ms", "1.5 s", unit="ms")]
    axes[1] = replace(axes[1], levels=(Level("5 ms", 5.0), Level("1.5 s", 1500.0)))
    results = made.results([*axes, made.axis("flows", "1", "2"), made.axis("how", "tcp")], [], lambda labels: 1.0)
    for text in (files.results_csv(results), files.trials_csv(results)):
        lines = parsed(text)
        assert list(lines[0])[:6] == ["power", "power_dbm", "delay", "delay_ms", "flows", "how"]
        found = {(line["power"], line["power_dbm"], line["delay"], line["delay_ms"]) for line in lines}
        assert ("10 dBm", "10.0", "1.5 s", "1500.0") in found and len(found) == 4


# what commands a terminal or a spreadsheet is changed (tests/unit/report/test_tables.py)
LABELS = st.text(min_size=1, max_size=30).filter(lambda text: printable(text) == text and text[0] not in "=+-@\t\r")


@settings(deadline=None, max_examples=30)
@given(st.lists(LABELS, min_size=1, max_size=4, unique=True), LABELS, st.text(max_size=80))
def test_any_label_comes_back(labels: list[str], name: str, error: str) -> None:
    metric = TrialMetric(name + "!", "m", "s")
    results = made.results(
        [made.axis(name, *labels)],
        [],
        lambda labels: 1.0,
        metric=metric,
        repetitions=2,
        fails=lambda labels, seed: seed == 2,
    )
    outcomes = tuple(replace(found, error=error if found.error else None) for found in results.outcomes)
    results = replace(results, outcomes=outcomes)
    assert [row[name] for row in json.loads(files.to_json(results))["rows"]] == labels
    for text, each in ((files.results_csv(results), 1), (files.trials_csv(results), 2)):
        rows = list(csv.reader(io.StringIO(text, newline=""), strict=True))
        assert rows[0][0] == name
        assert [row[0] for row in rows[1:]] == [label for label in labels for _ in range(each)]


@pytest.mark.parametrize("file", ["report.html", "figure-1.png", "figure-1.pdf"])
def test_a_directory_that_cannot_be_written_is_reported(tmp_path: Path, file: str) -> None:
    (tmp_path / file).mkdir()
    with pytest.raises(HostError, match=f"cannot write .*/{file}: Is a directory\n  choose another"):
        files.write(made.table1(), tmp_path)


def outcome(command: str, seed: int) -> TrialOutcome:
    return TrialOutcome(0, seed, "", command, {}, None, None, 1.0, 1.0, False)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ([("lab run a b --seed 3", 3)], ["lab run a b --seed 3"]),
        (
            [(f"lab run a b --seed {n}", n) for n in (1, 2, 3)],
            ["for seed in $(seq 1 3); do lab run a b --seed $seed; done"],
        ),
        (
            [(f"lab run a b --seed {n} --set c=1", n) for n in (1, 5)],
            ["for seed in 1 5; do lab run a b --seed $seed --set c=1; done"],
        ),
        ([("lab run a b", 1), ("lab run a b --seed 12", 1)], ["lab run a b", "lab run a b --seed 12"]),
        ([("lab run a b --set 'x= --seed 1 '", 1)], ["lab run a b --set 'x= --seed 1 '"]),
    ],
)
def test_commands_in_brief(given: list[Any], expected: list[str]) -> None:
    assert commands(outcome(command, seed) for command, seed in given) == expected


def test_thousands_of_trials_are_a_small_page(tmp_path: Path) -> None:
    distance = made.axis("distance", *(f"{number} m" for number in range(1, 301)), unit="m")
    results = made.results(
        [distance], [FigureSpec("line", "", "distance", "transfer_time")], lambda labels: 1.0, repetitions=20
    )
    page = files.write(results, tmp_path, formats=[])
    assert page.stat().st_size < 600_000
    assert "for seed in $(seq 1 20); do" in page.read_text()


def test_a_single_run_is_no_experiment(tmp_path: Path) -> None:
    (tmp_path / "record.json").touch()
    with pytest.raises(RecordError, match="is a single run, but results of experiments are compared"):
        files.read(tmp_path)
