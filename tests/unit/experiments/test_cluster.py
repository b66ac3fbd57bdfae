# SPDX-License-Identifier: MIT
"""What the end of a task means."""

from __future__ import annotations

import tempfile
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from distributed.scheduler import KilledWorker

from lab.errors import HostError
from lab.experiments.run.cluster import Workers, answer_of
from lab.experiments.run.trials import Lost


class Task:
    """A task that is done."""

    def __init__(self, found: Any) -> None:
        self._found = found
        self.released = False

    def cancelled(self) -> bool:
        return self._found is None

    def exception(self) -> BaseException | None:
        return self._found if isinstance(self._found, BaseException) else None

    def result(self) -> Any:
        return self._found

    def release(self) -> None:
        self.released = True


def test_an_answer_is_handed_on_and_forgotten() -> None:
    task = Task(Lost("as it is"))
    assert answer_of(task) == Lost("as it is")  # type: ignore[arg-type]
    assert task.released


def test_a_trial_that_killed_all_its_workers_is_lost() -> None:
    last: Any = SimpleNamespace(address="tcp://10.0.0.2:4711")
    found = answer_of(Task(KilledWorker("trial", last, 3)))  # type: ignore[arg-type]
    assert found == Lost("4 workers were killed while they ran it, the last one tcp://10.0.0.2:4711")


def test_what_a_machine_lacks_is_reported() -> None:
    with pytest.raises(HostError, match="no /dev/shm"):
        answer_of(Task(HostError("no /dev/shm")))  # type: ignore[arg-type]


def test_a_worker_without_the_lab_is_reported() -> None:
    with pytest.raises(HostError, match="a worker cannot run trials: ModuleNotFoundError: No module named 'lab'"):
        answer_of(Task(ModuleNotFoundError("No module named 'lab'")))  # type: ignore[arg-type]


def test_a_task_that_dask_gave_up_means_that_the_scheduler_has_gone() -> None:
    with pytest.raises(HostError, match="the connection to the scheduler was lost"):
        answer_of(Task(None))  # type: ignore[arg-type]


def test_workers_of_our_own_leave_nothing_in_the_temporary_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    workers = Workers(1, None)
    assert workers.lanes() == 1 and list(tmp_path.iterdir())
    workers.close()
    # of Python's multiprocessing, which removes it when this process ends
    assert [path for path in tmp_path.iterdir() if not path.name.startswith("pymp-")] == []
