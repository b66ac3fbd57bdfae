# SPDX-License-Identifier: MIT
"""The loop of a session, in a thread of its own: a prompt waits for what is typed, and for commands in nodes.

Only this thread changes the guest. Others have it do so by ``call``. It has a root directory and a network namespace of
its own: entering those of a node (lab.guest.network.container) leaves the other threads where they are.
"""

from __future__ import annotations

import ctypes
import os
import signal
import threading
import traceback
from collections import deque
from collections.abc import Callable
from queue import SimpleQueue
from typing import Any, TypeVar

from lab.guest.errors import GuestError
from lab.guest.loop import Loop, now_ns

T = TypeVar("T")
_CLONE_FS = 0x200  # sched.h
_LONG_NS = 3_600_000_000_000  # it looks again then, with nothing to do
_libc = ctypes.CDLL(None, use_errno=True)


class LoopThread:
    """Runs a loop as long as the process lasts."""

    def __init__(self, loop: Loop) -> None:
        self._loop = loop
        self._orders: deque[Callable[[], None]] = deque()
        wake, self._wake = os.pipe()
        os.set_blocking(wake, False)
        loop.add_reader(wake, lambda: self._obey(wake))
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def call(self, action: Callable[[], T]) -> T:
        """Have the thread do something; return the result, or raise what it raised."""
        if threading.current_thread() is self._thread:
            return action()
        results: SimpleQueue[tuple[Any, BaseException | None]] = SimpleQueue()

        def order() -> None:
            try:
                results.put((action(), None))
            except BaseException as error:
                results.put((None, error))

        self._orders.append(order)
        os.write(self._wake, b".")
        result, error = results.get()
        if error is not None:
            raise error
        found: T = result
        return found

    def _run(self) -> None:
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})  # Ctrl-C is for the prompt
        try:
            if _libc.unshare(_CLONE_FS) != 0:
                raise GuestError(f"unshare: {os.strerror(ctypes.get_errno())}")
            while True:
                self._loop.step(now_ns() + _LONG_NS)
        except BaseException:
            traceback.print_exc()
            os._exit(1)  # or whoever waits for this thread would wait for ever

    def _obey(self, wake: int) -> None:
        """Do the next order: it may run the loop itself, which then comes here for the one after it."""
        os.read(wake, 1)
        self._orders.popleft()()
