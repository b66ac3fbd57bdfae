# SPDX-License-Identifier: MIT
"""Forks of a process that drives labs: they leave the guests alone, however they end.

What ends a guest and removes its files are context managers that are generators. At the end of a process, Python runs
what is left of those that are suspended: a fork that ends by ``SystemExit`` or an exception would end the guest of its
parent, and remove its files.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import weakref

_running: weakref.WeakSet[contextlib.ExitStack] = weakref.WeakSet()


def close_only_here(closing: contextlib.ExitStack) -> None:
    """Have the contexts of a stack closed by this process only, never by a fork of it."""
    _running.add(closing)


def _leak_contexts() -> None:
    """Hold the contexts forever in a fork, so that Python does not finish them; ``close()`` is not called."""
    for closing in _running:
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(closing))


os.register_at_fork(after_in_child=_leak_contexts)
