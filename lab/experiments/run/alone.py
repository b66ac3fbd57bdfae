# SPDX-License-Identifier: MIT
"""One trial at a time, in this process: without dask, whose import and processes take longer than a short trial."""

from __future__ import annotations

import platform
import tempfile
from collections.abc import Callable
from pathlib import Path

from lab.experiments.run import worker
from lab.experiments.run.answers import Answer
from lab.experiments.run.trials import Job
from lab.runs.pool import CancelledError, Threads


class Alone(Threads[Job, Answer]):
    """The worker of a sweep with one job on this machine. Always ``close`` it."""

    def __init__(self) -> None:
        super().__init__(1, _work)


def _work(job: Job, heed: Callable[[], None]) -> Answer:
    def unwanted() -> bool:
        try:
            heed()
        except CancelledError:
            return True
        return False

    return worker.perform(job.plan, job.hashes, platform.node(), Path(tempfile.gettempdir()), unwanted)
