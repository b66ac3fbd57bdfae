# SPDX-License-Identifier: MIT
"""``lab reproduce`` and ``lab compare`` as a user runs them: what they print and leave, their exit status."""

from __future__ import annotations

import json
import re
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from lab import runs
from lab.cache.store import cache_root
from lab.experiments.run.store import SHELF
from lab.numbers import count
from tests.system.test_cli import LAB, lab
from tests.system.test_experiments import alive, descendants, own_guests
from tests.system.waiting import DEADLINE_S, until

pytestmark = pytest.mark.guest

DELAYS = """\
name: delays
about: Round trips over a line of a given delay.
topology: wired-pair
workload: ping/ping
set:
  links.0.delay: "{delay}"
  duration: 2 s
  processes.echo.run.count: 10
grid:
  delay: [5 ms, 20 ms]
repetitions: 2
metrics:
  rtt: ms
  quickest: {that: echo.rtt_min, unit: us}
  answered: {that: "100% * (echo.received / echo.transmitted)", unit: "%"}
  status: {that: echo.exit, unit: ""}
figure: {kind: line, x: delay, y: rtt}
paper: {rtt: {unit: ms, x: delay, values: [10, 40]}}
claims:
  - {name: both ways, that: "rtt[20 ms] > 40 ms"}
  - {name: longer lines take longer, that: "rtt[20 ms] > LEAST * rtt[5 ms]"}
"""


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, machine: runs.Machine) -> Path:
    """A directory with an experiment, and a store of its own."""
    (tmp_path / "delays.yaml").write_text(DELAYS.replace("LEAST", "2"))
    return tmp_path


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache with the user's kernel and image, and no trial so far; returns where trials are stored."""
    own = tmp_path / "cache" / cache_root().name
    own.mkdir(parents=True)
    for entry in cache_root().iterdir():
        if entry.name != SHELF:
            (own / entry.name).symlink_to(entry)
    monkeypatch.setenv("XDG_CACHE_HOME", str(own.parent))
    return own / SHELF


def stored(store: Path) -> list[Path]:
    return [path for path in store.glob("*/*") if not path.name.startswith(".")]


