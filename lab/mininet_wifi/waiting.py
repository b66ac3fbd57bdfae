# SPDX-License-Identifier: MIT
"""Loops of scripts that wait without sleeping: ``while time.time() < end`` and ``while process.poll() is None``.

Computation takes no virtual time, so such a loop would never end. Each look at the clock, at a process, at a node's
position is counted; if a hundred of them come within a millisecond, a millisecond passes, and then again after every
ten, until the script waits by itself. Not found: a loop that looks only at a variable.
"""

from __future__ import annotations

import datetime as dates
import os
import subprocess
import threading
import time
from collections.abc import Callable
from typing import Any

_LOOKS, _MORE_LOOKS = 100, 10
_STEP_NS = 1_000_000
_CLOCKS = ("time", "time_ns", "monotonic", "monotonic_ns", "perf_counter", "perf_counter_ns", "clock_gettime")
_sleep, _uptime_ns = time.sleep, time.monotonic_ns


class Looks:
    """Looks of a script since virtual time has last passed."""

    def __init__(self) -> None:
        """Begin with none."""
        self.counts = False  # in real time, nothing has to be done
        self._left = _LOOKS
        self._since_ns = 0

    def add(self) -> None:
        """Count a look; the last of many waits."""
        if not self.counts:
            return
        self._left -= 1
        if self._left > 0:
            return
        waits = _uptime_ns() - self._since_ns < _STEP_NS
        if waits:
            _sleep(_STEP_NS / 1e9)
        self._left, self._since_ns = _MORE_LOOKS if waits else _LOOKS, _uptime_ns()


_looks = Looks()
looked = _looks.add


def count_looks() -> None:
    """Count the looks of everything that is imported from now on."""
    _looks.counts = True
    for name in _CLOCKS:
        setattr(time, name, _counted(getattr(time, name)))
    for cls, name, waits in (
        (subprocess.Popen, "poll", lambda found: found is None),
        (threading.Thread, "is_alive", bool),
        (threading.Event, "is_set", lambda found: not found),
        (os.path, "exists", lambda found: not found),
    ):
        setattr(cls, name, _counted(getattr(cls, name), waits))
    dates.datetime = _Datetime  # type: ignore[misc]


def _counted(call: Callable[..., Any], waits: Callable[[Any], bool] = lambda _: True) -> Callable[..., Any]:
    def counted(*args: Any, **kwargs: Any) -> Any:
        found = call(*args, **kwargs)
        if waits(found):
            looked()
        return found

    counted.__name__ = call.__name__
    return counted


class _Datetime(dates.datetime):
    """``datetime``, whose clock counts, too."""

    @classmethod
    def now(cls, tz: dates.tzinfo | None = None) -> _Datetime:
        looked()
        return super().now(tz)


_Datetime.__name__ = _Datetime.__qualname__ = "datetime"
