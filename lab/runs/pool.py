# SPDX-License-Identifier: MIT
"""Runs many plans, as many side by side as there are workers: repetitions of ``lab run``, trials of experiments.

    waiting items -> begin -> a job, or none -> a worker -> its answer -> ended

Items become jobs as workers get free, so the first guest boots before the last plan is made.
"""

from __future__ import annotations

import queue
import threading
from collections import deque
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Generic, NoReturn, Protocol, TypeVar

from lab.errors import LabError
from lab.machine.machine import Machine
from lab.machine.watch import Progress
from lab.runs.run import Meanwhile, run_plan
from lab.shared.types import Plan

if TYPE_CHECKING:
    from lab.record import Record

TICK_S = 0.5  # of what is shown while no job ends

Item = TypeVar("Item")
Job = TypeVar("Job")
Answer = TypeVar("Answer")
Done = TypeVar("Done", covariant=True)  # an answer


class Workers(Protocol[Job, Done]):
    """Who does jobs: ``Threads`` here, or lab.experiments.run.cluster."""

    def room(self) -> int:
        """How many more jobs to hand over."""

    def lanes(self) -> int:
        """How many jobs are done side by side."""

    def submit(self, job: Job) -> None:
        """Hand a job over."""

    def next(self, timeout_s: float) -> tuple[Job, Done] | None:
        """A job that is done, and what came of it; None: none is, so far. What it raises ends all."""

    def close(self) -> None:
        """End all that is being done."""


class Pool(Generic[Item, Job, Answer]):
    """Hands jobs to workers as they get free, and passes on what came of each."""

    def __init__(
        self,
        waiting: Iterable[Item],
        *,
        begin: Callable[[Item], Job | None],
        ended: Callable[[Job, Answer], None],
        start: Callable[[], Workers[Job, Answer]],
        tick: Callable[[], None] = lambda: None,
    ) -> None:
        """Prepare it.

        Args:
            waiting: what is to be done; ``ended`` may add to it.
            begin: makes a job of an item; None: there is nothing to do for it.
            ended: called with each job that is done.
            start: gives the workers; called with the first job.
            tick: called every now and then, and at the end, however it comes.
        """
        self.waiting = deque(waiting)
        self.workers: Workers[Job, Answer] | None = None
        self._running = 0
        self._begin, self._ended, self._start, self._tick = begin, ended, start, tick

    def run(self) -> None:
        """Do all of it. What anything raises ends the workers, and comes out."""
        try:
            while self.waiting or self._running:
                while self.waiting and (self.workers is None or self.workers.room() > 0):
                    self._hand_over(self.waiting.popleft())
                if self._running:
                    self._collect()
                self._tick()
        finally:
            if self.workers is not None:
                self.workers.close()
                self.workers = None
            self._tick()

    def _hand_over(self, item: Item) -> None:
        job = self._begin(item)
        if job is None:
            return
        if self.workers is None:
            self.workers = self._start()
        self.workers.submit(job)
        self._running += 1

    def _collect(self) -> None:
        assert self.workers is not None  # else nothing is being done
        found = self.workers.next(TICK_S)
        if found is not None:
            self._running -= 1
            self._ended(*found)


class CancelledError(LabError):
    """Another run of the same command failed, or the user interrupted."""

    def __init__(self) -> None:
        super().__init__("ended because another run failed")


class Threads(Generic[Job, Answer]):
    """Workers of this process: one thread a job, ``count`` side by side. The first failure is raised by ``next``."""

    def __init__(self, count: int, work: Callable[[Job, Callable[[], None]], Answer]) -> None:
        """``work`` does a job. It calls the function that it is given often: that raises once nobody wants the job."""
        self._count = count
        self._work = work
        self._handed_over = 0
        self._stop = threading.Event()
        self._done: queue.SimpleQueue[Callable[[], tuple[Job, Answer]]] = queue.SimpleQueue()
        self._threads: list[threading.Thread] = []

    def room(self) -> int:
        """Threads that have nothing to do: none begins while a job that has ended, perhaps badly, is not looked at."""
        return self._count - self._handed_over

    def lanes(self) -> int:
        """All threads."""
        return self._count

    def submit(self, job: Job) -> None:
        """Start it."""
        self._handed_over += 1
        thread = threading.Thread(target=self._do, args=(job,))
        self._threads.append(thread)
        thread.start()

    def _do(self, job: Job) -> None:
        try:
            answer = self._work(job, self._heed)
        except BaseException as error:  # raised where somebody waits
            self._done.put(partial(_raise, error))
        else:
            self._done.put(lambda: (job, answer))

    def _heed(self) -> None:
        if self._stop.is_set():
            raise CancelledError

    def next(self, timeout_s: float) -> tuple[Job, Answer] | None:
        """The next job that is done. Raises what a job raised."""
        try:
            done = self._done.get(timeout=timeout_s)
        except queue.Empty:
            return None
        self._handed_over -= 1
        return done()

    def close(self) -> None:
        """Cancel what still runs, and wait for its end."""
        self._stop.set()
        for thread in self._threads:
            thread.join()


def _raise(error: BaseException) -> NoReturn:
    raise error


def run_all(
    plans: Iterable[tuple[Plan, Path]],
    machine: Machine,
    jobs: int,
    on_progress: Callable[[int, Progress], None],
    meanwhile: Meanwhile = lambda: None,
) -> list[Record]:
    """Run several plans, each in its directory, ``jobs`` guests side by side; records in the order of the plans.

    ``on_progress`` is called with the number of the plan. The first failure ends the others.
    """
    work = list(plans)
    records: dict[int, Record] = {}

    def one(number: int, heed: Callable[[], None]) -> Record:
        def look(progress: Progress) -> None:
            heed()
            on_progress(number, progress)

        plan, directory = work[number]
        return run_plan(plan, machine, directory, look, meanwhile=meanwhile)

    Pool[int, int, "Record"](
        range(len(work)),
        begin=lambda number: number,
        ended=records.__setitem__,
        start=lambda: Threads(jobs, one),
    ).run()
    return [records[number] for number in range(len(work))]
