# SPDX-License-Identifier: MIT
"""The workers: dask.distributed, on this machine or those of a given scheduler.

This module imports dask, which takes half a second. It is not imported if all trials are stored, or if one job on this
machine runs them (lab.experiments.run.worker).
"""

from __future__ import annotations

import concurrent.futures
import contextlib
import logging
import os
import queue
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import dask

from lab.experiments.run import forkserver

# before importing distributed, which then configures its logging; hence imports below code
forkserver.quiet()
dask.config.refresh()

from distributed import Client, Future, LocalCluster  # noqa: E402
from distributed.client import ClosedClientError  # noqa: E402
from distributed.scheduler import KilledWorker  # noqa: E402

from lab import library  # noqa: E402
from lab.errors import HostError, LabError  # noqa: E402
from lab.experiments.run import worker  # noqa: E402
from lab.experiments.run.trials import Answer, Job, Lost  # noqa: E402
from lab.machine.scratch import scratch  # noqa: E402

CONNECT_S = 10.0
NO_WORKER_S = 60.0  # how long a sweep without workers waits for one
CLOSE_S = 5.0
COUNT_EVERY_S = 1.0  # how often to count workers
_AHEAD = 2  # trials per worker: one running, and one queued, so that the worker is never idle

_NOWHERE = "127.0.0.1:0"  # address of each process's HTTP server: only reachable from this machine
_SETTINGS = {
    "distributed.worker.multiprocessing-method": "forkserver",
    "distributed.worker.profile.enabled": False,  # it samples every worker's stack 100 times per second
    "distributed.scheduler.active-memory-manager.start": False,  # results are small, and fetched immediately
    # its monitoring, for a dashboard that nobody opens, takes 5 % of a core that guests need
    "distributed.admin.tick.interval": "1s",
    "distributed.admin.tick.limit": "30s",
    "distributed.admin.system-monitor.interval": "10s",
    "distributed.worker.memory.monitor-interval": "10s",
    "distributed.worker.daemon": True,
}


class Workers:
    """A scheduler and its workers, for one sweep. Always ``close`` them."""

    def __init__(self, jobs: int, scheduler: str | None) -> None:
        """Start ``jobs`` local workers, or connect to a scheduler (tcp://host:8786).

        Raises:
            HostError: If no scheduler answers at that address.
        """
        self._answers: queue.SimpleQueue[Future[Any]] = queue.SimpleQueue()
        self._futures: dict[Future[Any], Job] = {}
        self._bare_since_s: float | None = None
        self._counted_s, self._lanes = -COUNT_EVERY_S, 0
        self._closing = contextlib.ExitStack()
        self._closing.enter_context(dask.config.set(_SETTINGS))
        self._closing.enter_context(_quiet())
        try:
            self._client = self._closing.enter_context(_remote(scheduler) if scheduler else _local(jobs))
        except BaseException:
            self._closing.close()
            raise

    def room(self) -> int:
        """Return the number of trials to submit now, so that no worker is idle."""
        return max(1, _AHEAD * self.lanes()) - len(self._futures)

    def lanes(self) -> int:
        """Return the number of trials that run in parallel."""
        if time.monotonic() >= self._counted_s + COUNT_EVERY_S:
            self._counted_s = time.monotonic()
            with _connected():
                known = self._client.scheduler_info(n_workers=-1).get("workers")
            if known is None:  # what a client without a scheduler knows
                raise _lost()
            self._lanes = sum(int(entry["nthreads"]) for entry in known.values())
        return self._lanes

    def submit(self, job: Job) -> None:
        """Submit a trial. If its worker is killed, another one gets it."""
        name = f"lab-trial-{job.key}-{os.urandom(4).hex()}"  # unique to this sweep: others may use the same scheduler
        with _connected():
            folders = [str(folder) for folder in library.folders_with_code()]
            future = self._client.submit(worker.work, job.plan, job.hashes, folders, key=name, pure=False, retries=0)
        self._futures[future] = job
        future.add_done_callback(self._answers.put)

    def next(self, timeout_s: float) -> tuple[Job, Answer] | None:
        """Return the next finished trial and its result; None if none has finished since.

        Raises:
            LabError: If a worker cannot run trials at all, or all workers have gone.
        """
        try:
            future = self._answers.get(timeout=timeout_s)
        except queue.Empty:
            self._look()
            return None
        job = self._futures.pop(future)
        return job, answer_of(future)

    def _look(self) -> None:
        """Check that there is still a worker to wait for."""
        if self._client.status not in ("running", "connecting"):
            raise _lost()
        if self.lanes():
            self._bare_since_s = None
            return
        now_s = time.monotonic()
        self._bare_since_s = self._bare_since_s or now_s
        if now_s - self._bare_since_s > NO_WORKER_S:
            raise HostError(f"the scheduler has had no worker for {NO_WORKER_S:g} s", hint=f"{_START}; {_RESUME}")

    def close(self) -> None:
        """Cancel all trials, and end local workers. Running trials end their guests immediately."""
        if self._futures:
            with contextlib.suppress(Exception):  # the scheduler may have gone, and the workers with it
                self._client.cancel(list(self._futures), force=True)
        self._futures.clear()
        self._closing.close()