def results(directory: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((directory / "results.json").read_text())
    return found


def test_claims_in_places_drawn_from_ranges(place: Path, store: Path) -> None:
    """The first claim holds where the second line is long enough: round trips take twice both delays."""
    text = DELAYS.replace("LEAST", "2").replace("rtt[20 ms] > 40 ms", "quickest[20 ms] > 62 ms")
    uncertain = "uncertain: {second: {keys: links.1.delay, from: 1 ms, to: 21 ms, source: a test}}\n"
    (place / "delays.yaml").write_text(text.replace("repetitions: 2", "repetitions: 1") + uncertain)
    said = lab("reproduce", "delays.yaml", "--sensitivity", "10", "--out", "out", cwd=place, status=1).stdout
    assert "In 10 plausible places, 1 trial of each point" in said
    (claim, _) = results(place / "out")["sensitivity"]["claims"]
    assert (claim["holds"], claim["evaluated"]) == (5, 10)
    assert claim["correlations"]["second"]["rho"] == 1.0
    assert "Sensitivity" in (place / "out" / "report.html").read_text()
    assert (place / "out" / "sensitivity.png").stat().st_size > 1000
    assert len(stored(store)) == 22
    again = lab("reproduce", "delays.yaml", "--sensitivity", "10", "--out", "again", cwd=place, status=1).stdout
    assert "0 trials run, 22 taken from the store" in again and len(stored(store)) == 22


def test_one_thing_changed_at_a_time(place: Path, store: Path) -> None:
    """A longer second line turns the second claim; a shorter one turns none."""
    text = DELAYS.replace("LEAST", "2").replace("rtt[20 ms] > 40 ms", "quickest[20 ms] > 62 ms")
    listed = (
        "uncertain: {second: {keys: links.1.delay, from: 1 ms, to: 21 ms, source: a test}}\n"
        "what_if: {lossy: {set: {links.1.loss: 50%}, why: half of them are lost}}\n"
    )
    (place / "delays.yaml").write_text(text.replace("repetitions: 2", "repetitions: 1") + listed)
    done = lab("reproduce", "delays.yaml", "--one-at-a-time", "--vary", "second", "--out", "out", cwd=place, status=1)
    (claim, _) = results(place / "out")["one_at_a_time"]["claims"]
    assert claim["passed"] is False
    turned = {one["name"]: one["turned"] for one in results(place / "out")["one_at_a_time"]["changes"]}
    assert turned["second 1 ms"] == [] and claim["name"] in turned["second 21 ms"]
    assert "With one thing changed, 2 changes" in done.stdout and "second 21 ms" in done.stdout
    assert "One thing changed" in (place / "out" / "report.html").read_text()
    assert "6 trials run, 0 taken from the store" in done.stdout and len(stored(store)) == 6
    assert "also one-at-a-time.json, one-at-a-time.csv" in done.stdout


def test_two_things_changed_at_a_time(place: Path, store: Path) -> None:
    """Only both lines together are long enough; the trials with one change are those of --one-at-a-time."""
    text = DELAYS.replace("LEAST", "2").replace("rtt[20 ms] > 40 ms", "quickest[20 ms] > 110 ms")
    listed = (
        "what_if:\n  long-first: {set: {links.0.delay: 40 ms}, why: a test}\n"
        "  long-second: {set: {links.1.delay: 21 ms}, why: a test}\n"
    )
    (place / "delays.yaml").write_text(text.replace("repetitions: 2", "repetitions: 1") + listed)
    lab("reproduce", "delays.yaml", "--one-at-a-time", "--out", "one", cwd=place, status=1)
    done = lab("reproduce", "delays.yaml", "--two-at-a-time", "--out", "two", cwd=place, status=1)
    assert "1 trial run, 7 taken from the store" in done.stdout  # with a firm delay, both points are one trial
    assert len(stored(store)) == 6
    turned = {one["name"]: one["turned"] for one in results(place / "two")["two_at_a_time"]["changes"]}
    assert turned["long-first + long-second"][0] == "both ways"
    assert "both ways" not in turned["long-first"] + turned["long-second"]
    assert "With one or two things changed, 2 changes and 1 pair" in done.stdout
    assert "also two-at-a-time.json, two-at-a-time.csv" in done.stdout


def test_mistakes_in_ranges_come_before_anything_runs(place: Path, store: Path) -> None:
    uncertain = "uncertain: {second: {keys: links.7.delay, from: 1 ms, to: 21 ms, source: a test}}\n"
    (place / "delays.yaml").write_text(DELAYS.replace("LEAST", "2") + uncertain)
    said = lab("reproduce", "delays.yaml", "--sensitivity", "4", "--out", "out", cwd=place, status=2).stderr
    assert "delays.yaml:22" in said and "links.7" in said
    assert not store.exists() and not (place / "out").exists()
    for options, message in (
        (("--vary", "second"), "--vary needs --sensitivity N, --one-at-a-time or --two-at-a-time"),
        (("--one-at-a-time", "--place-reps", "2"), "--place-reps needs --sensitivity N"),
        (
            ("--one-at-a-time", "--sensitivity", "4"),
            "--sensitivity and --one-at-a-time: run one after the other; trials are stored",
        ),
    ):
        assert lab("reproduce", "delays.yaml", *options, cwd=place, status=2).stderr == f"lab: {message}\n"
    (place / "delays.yaml").write_text(DELAYS.replace("LEAST", "2") + uncertain.replace("links.7", "links.1"))
    few = ("--only", "delay=5 ms", "--sensitivity", "4")
    said = lab("reproduce", "delays.yaml", *few, "--out", "out", cwd=place, status=2).stderr
    assert said == "lab: --sensitivity judges claims, but --only leaves out points that they need\n"
    said = lab("reproduce", "delays.yaml", "--two-at-a-time", "--out", "out", cwd=place, status=2).stderr
    assert said == "lab: --two-at-a-time: no two of these changes can be made together: second 1 ms, second 21 ms\n"
    assert not (place / "out").exists()


def test_an_experiment_is_run_judged_and_drawn(place: Path) -> None:
    said = lab("reproduce", "delays.yaml", "--fresh", "--out", "first", cwd=place).stdout
    assert "All 2 claims hold, after 4 trials" in said and "4 trials run, 0 taken from the store" in said
    left = {path.name for path in (place / "first").iterdir()}
    assert left >= {
        "report.html",
        "results.json",
        "results.csv",
        "trials.csv",
        "figure-1.svg",
        "figure-1.png",
        "figure-1.pdf",
        "junit.xml",
    }
    found = results(place / "first")
    assert [row["delay"] for row in found["rows"]] == ["5 ms", "20 ms"]
    for row, least_ms in zip(found["rows"], (10, 40), strict=True):
        assert row["rtt"]["n"] == 2 and row["rtt"]["unit"] == "ms"
        assert least_ms < row["rtt"]["mean"] < 3 * least_ms  # of the other link, too; ARP asks first
        assert least_ms * 1000 < row["quickest"]["mean"] < row["rtt"]["mean"] * 1000
        assert (row["answered"]["mean"], row["status"]["values"]) == (100.0, [0.0, 0.0])
    assert [claim["passed"] for claim in found["claims"]] == [True, True]

    again = lab("reproduce", "delays.yaml", "--json", "--out", "second", cwd=place).stdout
    assert json.loads(again)["rows"] == found["rows"]
    assert again.encode() == (place / "second" / "results.json").read_bytes()
    reported = lab("compare", "first", "second", cwd=place).stdout.splitlines()
    assert reported[0] == "Both builds are the same: code, host python, image, initrd, kernel, kernel_source, series"
    assert reported[-1] == "A and B are identical: every seed gave the same numbers, to the last digit"

    # what a trial's line says is what runs it
    (trial, *_) = found["trials"]
    assert trial["command"].startswith("lab run wired-pair ping/ping ")


TRANSFER = """\
name: transfer
roles: {server: 1, client: 1}
duration: 3 s
files:
  stack: {on: client, path: /opt/stack.sh, from: stack.sh}
timeline:
  - {at: 0 s, exec: client, run: [sh, /opt/stack.sh]}
processes:
  - {on: client, at: 1 s, run: {probe: ping, to: "{server.ip}", count: 2}, as: echo}
metrics:
  rtt: {of: echo, unit: ms}
"""
STACK = """\
name: stack
topology: wired-pair
workload: transfer.yaml
set:
  links.0.delay: "{delay}"
grid:
  delay: [5 ms, 20 ms]
repetitions: 2
metrics:
  rtt: {that: rtt.min, unit: ms}
"""


def test_two_builds_of_a_stack_are_compared(place: Path) -> None:
    (place / "stack.yaml").write_text(STACK)
    (place / "transfer.yaml").write_text(TRANSFER)
    (place / "stack.sh").write_text("true\n")
    lab("reproduce", "stack.yaml", "--out", "before", cwd=place)
    (place / "stack.sh").write_text("tc qdisc replace dev h2-eth0 root netem delay 8ms\n")
    lab("reproduce", "stack.yaml", "--only", "delay=5 ms", "--out", "after", cwd=place)

    reported = lab("compare", "before", "after", cwd=place).stdout
    lines = [" ".join(line.split()) for line in reported.splitlines()]
    digests = [results(place / side)["provenance"]["stack"]["stack.sh"][:12] for side in ("before", "after")]
    assert lines[:3] == [
        "The builds differ in",
        f"stack.sh {digests[0]} in A, {digests[1]} in B",
        "The same: code, host python, image, initrd, kernel, kernel_source, series",
    ]
    assert "5 ms 20 23 2 +3 ± 0 +15 yes" in lines
    assert lines[-2:] == [
        "Not compared: only A has delay 20 ms",
        "The difference is significant (Student's t of pairs with equal seeds, 95 %; by chance, one in twenty is)",
    ]

    found = json.loads(lab("compare", "before", "after", "--json", cwd=place).stdout)
    assert list(found["builds"]["differing"]) == ["stack.sh"]
    assert found["only_a"] == [{"delay": "20 ms"}] and found["only_b"] == []


def test_another_experiment_is_not_compared(place: Path) -> None:
    lab("reproduce", "delays.yaml", "--reps", "1", "--out", "before", cwd=place)
    other = (
        DELAYS.replace("LEAST", "2")
        .replace("count: 10", "count: 5")
        .replace("rtt: ms", "rtt: {that: rtt.max, unit: ms}")
    )
    (place / "delays.yaml").write_text(other)
    lab("reproduce", "delays.yaml", "--reps", "1", "--out", "after", cwd=place)
    reported = lab("compare", "before", "after", cwd=place, status=2).stderr
    assert reported.splitlines()[:3] == [
        "lab: A and B are not the same experiment; they differ in",
        "    the metric rtt: rtt in A, rtt.max in B",
        "    processes.echo.run.count: 10 in A, 5 in B",
    ]


def test_a_claim_that_does_not_hold_fails_the_command(place: Path) -> None:
    (place / "delays.yaml").write_text(DELAYS.replace("LEAST", "9"))
    said = lab("reproduce", "delays.yaml", "--only", "delay=5 ms", "--reps", "1", cwd=place).stdout
    assert "does not hold" not in said  # nobody can say without the other point
    said = lab("reproduce", "delays.yaml", "--out", "failed", cwd=place, status=1).stdout
    assert "1 of 2 claims does not hold" in said
    assert [claim["passed"] for claim in results(place / "failed")["claims"]] == [True, False]
    assert 'failures="1"' in (place / "failed" / "junit.xml").read_text()


def test_a_trial_that_fails_is_shown_with_what_repeats_it(place: Path) -> None:
    broken = DELAYS.replace("set:\n", "set:\n  workload.timeline: [{at: 1 s, exec: client, run: [sh, -c, exit 3]}]\n")
    (place / "delays.yaml").write_text(broken.replace("LEAST", "2"))
    said = lab("reproduce", "delays.yaml", "--reps", "1", "--out", "broken", cwd=place, status=1).stdout
    assert "2 of 2 trials failed" in said and "lab run wired-pair ping/ping" in said
    shown = said.partition("Failed: 2 of 2 trials\n\n")[2].splitlines()
    assert shown[0].startswith("delay 5 ms, seed 1: delays.yaml:6: exec h2: ")
    shown = shown[[line.startswith("  ") for line in shown].index(True) :]
    assert shown[:3] == [
        "  last lines of broken/failed/point-0-seed-1/raw/exec/1-h2.out:",
        "    (it wrote nothing)",
        "  kept in broken/failed/point-0-seed-1",
    ]
    assert "  1 more fails the same way: delay 20 ms, seed 1" in shown
    assert (place / "broken" / "failed" / "point-0-seed-1" / "console.log").is_file()


def test_results_that_cannot_be_written_are_shown(place: Path, store: Path) -> None:
    def full(process: subprocess.Popen[str]) -> None:
        until(lambda: process.poll() is not None or len(stored(store)) == 2)
        (place / "full" / "report.html").mkdir(parents=True)

    reported, said = begun(place, full, "--reps", "1", "--out", "full", status=2)
    assert "All 2 claims hold, after 2 trials" in said
    assert reported.rstrip().splitlines()[-2].startswith("lab: cannot write full/report.html: ")


def test_what_is_damaged_in_the_store_is_run_again_and_said(place: Path, store: Path) -> None:
    point = ("--only", "delay=5 ms", "--reps", "2")
    lab("reproduce", "delays.yaml", *point, "--out", "first", cwd=place)
    (entry, _) = stored(store)
    whole = entry.read_bytes()
    entry.write_bytes(whole[:-1])
    again = lab("reproduce", "delays.yaml", *point, "--out", "second", cwd=place)
    assert "1 trial run, 1 taken from the store" in again.stdout
    seed = next(trial["seed"] for trial in results(place / "second")["trials"] if trial["key"] == entry.name)
    assert again.stderr.splitlines()[-1] == (
        f"its stored result was damaged (its checksum does not match), so it was run again: delay 5 ms, seed {seed}"
    )
    assert results(place / "second")["rows"] == results(place / "first")["rows"]
    assert "damaged" not in lab("reproduce", "delays.yaml", *point, "--out", "third", cwd=place).stderr


def begun(place: Path, then: Callable[[subprocess.Popen[str]], None], *options: str, status: int) -> tuple[str, str]:
    """What a sweep said, on standard error and output, while which something was done."""
    command = [str(LAB), "reproduce", "delays.yaml", *options]
    process = subprocess.Popen(
        command, cwd=place, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    try:
        then(process)
        said, reported = process.communicate(timeout=DEADLINE_S)
    finally:
        if process.poll() is None:
            process.kill()
    assert process.returncode == status, reported
    assert "Traceback" not in reported
    return reported, said


def test_a_sweep_that_is_terminated_says_what_is_stored_and_continues(place: Path, store: Path) -> None:
    family: list[int] = []

    def terminate(process: subprocess.Popen[str]) -> None:
        until(lambda: process.poll() is not None or (len(stored(store)) >= 3 and own_guests(process.pid)))
        family.extend(descendants(process.pid))
        process.terminate()

    options = ("--only", "delay=5 ms", "--reps", "9", "--jobs", "2")
    reported, _ = begun(place, terminate, *options, "--out", "cut", status=128 + signal.SIGTERM)
    assert family
    until(lambda: not any(map(alive, family)))
    line, last = reported.splitlines()[-2:]
    assert last == "lab: interrupted"
    match = re.fullmatch(r"(\d+) of 9 trials are stored; repeat the command to continue", line)
    assert match, reported
    kept = len(stored(store))
    assert 2 <= int(match[1]) <= kept < 9  # one may be stored that was not counted yet
    assert not (place / "cut").exists()
    again = lab("reproduce", "delays.yaml", *options, "--out", "cut", cwd=place).stdout
    assert f"{count(9 - kept, 'trial')} run, {kept} taken from the store" in again


def test_mistakes_are_reported_before_anything_runs(place: Path) -> None:
    reported = lab("reproduce", "delays.yaml", "--limit", "3", cwd=place, status=2).stderr
    assert "4 trials, more than 3" in reported and "--yes" in reported
    reported = lab("reproduce", "delays.yaml", "--only", "delay=7 ms", cwd=place, status=2).stderr
    assert "7 ms" in reported and "5 ms" in reported
    (place / "delays.yaml").write_text(DELAYS.replace("rtt[5 ms]", "rtt[6 ms]").replace("LEAST", "2"))
    reported = lab("reproduce", "delays.yaml", cwd=place, status=2).stderr
    assert reported.startswith("lab: delays.yaml:21")
    assert not (place / "runs").exists()
