# SPDX-License-Identifier: MIT
"""The pool, with jobs that boot nothing: what is handed over, what a failure ends."""

from __future__ import annotations

import threading
from collections.abc import Callable

import pytest

from lab.errors import RunError
from lab.runs.pool import CancelledError, Pool, Threads

DEADLINE_S = 60.0
RaiseIfCancelled = Callable[[], None]


def run(items: list[int], count: int, work: Callable[[int, RaiseIfCancelled], int]) -> dict[int, int]:
    """Do all jobs with so many threads; the answers by job."""
    answers: dict[int, int] = {}
    Pool[int, int, int](
        items, begin=lambda item: item, ended=answers.__setitem__, start=lambda: Threads(count, work)
    ).run()
    return answers


def test_each_job_has_its_answer() -> None:
    assert run([3, 1, 2], 2, lambda job, raise_if_cancelled: 10 * job) == {1: 10, 2: 20, 3: 30}


def test_as_many_side_by_side_as_there_are_threads() -> None:
    together = threading.Barrier(2)
    lock = threading.Lock()
    running, most = 0, 0

    def work(job: int, raise_if_cancelled: RaiseIfCancelled) -> int:
        nonlocal running, most
        with lock:
            running += 1
            most = max(most, running)
        together.wait(DEADLINE_S)  # comes to an end only if two are here
        with lock:
            running -= 1
        return job

    assert len(run(list(range(6)), 2, work)) == 6
    assert most == 2


def test_the_first_failure_ends_the_others_and_comes_out() -> None:
    ended: list[str] = []
    begun = threading.Event()

    def work(job: int, raise_if_cancelled: RaiseIfCancelled) -> int:
        if job == 1:
            assert begun.wait(DEADLINE_S)
            raise RunError("it failed")
        begun.set()
        try:
            while True:
                raise_if_cancelled()
        except CancelledError:
            ended.append("cancelled")
            raise

    with pytest.raises(RunError, match="it failed"):
        run([0, 1, 2], 2, work)
    assert ended == ["cancelled"]


def test_an_interrupt_ends_all() -> None:
    ended: list[int] = []

    def work(job: int, raise_if_cancelled: RaiseIfCancelled) -> int:
        try:
            while True:
                raise_if_cancelled()
        finally:
            ended.append(job)

    def interrupt() -> None:
        if not ended:
            raise KeyboardInterrupt

    pool = Pool[int, int, int](
        [0, 1], begin=lambda item: item, ended=lambda job, answer: None, start=lambda: Threads(2, work), tick=interrupt
    )
    with pytest.raises(KeyboardInterrupt):
        pool.run()
    assert sorted(ended) == [0, 1]


def test_items_without_a_job_start_no_workers() -> None:
    def start() -> Threads[int, int]:
        raise AssertionError("there is nothing to do")

    Pool[int, int, int]([1, 2], begin=lambda item: None, ended=lambda job, answer: None, start=start).run()


def test_what_an_answer_asks_for_is_done_too() -> None:
    answers: list[int] = []

    def ended(job: int, answer: int) -> None:
        answers.append(answer)
        if job < 3:
            pool.waiting.append(job + 1)

    pool = Pool[int, int, int](
        [0], begin=lambda item: item, ended=ended, start=lambda: Threads(1, lambda job, raise_if_cancelled: job)
    )
    pool.run()
    assert answers == [0, 1, 2, 3]
