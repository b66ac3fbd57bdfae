# SPDX-License-Identifier: MIT
"""The process that local workers are forked from: it has imported all modules that they need, so they start quickly.

It starts before dask is imported here, so that both imports run in parallel.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
from collections.abc import Iterator
from multiprocessing import forkserver, resource_tracker

from lab.checkout import PACKAGE

# lab.cli.entry, since every worker runs the script ``lab`` again, which imports it
_IMPORTED = ["distributed.nanny", "distributed.worker", "lab.cli.entry", "lab.experiments.run.worker", "lab.record"]
_LOGGING = "DASK_LOGGING__DISTRIBUTED"  # dask's own variable, for users who want to see its output
_QUIET = "critical"


def quiet() -> None:
    """Silence dask on the terminal, unless the user asks for its output. Call this before importing dask."""
    os.environ.setdefault(_LOGGING, _QUIET)


def is_quiet() -> bool:
    """Return whether dask is silent."""
    return os.environ.get(_LOGGING) == _QUIET


def start() -> None:
    """Start the process, if it does not run yet.

    It is a separate Python process, which would search modules in the current directory first, where anything may be
    called ``lab``: so its path has this lab. It never receives SIGINT, nor do workers: Ctrl-C reaches every process of
    the terminal, but this process decides what ends, and how.
    """
    quiet()
    paths = [str(PACKAGE.parent), *filter(None, [os.environ.get("PYTHONPATH")])]
    multiprocessing.set_forkserver_preload(_IMPORTED)
    with _environment({"PYTHONSAFEPATH": "1", "PYTHONPATH": os.pathsep.join(paths)}), _deaf():
        forkserver.ensure_running()


@contextlib.contextmanager
def _environment(changes: dict[str, str]) -> Iterator[None]:
    before = {name: os.environ.get(name) for name in changes}
    os.environ.update(changes)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


@contextlib.contextmanager
def _deaf() -> Iterator[None]:
    """Block SIGINT for child processes started in the context; ours arrives at its end."""
    resource_tracker.ensure_running()  # otherwise the other process starts it, and it unblocks the signal
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
