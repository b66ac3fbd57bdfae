# SPDX-License-Identifier: MIT
"""Sweeps on workers that boot guests: one machine or many, and whatever is killed, the results are the same."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

import lab
from lab import runs
from lab.checkout import CHECKOUT
from lab.errors import HostError
from lab.experiments.run import engine
from lab.experiments.run.engine import SweepProgress
from lab.experiments.run.store import TrialStore, pack
from lab.experiments.types import Experiment, Point, Repetitions, TrialMetric, TrialOutcome
from lab.machine import scratch
from lab.machine.watch import STALL_S
from lab.plan.load import load
from lab.record.record import to_json
from tests.system.waiting import DEADLINE_S, until

pytestmark = pytest.mark.guest

PATH = os.pathsep.join([str(CHECKOUT), *filter(None, [os.environ.get("PYTHONPATH")])])
PLACE = """\
name: pair
nodes:
  h1: {kind: host, roles: [server]}
  h2: {kind: host, roles: [client]}
links:
  - {between: [h1, h2]}
"""
WORK = """\
name: draw
roles: {server: 1, client: 1}
duration: 2 s
processes:
  - {on: client, run: {probe: ping, to: "{server.ip}", every: 100 ms, count: 10}, as: echo}
  - {on: server, run: [cat, /proc/sys/kernel/random/uuid], as: drawn}
metrics:
  rtt: {of: echo, unit: ms}
"""


# stops virtual time; ended after STALL_S, unless somebody does so before
ENDLESS = WORK.replace("cat, /proc/sys/kernel/random/uuid", 'sh, -c, "while :; do :; done"')


@dataclass(frozen=True)
class Place:
    """Where sweeps of one test run."""

    directory: Path

    def experiment(self, trials: int, work: str = WORK) -> Experiment:
        """That many runs of one point."""
        for name, text in (("pair.yaml", PLACE), ("draw.yaml", work)):
            (self.directory / name).write_text(text)
        point = Point(0, {}, str(self.directory / "pair.yaml"), str(self.directory / "draw.yaml"), ())
        metrics = (TrialMetric("rtt", "rtt", "ms"),)
        return Experiment(
            "draw", "", {}, "draw.yaml", 1, (), (point,), Repetitions(trials, trials), metrics, (), (), ()
        )

    def run(
        self,
        experiment: Experiment,
        store: TrialStore,
        scheduler: str | None = None,
        on_progress: Callable[[SweepProgress], None] = lambda progress: None,
    ) -> tuple[TrialOutcome, ...]:
        """Run it, with two workers unless a scheduler has others."""
        keep = self.directory / "failed"
        return engine.run(
            experiment,
            jobs=2,
            scheduler=scheduler,
            fresh=False,
            keep=keep,
            on_progress=on_progress,
            store=store,
        ).outcomes

    def sweep(
        self,
        store: str,
        trials: int,
        scheduler: str | None = None,
        on_progress: Callable[[SweepProgress], None] = lambda progress: None,
    ) -> dict[int, bytes]:
        """Run it with a store of its own; the records by seed, as stored."""
        kept = TrialStore(self.directory / store)
        found = self.run(self.experiment(trials), kept, scheduler, on_progress)
        assert [outcome.error for outcome in found] == [None] * trials
        records = {}
        for outcome in found:
            entry = kept.get(outcome.key)
            assert entry is not None
            records[outcome.seed] = entry.record
        return records

    def alone(self, machine: runs.Machine, seed: int) -> bytes:
        """The record of a trial that this process runs itself, as `lab run` does."""
        point = self.experiment(1).points[0]
        directory = self.directory / "alone"
        directory.mkdir()
        found = runs.run_plan(load(point.topology, point.workload, seed), machine, directory)
        return pack(to_json(found.data))


@pytest.fixture
def place(tmp_path: Path, machine: runs.Machine) -> Place:
    return Place(tmp_path)


def is_written(path: Path) -> bool:
    """A small file is complete as soon as it is not empty."""
    return path.exists() and path.stat().st_size > 0


def guests_below(directory: Path) -> list[Path]:
    """Scratch directories of the guests that run below a directory."""
    found = []
    for home in scratch.PARENT.glob(f"{scratch.PREFIX}*"):
        with contextlib.suppress(OSError):
            if (home / "run").readlink().is_relative_to(directory.resolve()) and scratch._pids_of(home):
                found.append(home)
    return found


@dataclass(frozen=True)
class Cluster:
    """A scheduler and workers, each a process of its own, on loopback."""

    directory: Path
    stack: contextlib.ExitStack

    @property
    def address(self) -> str:
        """The scheduler's."""
        address: str = json.loads((self.directory / "scheduler.json").read_text())["address"]
        return address

    def start(self, program: str, *options: str, **environment: str) -> subprocess.Popen[bytes]:
        """A process of dask, ended with the test."""
        common = ["--scheduler-file", str(self.directory / "scheduler.json")]
        process = subprocess.Popen(
            [sys.executable, "-m", f"distributed.cli.dask_{program}", *common, *options],
            env={**os.environ, "PYTHONPATH": PATH, **environment},
            cwd=self.directory,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        self.stack.callback(process.wait)
        self.stack.callback(process.kill)
        return process

    def start_scheduler(self) -> subprocess.Popen[bytes]:
        """Its own process; the directory gets its address."""
        return self.start("scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard")

    def worker(self, name: str, **environment: str) -> subprocess.Popen[bytes]:
        """A worker that works in a directory of that name; nobody starts it again when it is killed."""
        place = str(self.directory / name)
        return self.start(
            "worker", "--no-nanny", "--no-dashboard", "--nthreads", "1", "--local-directory", place, **environment
        )


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Cluster]:
    directory = tmp_path / "cluster"
    directory.mkdir()
    with contextlib.ExitStack() as stack:
        found = Cluster(directory, stack)
        found.start_scheduler()
        until(lambda: is_written(directory / "scheduler.json"))
        yield found


