# SPDX-License-Identifier: MIT
"""Records from raw data: complete, canonical, and honest about what went wrong."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from lab.errors import HostError, RecordError
from lab.expressions import expression
from lab.metrics.base import summary
from lab.probes.base import Parsed, Raw
from lab.probes.curl import Curl
from lab.record import Record, build, load, metrics, rebuild

HASHES = {"kernel": "a" * 64, "image": "b" * 64, "series": None}
VERSIONS = {"lab": "0.1.0", "packages": {"curl": "8.14.1-2"}}


def made(directory: Path) -> Record:
    return build(directory, hashes=HASHES, versions=VERSIONS)


def edit(path: Path, **changes: Any) -> None:
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))


def test_a_run_becomes_a_record(run_directory: Path) -> None:
    record = made(run_directory)
    assert record.passed and record.data["version"] == 1
    assert [check["passed"] for check in record.data["checks"]] == [True, True]
    assert record.metrics["goodput"].values["mean"] == pytest.approx(1.8968, abs=1e-3)
    (handoff,) = record.metrics["outage"].rows
    assert (handoff["from"], handoff["to"], handoff["cause"]) == ("ap1", "ap2", "roam")
    assert handoff["scan"] == pytest.approx(79.02, abs=0.01) and handoff["keys"] is None
    assert handoff["outage"] == record.metrics["outage"].values["max"]
    assert record.metrics["loss"].values["mean"] == 5
    assert record.metrics["rtt"].unit == "ms" and record.metrics["rtt"].values["max"] == 269
    assert record.metrics["transfer"].each == [4.422527]
    assert record.metrics_of("transfer-time") == [record.metrics["transfer"]]
    assert record.plan.name == record.data["plan"]["name"]
    assert record.data["versions"]["kernel"].startswith("6.12") and record.data["versions"]["lab"] == "0.1.0"
    assert record.data["hashes"]["kernel"] == "a" * 64 and record.data["hashes"]["series"] is None
    plan_digest = hashlib.sha256((run_directory / "plan.json").read_bytes()).hexdigest()
    assert record.data["hashes"]["plan"] == plan_digest


def test_every_probe_of_the_run_could_be_read(run_directory: Path) -> None:
    sources = made(run_directory).data["sources"]
    assert {key for key, source in sources.items() if source["error"]} == set()
    assert {source["probe"] for source in sources.values()} >= {"curl", "ping", "ss", "link", "wpa-events", "tcpdump"}
    assert sources["fetch"]["values"]["bytes"] == 1 << 20


def test_what_is_written_is_what_is_read(run_directory: Path) -> None:
    record = made(run_directory)
    assert load(run_directory).data == record.data
    series = record.series("fetch", "received")
    assert series is not None and series.values[-1] == 1 << 20
    assert record.series("fetch", "nothing") is None and record.series("nobody", "x") is None
    assert record.wall["wall_s"] > 0


@pytest.mark.parametrize("text", ["[" * 100_000, "{", "[1]"])
def test_damaged_wall_times_are_one_message(run_directory: Path, text: str) -> None:
    made(run_directory)
    (run_directory / "wall.json").write_text(text)
    with pytest.raises(RecordError, match=r"wall.json is damaged\n  delete it"):
        assert load(run_directory).wall
    (run_directory / "wall.json").unlink()
    assert load(run_directory).wall == {}


def test_equal_runs_give_equal_bytes_wherever_they_lie(run_directory: Path, tmp_path: Path) -> None:
    elsewhere = Path(shutil.copytree(run_directory, tmp_path / "somewhere" / "else"))
    (elsewhere / "wall.json").write_text('{"wall_s": 99}')
    made(run_directory)
    made(elsewhere)
    assert (run_directory / "record.json").read_bytes() == (elsewhere / "record.json").read_bytes()
    text = (run_directory / "record.json").read_text()
    assert str(tmp_path) not in text and "wall_s" not in text


def test_a_rebuilt_record_keeps_hashes_and_versions(run_directory: Path) -> None:
    made(run_directory)
    before = (run_directory / "record.json").read_bytes()
    assert rebuild(run_directory).passed
    assert (run_directory / "record.json").read_bytes() == before


@pytest.mark.parametrize("before", [None, "{", '{"version": 99, "hashes": {"kernel": "cc"}, "versions": {}}'])
def test_a_record_that_cannot_be_read_can_be_made_again(run_directory: Path, before: str | None) -> None:
    if before is not None:
        (run_directory / "record.json").write_text(before)
    record = rebuild(run_directory)
    assert record.passed and record.data["hashes"].get("kernel") == ("cc" if before and "cc" in before else None)


def test_raw_files_are_listed_with_their_digests(run_directory: Path) -> None:
    listed = {entry["path"]: entry for entry in made(run_directory).data["raw"]}
    files = {path for path in (run_directory / "raw").rglob("*") if path.is_file()}
    assert len(listed) == len(files)
    capture = (run_directory / "raw" / "capture.pcap").read_bytes()
    assert listed["capture.pcap"] == {
        "path": "capture.pcap",
        "bytes": len(capture),
        "sha256": hashlib.sha256(capture).hexdigest(),
    }


def test_files_may_have_any_name(run_directory: Path) -> None:
    (run_directory / "raw" / os.fsdecode(b"a\xff.csv")).write_bytes(b"x")
    made(run_directory)
    assert {"a\\xff.csv"} < {entry["path"] for entry in load(run_directory).data["raw"]}


def test_a_failed_check_is_reported_with_its_values(run_directory: Path) -> None:
    plan = json.loads((run_directory / "plan.json").read_text())
    checks = [{"that": "outage.max < 1 ms", "source": "x.yaml:1"}, {"that": "fetch.time_total < 5 s", "source": "x"}]
    edit(run_directory / "plan.json", checks=checks + plan["checks"])
    record = made(run_directory)
    assert not record.passed
    assert [check["passed"] for check in record.data["checks"]] == [False, True, True, True]
    because = record.data["checks"][0]["because"]
    assert "outage.max = 17.6" in because and because.endswith(" (sta1)")


@pytest.mark.parametrize(
    ("that", "named"),
    [
        ("loss.max < 1%", " (call@sta2)"),
        ("loss.min > 1%", " (call@sta1, call@sta3, call@sta4 and 1 other)"),
        ("loss.mean < 1%", ""),
        ("fetch.exit == 0", ""),
    ],
)
def test_a_failed_check_names_what_has_the_value(that: str, named: str) -> None:
    values = [0.0, 100.0, 0.0, 0.0, 0.0]
    rows = [{"process": f"call@sta{number}", "loss": value} for number, value in enumerate(values, 1)]
    result = {"unit": "%", "columns": ["loss"], "values": summary(values), "rows": rows}
    assert metrics._culprits(that, {"loss": result}, {}) == named


def test_a_check_on_a_percentile(run_directory: Path) -> None:
    seen = metrics.values(made(run_directory).plan, {}, {}, {"rtt": {"unit": "ms", "each": [1.0, 2.0, 3.0, 40.0]}})
    assert expression.evaluate("rtt.p50 == 2.5 ms and rtt.p95 > 34 ms and rtt.count == 4", seen).passed
    assert expression.evaluate("rtt.p90 < 29 ms", seen).explanation == "rtt.p90 = 28.9 ms, wanted < 29 ms"


def test_a_failed_check_of_the_only_client_names_its_station() -> None:
    rows = [{"process": "echo", "loss": 100.0}]
    result = {"unit": "%", "columns": ["loss"], "values": summary([100.0]), "rows": rows}
    assert metrics._culprits("loss.max < 5%", {"loss": result}, {"echo": "echo@sta1"}) == " (echo@sta1)"


def test_a_failed_check_says_what_the_processes_that_it_names_reported() -> None:
    on = {"peer.1": "peer@sta1", "peer.2": "peer@sta2", "seed": "seed@h1"}
    errors = {"peer.1": ("peer", "no answer"), "peer.2": ("peer", ""), "seed": ("seed", "no tracker")}
    for that, said in (
        ("peer.sha256 == file.sha256", "; peer@sta1 reports: no answer"),
        ("have.min == 100%", ""),
        ('peer.error == ""', ""),
    ):
        assert metrics._reported(that, errors, on) == said
    many = {f"peer.{number}": ("peer", "no answer") for number in range(5)}
    said = metrics._reported("peer.complete", many, {name: name for name in many})
    assert said.count("no answer") == 3 and said.endswith("; and 2 others")


@pytest.mark.parametrize("that", ["fetch.exit != 0", "fetch.sha256 == fetch.unknown"])
def test_a_failed_check_has_the_error_of_its_probe(
    run_directory: Path, monkeypatch: pytest.MonkeyPatch, that: str
) -> None:
    parse = Curl.parse

    def failing(self: Curl, raw: Raw) -> Parsed:
        parsed = parse(self, raw)
        parsed.values["error"] = "the link was cut"
        return parsed

    monkeypatch.setattr(Curl, "parse", failing)
    edit(
        run_directory / "plan.json", checks=[{"that": that, "source": "x"}, {"that": "fetch.exit == 0", "source": "x"}]
    )
    failed, passed = made(run_directory).data["checks"]
    assert failed["because"].endswith("; fetch@sta1 reports: the link was cut") and "reports" not in passed["because"]


def test_a_download_that_arrived_damaged_fails_its_check(run_directory: Path) -> None:
    path = run_directory / "raw" / "fetch.size"
    text = path.read_text()
    digest = text.split("sha256 ")[1].split()[0]
    path.write_text(text.replace(digest, "0" * 64))
    assert not made(run_directory).passed


def test_a_run_that_failed_passes_nothing_but_is_recorded(run_directory: Path) -> None:
    error = {"message": "lighttpd ended with status 1", "culprit": "lighttpd", "logs": ["raw/lighttpd.err"]}
    edit(run_directory / "guest.json", error=error)
    record = made(run_directory)
    assert not record.passed and record.data["error"] == error
    assert all(check["because"] == "the run failed" for check in record.data["checks"])


def test_output_that_cannot_be_read_fails_the_run_and_is_reported(run_directory: Path) -> None:
    with (run_directory / "raw" / "ping.out").open("a") as file:
        file.write("What is this?\n")
    (run_directory / "raw" / "capture.pcap").write_bytes(b"not a capture")
    record = made(run_directory)
    assert not record.passed
    assert "ping.out:" in record.data["sources"]["ping"]["error"]
    assert record.data["sources"]["capture"]["error"].startswith("capture.pcap")
    assert record.metrics["outage"].rows[0]["measured"] == "events", "the rest is still computed"


@pytest.mark.parametrize(
    ("name", "content", "complaint"),
    [
        ("plan.json", None, "no plan.json"),
        ("plan.json", "{", "plan.json cannot be read"),
        ("plan.json", '{"version": 99}', "plan version 99"),
        ("plan.json", '{"version": 1}', "plan.json cannot be read"),
        ("guest.json", None, "no guest.json"),
        ("guest.json", "[", "guest.json cannot be read"),
        ("guest.json", "{}", "guest.json cannot be read: Outcome needs epoch_ns"),
        ("guest.json", "[]", "guest.json cannot be read"),
        ("guest.json", "null", "guest.json cannot be read: it is null"),
        ("guest.json", "[" * 100_000, "guest.json cannot be read: maximum recursion depth"),
        ("plan.json", "[" * 100_000, "plan.json cannot be read: maximum recursion depth"),
    ],
    ids=lambda value: str(value)[:30],
)
def test_what_is_missing_is_reported(run_directory: Path, name: str, content: str | None, complaint: str) -> None:
    path = run_directory / name
    path.unlink() if content is None else path.write_text(content)
    with pytest.raises(RecordError, match=complaint):
        made(run_directory)
    assert not (run_directory / "record.json").exists()


def test_a_run_of_another_version_of_the_lab_says_so(run_directory: Path) -> None:
    path = run_directory / "guest.json"
    outcome = json.loads(path.read_text())
    del outcome["associations"]
    path.write_text(json.dumps(outcome))
    with pytest.raises(RecordError) as refused:
        made(run_directory)
    hint = "another version of the lab made this run; run it again"
    assert str(refused.value).endswith(f"guest.json cannot be read: Outcome needs associations\n  {hint}")
    path.write_text("{")
    with pytest.raises(RecordError) as damaged:
        made(run_directory)
    assert damaged.value.hint is None


def test_a_record_that_cannot_be_written_leaves_nothing(run_directory: Path) -> None:
    (run_directory / "record.json").mkdir()
    with pytest.raises(HostError, match=r"cannot write .*/record\.json: Is a directory"):
        made(run_directory)
    assert not (run_directory / "record.partial").exists()


@pytest.mark.parametrize(
    ("word", "reported"),
    [
        ('"probe": "curl"', 'unknown probe "of-a-stack", which fetch used'),
        ('"kind": "goodput"', 'unknown metric "of-a-stack", the kind of goodput'),
    ],
)
def test_a_run_of_a_stack_that_is_not_here_is_reported(run_directory: Path, word: str, reported: str) -> None:
    key = word.split(":")[0]
    plan = run_directory / "plan.json"
    plan.write_text(plan.read_text().replace(word, f'{key}: "of-a-stack"'))
    with pytest.raises(RecordError, match=f"{reported}\\n  if it belongs to a stack of yours, change to the directory"):
        build(run_directory, hashes={})


def test_repetitions_are_not_one_run(run_directory: Path, tmp_path: Path) -> None:
    for seed in (1, 2):
        shutil.copytree(run_directory, tmp_path / "four" / f"seed-{seed}")
    with pytest.raises(RecordError, match=r"it holds 2 runs; choose one: lab report .*/four/seed-1$"):
        rebuild(tmp_path / "four")


def test_processes_of_one_name_are_a_list() -> None:
    one, other = {"x": 1}, {"x": 2}
    assert metrics.by_name([("ping@h1", "ping", one)]) == {"ping@h1": one, "ping": one}
    both = metrics.by_name([("ping@h1", "ping", one), ("ping@h2", "ping", other)])
    assert both == {"ping@h1": one, "ping@h2": other, "ping": [one, other]}
