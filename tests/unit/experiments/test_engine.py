# SPDX-License-Identifier: MIT
"""The engine, with workers that boot nothing."""

from __future__ import annotations

import errno
import json
import os
import random
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

from lab.errors import HostError, InputError
from lab.experiments.analysis import metrics, statistics
from lab.experiments.run.engine import Sweep, SweepProgress
from lab.experiments.run.store import Kept, TrialStore, pack
from lab.experiments.run.trials import Answer, Failed, Finished, Job, Lost, Refused, pack_directory
from lab.experiments.types import Experiment, Point, Repetitions, Trial, TrialMetric, TrialOutcome
from tests.refused import refused

HASHES: dict[str, str | None] = {"kernel": "k", "image": "i", "code": "c"}
TWICE = Repetitions(2, 2)
RTT = TrialMetric("rtt", "rtt", "ms")
Result = float | Answer | BaseException
Work = Callable[[str, int], Result]  # a point's plan and a seed -> the metric, or what happens instead


class Crew:
    """Workers that do what the test says, the last trial that they were given first."""

    def __init__(self, work: Work, lanes: int = 2) -> None:
        self.work = work
        self.waiting: list[Job] = []
        self.given: list[tuple[str, int]] = []
        self.most = 0
        self.closed = False
        self._lanes = lanes

    def room(self) -> int:
        return 2 * self._lanes - len(self.waiting)

    def lanes(self) -> int:
        return self._lanes

    def submit(self, job: Job) -> None:
        self.waiting.append(job)
        self.most = max(self.most, len(self.waiting))

    def next(self, timeout_s: float) -> tuple[Job, Answer] | None:
        job = self.waiting.pop()
        plan = json.loads(job.plan)
        self.given.append((plan["name"], plan["seed"]))
        found = self.work(plan["name"], plan["seed"])
        if isinstance(found, BaseException):
            raise found
        return job, finished(found) if isinstance(found, float) else found

    def close(self) -> None:
        self.closed = True


def finished(rtt: float, checks: Sequence[Mapping[str, Any]] = ()) -> Finished:
    return Finished(Kept(pack(json.dumps({"rtt": rtt, "checks": list(checks), "plan": {"nodes": []}})), 30.0, 0.5, 0.4))


def point(number: int, plan: str | None = None) -> Point:
    return Point(number, {}, plan or f"place-{number}", "ping/ping", ())


def experiment(points: int = 2, repetitions: Repetitions = TWICE, plan: str | None = None) -> Experiment:
    grid = tuple(point(number, plan) for number in range(points))
    return Experiment("test", "", {}, "test.yaml", 1, (), grid, repetitions, (RTT,), (), (), ())


class Lab:
    """One user's store, in which sweeps are run."""

    def __init__(self, directory: Path) -> None:
        self.store = TrialStore(directory / "cache")
        self.keep = directory / "failed"
        self.reports: list[SweepProgress] = []
        self.crew: Crew | None = None

    def sweep(
        self,
        file: Experiment,
        work: Work,
        *,
        fresh: bool = False,
        enough: Callable[..., int] = lambda values, share, normal: 0,
    ) -> tuple[TrialOutcome, ...]:
        return self.prepare(file, work, fresh=fresh, enough=enough).run()

    def prepare(
        self,
        file: Experiment,
        work: Work,
        *,
        fresh: bool = False,
        enough: Callable[..., int] = lambda values, share, normal: 0,
        plan: Callable[[Experiment, Point, int], Trial] | None = None,
        values: Callable[..., dict[str, float | None]] | None = None,
    ) -> Sweep:
        self.crew, self.reports = None, []

        def start() -> Crew:
            self.crew = Crew(work)
            return self.crew

        return Sweep(
            file,
            hashes=lambda plan: HASHES,
            store=self.store,
            start=start,
            fresh=fresh,
            keep=self.keep,
            on_progress=self.reports.append,
            plan=plan or planned,
            values=values or by_name,
            enough=enough,
        )

    @property
    def given(self) -> list[tuple[str, int]]:
        """What workers were given to do."""
        return self.crew.given if self.crew else []


