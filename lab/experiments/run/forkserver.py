# SPDX-License-Identifier: MIT
"""The process that our workers are forked from: it has imported all that they need, so that each is there at once.

It is started before dask is imported here, which takes as long as it does there.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
from collections.abc import Iterator
from multiprocessing import forkserver, resource_tracker

from lab.checkout import PACKAGE

# lab.cli.main since every worker runs the script ``lab`` again, which imports it
_IMPORTED = ["distributed.nanny", "distributed.worker", "lab.cli.main", "lab.experiments.run.worker", "lab.record"]
_LOGGING = "DASK_LOGGING__DISTRIBUTED"  # dask's own variable, for who wants to see what it says
_QUIET = "critical"


def quiet() -> None:
    """Have dask say nothing on the terminal, unless the user asks for it. To be called before it is imported."""
    os.environ.setdefault(_LOGGING, _QUIET)


def is_quiet() -> bool:
    """Whether that is so."""
    return os.environ.get(_LOGGING) == _QUIET


def start() -> None:
    """Start the process, if it does not run yet.

    It is a Python of its own that would look for modules in the current directory first, where anything may be called
    ``lab``: it is to have this one. It never gets a SIGINT, nor do workers: Ctrl-C reaches every process of the
    terminal, and it is for ours to say what ends, and how.
    """
    quiet()
    paths = [str(PACKAGE.parent), *filter(None, [os.environ.get("PYTHONPATH")])]
    multiprocessing.set_forkserver_preload(_IMPORTED)
    with _environment({"PYTHONSAFEPATH": "1", "PYTHONPATH": os.pathsep.join(paths)}), _deaf():
        forkserver.ensure_running()


@contextlib.contextmanager
def _environment(changes: dict[str, str]) -> Iterator[None]:
    """Other variables for what is started meanwhile."""
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
    """What is started meanwhile never gets a SIGINT; one for us waits until the end."""
    resource_tracker.ensure_running()  # else started with the other, and it unblocks the signal
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