def test_a_killed_worker_costs_time_and_nothing_else(place: Place, cluster: Cluster, machine: runs.Machine) -> None:
    first, second = cluster.worker("first"), cluster.worker("second")
    killed: list[Path] = []

    def kill(progress: SweepProgress) -> None:
        running = guests_below(cluster.directory / "first")
        if killed or progress.done < 2 or not running:  # then the next time: what waits here gives workers nothing
            return
        killed.extend(running)
        first.kill()
        first.wait()

    remote = place.sweep("remote", 12, cluster.address, kill)
    assert killed
    assert second.poll() is None
    until(lambda: not any(scratch._pids_of(home) for home in killed))
    local = place.sweep("local", 12)
    assert remote == local
    assert remote[3] == place.alone(machine, 3)
    assert len(set(local.values())) == 12


def test_a_worker_of_our_own_that_is_killed_is_replaced(place: Place) -> None:
    killed: list[Path] = []

    def kill(progress: SweepProgress) -> None:
        running = own_guests(os.getpid())
        if killed or progress.done < 1 or not running:
            return
        home, worker = running[0]
        os.kill(worker, signal.SIGKILL)
        until(lambda: not scratch._pids_of(home))
        killed.append(home)

    assert len(place.sweep("store", 8, on_progress=kill)) == 8
    assert killed


def own_guests(ancestor: int) -> list[tuple[Path, int]]:
    """Scratch directory and worker of each guest among the descendants of a process."""
    found = []
    for home in scratch.PARENT.glob(f"{scratch.PREFIX}*"):
        for pid in scratch._pids_of(home):
            with contextlib.suppress(OSError):
                worker = parent(pid)
                if not scratch._pids_of(home).count(worker) and ancestor in ancestors(worker):
                    found.append((home, worker))
    return found


def parent(pid: int) -> int:
    """The parent of a process."""
    return int((Path("/proc") / str(pid) / "stat").read_text().rpartition(")")[2].split()[1])


def ancestors(pid: int) -> list[int]:
    """The ancestors of a process."""
    found = []
    while pid > 1:
        pid = parent(pid)
        found.append(pid)
    return found


MANY = 500  # trials: more than a sweep can end before a busy machine has looked at it


PROGRAM = """
from pathlib import Path
from lab.experiments.run.store import TrialStore
from tests.system.test_experiments import Place
place = Place(Path({directory!r}))
place.run(place.experiment({trials}, {work!r}), TrialStore(place.directory / "store"), {scheduler!r})
"""