def answer_of(future: Future[Any]) -> Answer:
    """Return the result of a finished task.

    Raises:
        LabError: If the worker's machine cannot run trials, or its version of the lab differs.
    """
    if future.cancelled():  # by dask, after it has lost the scheduler
        raise _lost()
    error = future.exception()
    if error is None:
        answer: Answer = future.result()
        future.release()  # the worker can drop it
        return answer
    if isinstance(error, KilledWorker):
        last = error.last_worker.address
        return Lost(f"{error.allowed_failures + 1} workers were killed while they ran it, the last one {last}")
    if isinstance(error, LabError):
        raise error
    raise HostError(
        f"a worker cannot run trials: {type(error).__name__}: {error}",
        hint="the scheduler and every worker need this version of the lab and the versions in constraints.txt",
    )


_START = "start one: dask worker ADDRESS --nthreads 1"
_RESUME = "repeat the command to continue"


def _lost() -> HostError:
    return HostError("the connection to the scheduler was lost", hint=_RESUME)


@contextlib.contextmanager
def _connected() -> Iterator[None]:
    """Handle errors of calls to the scheduler."""
    try:
        yield
    except (OSError, TimeoutError, ClosedClientError):
        raise _lost() from None


@contextlib.contextmanager
def _local(jobs: int) -> Iterator[Client]:
    forkserver.start()
    with (
        scratch({}, Path(tempfile.gettempdir())) as place,
        # otherwise scheduler and workers make a directory in the temporary one, and leave it there
        dask.config.set({"temporary-directory": str(place)}),
        _cluster(jobs) as client,
    ):
        yield client


@contextlib.contextmanager
def _cluster(jobs: int) -> Iterator[Client]:
    with concurrent.futures.ThreadPoolExecutor(1) as starter:
        starting = starter.submit(_start_workers, jobs)
        try:
            cluster = starting.result()
        except KeyboardInterrupt:  # a partial cluster cannot be closed
            starting.result().close(timeout=CLOSE_S)
            raise
        except (OSError, RuntimeError) as error:
            raise HostError(f"cannot start {jobs} workers: {error}") from error
    try:
        with Client(cluster, set_as_default=False) as client:
            yield client
    finally:
        cluster.close(timeout=CLOSE_S)


def _start_workers(jobs: int) -> LocalCluster:
    return LocalCluster(
        n_workers=jobs,
        threads_per_worker=1,
        processes=True,
        host="127.0.0.1",
        dashboard_address=_NOWHERE,
        worker_dashboard_address=_NOWHERE,
        memory_limit=0,
        silence_logs=logging.CRITICAL if forkserver.is_quiet() else False,
    )


@contextlib.contextmanager
def _remote(address: str) -> Iterator[Client]:
    try:
        client = Client(address, timeout=CONNECT_S, set_as_default=False)
    except (OSError, ValueError, TimeoutError) as error:
        raise HostError(
            f"no scheduler answers at {address}: {error}", hint="start one: dask scheduler; it prints its address"
        ) from None
    with client:
        yield client


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Hide dask's output on the terminal: the lab reports what matters."""
    names = ("distributed", "tornado")
    before = [logging.getLogger(name).level for name in names]
    if forkserver.is_quiet():
        for name in names:
            logging.getLogger(name).setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        for name, level in zip(names, before, strict=True):
            logging.getLogger(name).setLevel(level)