def by_name(metrics: Sequence[TrialMetric], data: Mapping[str, Any]) -> dict[str, float | None]:
    return {metric.name: data[metric.that] for metric in metrics}


def planned(file: Experiment, point: Point, repetition: int) -> Trial:
    seed = file.seed + repetition
    text = json.dumps({"name": point.topology, "seed": seed})
    return Trial(point.number, seed, text, f"lab run {point.topology} --seed {seed}")


@pytest.fixture
def lab(tmp_path: Path) -> Lab:
    return Lab(tmp_path)


def by_seed(name: str, seed: int) -> float:
    return 10.0 * int(name.split("-")[1]) + seed


def test_every_point_is_run_as_often_as_it_says(lab: Lab) -> None:
    found = lab.sweep(experiment(), by_seed)
    assert [(outcome.point, outcome.seed, outcome.values) for outcome in found] == [
        (0, 1, {"rtt": 1.0}),
        (0, 2, {"rtt": 2.0}),
        (1, 1, {"rtt": 11.0}),
        (1, 2, {"rtt": 12.0}),
    ]
    first = found[0]
    assert (first.error, first.log, first.remark, first.cached) == (None, None, None, False)
    assert (first.virtual_s, first.wall_s, first.command) == (30.0, 0.5, "lab run place-0 --seed 1")
    assert lab.crew and lab.crew.closed


def test_what_is_stored_is_not_run_again_and_no_worker_is_started(lab: Lab) -> None:
    before = lab.sweep(experiment(), by_seed)
    after = lab.sweep(experiment(), by_seed)
    assert lab.crew is None
    assert all(outcome.cached for outcome in after)
    assert [outcome.values for outcome in after] == [outcome.values for outcome in before]


def test_a_point_more_runs_that_point_alone(lab: Lab) -> None:
    lab.sweep(experiment(2), by_seed)
    lab.sweep(experiment(3), by_seed)
    assert sorted(lab.given) == [("place-2", 1), ("place-2", 2)]


def test_fresh_runs_all_again_and_stores_it(lab: Lab) -> None:
    lab.sweep(experiment(1), by_seed)
    lab.sweep(experiment(1), lambda name, seed: 5.0, fresh=True)
    assert len(lab.given) == 2
    assert [outcome.values["rtt"] for outcome in lab.sweep(experiment(1), by_seed)] == [5.0, 5.0]


def test_damage_in_the_store_is_run_again_and_said(lab: Lab) -> None:
    first = lab.sweep(experiment(1), by_seed)[0]
    path = lab.store.path(first.key)
    path.write_bytes(path.read_bytes()[:-1])
    again = lab.sweep(experiment(1), by_seed)
    assert lab.given == [("place-0", 1)]
    assert again[0].remark == "its stored result was damaged (its checksum does not match), so it was run again"
    assert (again[0].values, again[0].cached, again[1].cached) == ({"rtt": 1.0}, False, True)
    assert lab.sweep(experiment(1), by_seed)[0].remark is None