def start_sweep(place: Place, work: str = WORK, scheduler: str | None = None) -> subprocess.Popen[str]:
    """A sweep of many trials in a process and a session of its own, as from a terminal."""
    program = PROGRAM.format(trials=MANY, directory=str(place.directory), work=work, scheduler=scheduler)
    return subprocess.Popen(
        [sys.executable, "-c", program],
        env={**os.environ, "PYTHONPATH": PATH},
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def stored(directory: Path) -> int:
    return len([path for path in (directory / "store").rglob("*") if path.is_file() and path.name[0] != "."])


def descendants(ancestor: int) -> list[int]:
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with contextlib.suppress(OSError):
                if ancestor in ancestors(int(entry.name)):
                    found.append(int(entry.name))
    return found


def alive(pid: int) -> bool:
    with contextlib.suppress(OSError):
        return (Path("/proc") / str(pid) / "stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    return False


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_an_interrupted_sweep_leaves_nothing_running_and_continues(place: Place, number: signal.Signals) -> None:
    process = start_sweep(place)
    until(lambda: process.poll() is not None or (stored(place.directory) >= 2 and own_guests(process.pid)))
    assert process.poll() is None, process.communicate()[1]
    family = descendants(process.pid)
    if number == signal.SIGINT:
        os.killpg(process.pid, number)  # as a terminal does: workers get it too
    else:
        process.kill()
    _, reported = process.communicate(timeout=DEADLINE_S)
    until(lambda: not any(alive(pid) for pid in family))
    if number == signal.SIGINT:
        # ours; no worker's. The signal may come while another exception is handled, as pathlib does
        assert reported.count("Traceback") - reported.count("During handling of the above exception") == 1, reported
        assert reported.rstrip().endswith("KeyboardInterrupt")
    done = stored(place.directory)
    assert 2 <= done < MANY
    progress: list[SweepProgress] = []
    assert len(place.sweep("store", done + 2, on_progress=progress.append)) == done + 2
    assert progress[-1].cached >= 2
    assert progress[-1].cached in (done, done - 1, done - 2)  # seeds may have ended out of order


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_workers_elsewhere_stop_what_nobody_waits_for(place: Place, cluster: Cluster, number: signal.Signals) -> None:
    worker = cluster.worker("first")
    process = start_sweep(place, ENDLESS, cluster.address)
    until(lambda: process.poll() is not None or list((cluster.directory / "first").rglob("pulse")))
    assert process.poll() is None, process.communicate()[1]
    process.send_signal(number)
    process.communicate(timeout=DEADLINE_S)
    until(lambda: not guests_below(cluster.directory / "first"), STALL_S / 3)
    assert worker.poll() is None
    assert len(place.sweep("again", 2, cluster.address)) == 2  # it is there for the next one


def test_a_worker_that_is_another_lab_takes_no_work(place: Place, cluster: Cluster, tmp_path: Path) -> None:
    other = tmp_path / "other"
    shutil.copytree(Path(lab.__file__).parent, other / "lab", ignore=shutil.ignore_patterns("__pycache__"))
    for entry in CHECKOUT.iterdir():
        if entry.name not in ("lab", ".git"):
            (other / entry.name).symlink_to(entry)
    with (other / "lab" / "metrics" / "rtt.py").open("a") as file:
        file.write("ANOTHER = True\n")
    cluster.worker("first", PYTHONPATH=os.pathsep.join([str(other), PATH]))
    with pytest.raises(
        HostError,
        match=r"(?s)worker tcp://127\.0\.0\.1:\d+ on .* cannot run trials of this lab: its build differs.*code: ",
    ) as reported:
        place.sweep("store", 2, cluster.address)
    assert "kernel" not in str(reported.value).splitlines()[1]
    assert stored(place.directory) == 0


def test_a_scheduler_that_goes_ends_the_sweep_and_its_guests(place: Place, tmp_path: Path) -> None:
    directory = tmp_path / "cluster"
    directory.mkdir()
    with contextlib.ExitStack() as stack:
        cluster = Cluster(directory, stack)
        scheduler = cluster.start_scheduler()
        until(lambda: is_written(directory / "scheduler.json"))
        cluster.worker("first")

        def kill(progress: SweepProgress) -> None:
            if progress.done and scheduler.poll() is None and guests_below(directory / "first"):
                scheduler.kill()
                scheduler.wait()

        with pytest.raises(HostError, match="the connection to the scheduler was lost"):
            place.sweep("store", MANY, cluster.address, kill)
        until(lambda: not guests_below(directory / "first"))
    assert 1 <= stored(place.directory) < MANY


def test_a_scheduler_without_workers(place: Place, cluster: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lab.experiments.run.cluster.NO_WORKER_S", 0.0)
    with pytest.raises(HostError, match="the scheduler has had no worker for 0 s"):
        place.sweep("store", 1, cluster.address)


def test_a_failed_trial_leaves_its_directory_and_the_others_continue(place: Place) -> None:
    fails = WORK.replace("cat, /proc/sys/kernel/random/uuid]", "ls, /nowhere], required: true")
    (place.directory / "fails.yaml").write_text(fails)
    file = place.experiment(1)
    other = replace(file.points[0], number=1, workload=str(place.directory / "fails.yaml"))
    keep = place.directory / "failed"
    good, bad = place.run(replace(file, points=(*file.points, other)), TrialStore(place.directory / "store"))
    assert good.values["rtt"] is not None
    assert bad.error is not None
    assert bad.error.splitlines()[1:] == [
        f"  last lines of {keep}/point-1-seed-1/raw/drawn.err:",
        "    ls: cannot access '/nowhere': No such file or directory",
    ]
    assert bad.log == str(keep / "point-1-seed-1")
    assert {"console.log", "plan.json", "raw"} <= {path.name for path in Path(bad.log).iterdir()}
    assert bad.command.startswith("lab run ")
    assert stored(place.directory) == 1


def test_nobody_at_that_address(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lab.experiments.run.cluster.CONNECT_S", 0.5)
    with pytest.raises(HostError, match="no scheduler answers at tcp://127.0.0.1:9"):
        place.sweep("store", 1, "tcp://127.0.0.1:9")
