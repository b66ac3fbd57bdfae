# SPDX-License-Identifier: MIT
"""Runs many plans, as many in parallel as there are workers: repetitions of ``lab run``, trials of experiments.

    waiting items -> begin -> a job, or none -> a worker -> its answer -> ended

Items become jobs as workers become free, so the first guest boots before the last plan is made.
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
from lab.machine.watch import RunProgress
from lab.runs.run import Meanwhile, run_plan
from lab.shared.types import Plan

if TYPE_CHECKING:
    from lab.record import Record

TICK_S = 0.5  # between updates of the display while no job ends

Item = TypeVar("Item")
Job = TypeVar("Job")
Answer = TypeVar("Answer")
Done = TypeVar("Done", covariant=True)  # an answer


class JobWorkers(Protocol[Job, Done]):
    """What runs jobs: ``Threads`` here, or lab.experiments.run.cluster."""

    def room(self) -> int:
        """Return the number of jobs to submit now."""

    def lanes(self) -> int:
        """Return the number of jobs that run in parallel."""

    def submit(self, job: Job) -> None:
        """Submit a job."""

    def next(self, timeout_s: float) -> tuple[Job, Done] | None:
        """Return a finished job and its result, or None if no job has finished. An exception of it ends all jobs."""

    def close(self) -> None:
        """End all running jobs."""


class Pool(Generic[Item, Job, Answer]):
    """Submits jobs to workers as they become free, and passes on their results."""

    def __init__(
        self,
        waiting: Iterable[Item],
        *,
        begin: Callable[[Item], Job | None],
        ended: Callable[[Job, Answer], None],
        start: Callable[[], JobWorkers[Job, Answer]],
        tick: Callable[[], None] = lambda: None,
    ) -> None:
        """Prepare it.

        Args:
            waiting: items to process; ``ended`` may add to it.
            begin: turns an item into a job, or None if there is nothing to do for it.
            ended: called with each finished job.
            start: returns the workers; called with the first job.
            tick: called regularly, and in any case at the end.
        """
        self.waiting = deque(waiting)
        self.workers: JobWorkers[Job, Answer] | None = None
        self._running = 0
        self._begin, self._ended, self._start, self._tick = begin, ended, start, tick

    def run(self) -> None:
        """Process all items. An exception ends the workers and is raised again."""
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
        assert self.workers is not None  # otherwise no job exists
        found = self.workers.next(TICK_S)
        if found is not None:
            self._running -= 1
            self._ended(*found)


class CancelledError(LabError):
    """Another run of the same command failed, or the user interrupted."""

    def __init__(self) -> None:
        super().__init__("ended because another run failed")


class Threads(Generic[Job, Answer]):
    """Workers of this process: one thread per job, ``count`` in parallel. ``next`` raises the first failure."""

    def __init__(self, count: int, work: Callable[[Job, Callable[[], None]], Answer]) -> None:
        """Take what runs a job. It often calls its second argument, which raises once the job is cancelled."""
        self._count = count
        self._work = work
        self._handed_over = 0
        self._stop = threading.Event()
        self._done: queue.SimpleQueue[Callable[[], tuple[Job, Answer]]] = queue.SimpleQueue()
        self._threads: list[threading.Thread] = []

    def room(self) -> int:
        """Return the number of idle threads; 0 while the result of a finished job, maybe a failure, is unread."""
        return self._count - self._handed_over

    def lanes(self) -> int:
        """Return the number of threads."""
        return self._count

    def submit(self, job: Job) -> None:
        """Start a thread for a job."""
        self._handed_over += 1
        thread = threading.Thread(target=self._do, args=(job,))
        self._threads.append(thread)
        thread.start()

    def _do(self, job: Job) -> None:
        try:
            answer = self._work(job, self._raise_if_cancelled)
        except BaseException as error:  # raised by ``next``
            self._done.put(partial(_raise, error))
        else:
            self._done.put(lambda: (job, answer))

    def _raise_if_cancelled(self) -> None:
        if self._stop.is_set():
            raise CancelledError

    def next(self, timeout_s: float) -> tuple[Job, Answer] | None:
        """Return the next finished job; raise the exception of one that failed."""
        try:
            done = self._done.get(timeout=timeout_s)
        except queue.Empty:
            return None
        self._handed_over -= 1
        return done()

    def close(self) -> None:
        """Cancel all jobs that still run, and wait for their end."""
        self._stop.set()
        for thread in self._threads:
            thread.join()


def _raise(error: BaseException) -> NoReturn:
    raise error


def run_all(
    plans: Iterable[tuple[Plan, Path]],
    machine: Machine,
    jobs: int,
    on_progress: Callable[[int, RunProgress], None],
    meanwhile: Meanwhile = lambda: None,
    timeout_s: float | None = None,
) -> list[Record]:
    """Run several plans, each in its directory, ``jobs`` guests in parallel; return records in their order.

    ``on_progress`` is called with the number of the plan. The first failure ends the others; its error has the
    directory of the run. For ``meanwhile`` and ``timeout_s``, see ``run_plan``.
    """
    work = list(plans)
    records: dict[int, Record] = {}

    def one(number: int, raise_if_cancelled: Callable[[], None]) -> Record:
        def look(progress: RunProgress) -> None:
            raise_if_cancelled()
            on_progress(number, progress)

        plan, directory = work[number]
        try:
            return run_plan(plan, machine, directory, look, meanwhile=meanwhile, timeout_s=timeout_s)
        except LabError as error:
            error.directory = directory
            raise

    Pool[int, int, "Record"](
        range(len(work)),
        begin=lambda number: number,
        ended=records.__setitem__,
        start=lambda: Threads(jobs, one),
    ).run()
    return [records[number] for number in range(len(work))]