def test_a_failed_trial_is_kept_with_its_log_and_not_stored(lab: Lab, tmp_path: Path) -> None:
    place = tmp_path / "elsewhere"
    place.mkdir()
    (place / "console.log").write_text("panic")

    def work(name: str, seed: int) -> Result:
        if seed == 1:
            return Failed(
                f"it failed\n  last lines of {place}/console.log:\n    panic", str(place), pack_directory(place), 0.2
            )
        return 2.0

    failed, other = lab.sweep(experiment(1), work)
    log = lab.keep / "point-0-seed-1"
    assert failed.error == f"it failed\n  last lines of {log}/console.log:\n    panic"
    assert failed.log == str(log)
    assert (log / "console.log").read_text() == "panic"
    assert (failed.values, failed.command) == ({}, "lab run place-0 --seed 1")
    assert other.values == {"rtt": 2.0}
    assert lab.reports[-1].failed == 1
    assert lab.sweep(experiment(1), by_seed)[0].error is None
    assert lab.given == [("place-0", 1)]


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EACCES])
def test_a_directory_that_cannot_be_written_does_not_end_the_sweep(
    lab: Lab, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    place = tmp_path / "elsewhere"
    place.mkdir()
    (place / "console.log").write_text("panic")
    left = pack_directory(place)

    def full(left: bytes, directory: Path) -> None:
        directory.mkdir(parents=True)
        (directory / "console.log").write_text("pa")
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr("lab.experiments.run.engine.unpack_directory", full)

    def work(name: str, seed: int) -> Result:
        if name == "place-0":
            return Failed(f"it failed\n  last lines of {place}/console.log:\n    panic", str(place), left, 0.2)
        return by_seed(name, seed)

    found = lab.sweep(experiment(2), work)
    assert [outcome.values for outcome in found] == [{}, {}, {"rtt": 11.0}, {"rtt": 12.0}]
    for outcome in found[:2]:
        assert outcome.error == "it failed\n  last lines of console.log:\n    panic"
        assert (outcome.log, outcome.remark) == (
            None,
            f"its files cannot be kept in {lab.keep}: {os.strerror(number)}",
        )
    assert not lab.keep.exists()
    assert all(outcome.cached for outcome in lab.sweep(experiment(2), by_seed)[2:])


def test_a_point_that_cannot_be_planned_is_reported_with_its_labels(lab: Lab) -> None:
    def plan(file: Experiment, point: Point, repetition: int) -> Trial:
        raise InputError("is too far", where="test.yaml:7")

    axes = replace(experiment(1), points=(replace(point(0), labels={"distance": "9 km"}),))
    sweep = lab.prepare(axes, by_seed, plan=plan)
    assert refused(sweep.run) == "test.yaml:7  is too far\n  where distance: 9 km"


def test_why_a_metric_has_no_value_is_a_remark(lab: Lab) -> None:
    rtt = replace(RTT, that="echo.rtt_meen")
    record = {
        "metrics": {},
        "checks": [],
        "plan": {"nodes": [], "processes": [{"id": "echo", "name": "echo"}], "files": []},
        "processes": [{"id": "echo", "exit": 0}],
        "sources": {"echo": {"values": {"rtt_mean_ms": 3.0}}},
    }
    sweep = lab.prepare(
        replace(experiment(1, Repetitions(1, 1)), metrics=(rtt,)),
        lambda name, seed: Finished(Kept(pack(json.dumps(record)), 30.0, 0.5, 0.4)),
        values=metrics.values,
    )
    (outcome,) = sweep.run()
    assert outcome.values == {"rtt": None}
    assert outcome.remark == 'metric rtt: echo has no "rtt_meen" (did you mean rtt_mean?); known: exit, rtt_mean'


def test_a_node_that_ran_out_of_memory_is_a_remark(lab: Lab) -> None:
    node = {"name": "h1", "source": "place.yaml:3", "memory_bytes": 64 << 20}
    record = {"rtt": 2.0, "checks": [], "plan": {"nodes": [node]}, "memory_kills": {"h1": 1}}
    work = Finished(Kept(pack(json.dumps(record)), 30.0, 0.5, 0.4))
    (outcome,) = lab.sweep(experiment(1, Repetitions(1, 1)), lambda name, seed: work)
    assert outcome.values == {"rtt": 2.0} and outcome.remark is not None
    assert outcome.remark.startswith("place.yaml:3: h1 ran out of memory (64 MiB), and the kernel killed 1 program t")


def test_a_lost_trial_has_failed(lab: Lab) -> None:
    (outcome,) = lab.sweep(experiment(1, Repetitions(1, 1)), lambda name, seed: Lost("4 workers were killed"))
    assert (outcome.error, outcome.log) == ("4 workers were killed", None)


def test_checks_that_do_not_hold_are_a_remark(lab: Lab) -> None:
    checks = [{"that": "rtt.max < 1 ms", "passed": False}, {"that": "loss.max < 5%", "passed": True}]
    (outcome,) = lab.sweep(experiment(1, Repetitions(1, 1)), lambda name, seed: finished(2.0, checks))
    assert (outcome.remark, outcome.unmet) == (None, ("rtt.max < 1 ms",))
    assert outcome.remarks == "checks of the workload do not hold: rtt.max < 1 ms"
    assert outcome.values == {"rtt": 2.0}


def test_a_worker_that_is_another_lab_ends_the_sweep(lab: Lab) -> None:
    refused = Refused("tcp://10.0.0.2:4711 on node2", {"kernel": ("aaaabbbbccccdddd", "eeeeffff00001111")})
    with pytest.raises(HostError) as reported:
        lab.sweep(experiment(), lambda name, seed: refused)
    assert str(reported.value) == (
        "worker tcp://10.0.0.2:4711 on node2 cannot run trials of this lab: its build differs\n"
        "    kernel: aaaabbbbcccc here, eeeeffff0000 there\n"
        "  give it the same checkout and the same cache of kernels and images, or end it; "
        "finished trials are stored; repeat the command to continue"
    )
    assert lab.crew and lab.crew.closed


def test_an_interrupted_sweep_continues_where_it_ended(lab: Lab) -> None:
    left = [2]

    def work(name: str, seed: int) -> Result:
        left[0] -= 1
        return by_seed(name, seed) if left[0] >= 0 else KeyboardInterrupt()

    with pytest.raises(KeyboardInterrupt):
        lab.sweep(experiment(), work)
    assert lab.crew and lab.crew.closed
    assert lab.reports[-1].done == 2  # what is reported about it after all
    done = lab.given[:2]
    found = lab.sweep(experiment(), by_seed)
    assert len(found) == 4
    assert len(lab.given) == 2
    assert set(lab.given).isdisjoint(done)


def test_points_with_the_same_plan_share_its_trials(lab: Lab) -> None:
    found = lab.sweep(experiment(2, plan="place-7"), by_seed)
    assert len(found) == 4
    assert sorted(lab.given) == [("place-7", 1), ("place-7", 2)]
    found = lab.sweep(experiment(9, plan="place-7"), by_seed, fresh=True)
    assert len(lab.given) == 2


def test_workers_are_given_a_few_trials_ahead(lab: Lab) -> None:
    lab.sweep(experiment(9), by_seed)
    assert lab.crew and lab.crew.most == 4


def test_repetitions_continue_until_there_are_enough(lab: Lab) -> None:
    asked: list[int] = []

    def enough(values: Sequence[float], share: float, normal: bool) -> int:
        assert share == 0.05
        assert list(values) == sorted(values)  # by seed, whatever ended first
        asked.append(len(values))
        return 10

    found = lab.sweep(experiment(1, Repetitions(3, 100, 0.05)), by_seed, enough=enough)
    assert asked == [3, 6, 10]  # at most twice as many at once
    assert [outcome.seed for outcome in found] == list(range(1, 11))
    assert lab.reports[0].total == 3
    assert lab.reports[-1].total == 10


def test_there_is_a_cap(lab: Lab) -> None:
    found = lab.sweep(experiment(1, Repetitions(3, 8, 0.05)), by_seed, enough=lambda values, share, normal: 1000)
    assert len(found) == 8


def test_a_point_ends_when_the_interval_that_is_reported_is_narrow_or_at_the_cap(lab: Lab) -> None:
    """Of 200 points with values around 10 each: some end at the least, some between, some at the most."""
    rule = Repetitions(3, 12, 0.05)
    points = 200

    def scattered(name: str, seed: int) -> float:
        return random.Random(f"{name} {seed}").gauss(10, 0.05 * (1 + int(name.split("-")[1]) % 20))

    by_point: dict[int, list[float]] = {}
    for outcome in lab.sweep(experiment(points, rule), scattered, enough=statistics.enough):
        by_point.setdefault(outcome.point, []).append(outcome.values["rtt"] or 0.0)

    def narrow(values: list[float]) -> bool:
        low, high = stats.t.interval(0.95, len(values) - 1, loc=np.mean(values), scale=stats.sem(values))
        return bool((high - low) / 2 <= 0.05 * np.mean(values))

    assert all(narrow(values) or len(values) == 12 for values in by_point.values())
    assert not any(narrow(values[:3]) for values in by_point.values() if len(values) > 3)
    assert {3, 12} < {len(values) for values in by_point.values()}
    assert any(not narrow(values) for values in by_point.values())  # else there was no cap to see


def test_what_does_not_scatter_and_what_is_zero(lab: Lab) -> None:
    rule = Repetitions(3, 9, 0.05)
    assert len(lab.sweep(experiment(1, rule), lambda name, seed: 0.0, enough=statistics.enough)) == 3
    assert len(lab.sweep(experiment(1, rule), lambda name, seed: 7.0, enough=statistics.enough, fresh=True)) == 3
    by_turns = lab.sweep(
        experiment(1, rule), lambda name, seed: 1.0 if seed % 2 else -1.0, enough=statistics.enough, fresh=True
    )
    assert len(by_turns) == 9  # no share of about nothing is wide enough


def test_each_point_has_as_many_as_it_needs(lab: Lab) -> None:
    rule = Repetitions(2, 100, 0.05)
    found = lab.sweep(experiment(2, rule), by_seed, enough=lambda values, share, normal: 2 if values[0] < 10 else 4)
    assert [outcome.point for outcome in found] == [0, 0, 1, 1, 1, 1]


def test_a_metric_that_need_not_be_precise_asks_for_no_trials(lab: Lab) -> None:
    rule = Repetitions(2, 100, 0.05, frozenset({"another"}))
    found = lab.sweep(experiment(1, rule), lambda name, seed: float(seed), enough=lambda values, share, normal: 4)
    assert len(found) == 2


def test_failed_trials_are_made_up_for_but_not_if_all_fail(lab: Lab) -> None:
    rule = Repetitions(2, 100, 0.05)

    def first_fails(name: str, seed: int) -> Result:
        return Lost("killed") if seed == 1 else float(seed)

    found = lab.sweep(experiment(1, rule), first_fails, enough=lambda values, share, normal: 2)
    assert [outcome.seed for outcome in found if not outcome.error] == [2, 3]
    found = lab.sweep(
        experiment(1, rule), lambda name, seed: Lost("killed"), enough=lambda values, share, normal: 2, fresh=True
    )
    assert len(found) == 2


def test_progress_counts_what_was_run_and_what_was_there(lab: Lab) -> None:
    lab.sweep(experiment(1), by_seed)
    assert lab.reports[-1].eta_s == 0.0
    lab.sweep(experiment(3), by_seed)
    last = lab.reports[-1]
    assert (last.done, last.failed, last.cached, last.total, last.virtual_s) == (6, 0, 2, 6, 120.0)
    assert [report.done for report in lab.reports] == sorted(report.done for report in lab.reports)
    estimated = next(report for report in lab.reports if report.eta_s is not None)
    assert estimated.eta_s == (estimated.total - estimated.done) * 0.5 / 2


def test_dask_is_imported_for_workers_alone() -> None:
    program = "import lab.cli.main, lab.experiments.run.engine, sys; print(*sys.modules)"
    shown = subprocess.run([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True, check=True).stdout
    assert {"dask", "distributed"}.isdisjoint(shown.split())
