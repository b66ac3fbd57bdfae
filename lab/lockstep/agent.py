# SPDX-License-Identifier: MIT
"""The agent of a guest that is driven: requests to lab.guest.lockstep and their answers."""

from __future__ import annotations

import contextlib
import json
import threading
from collections.abc import Iterator
from typing import Any

from lab.errors import RunError
from lab.lockstep.errors import CallError
from lab.machine.channel import Channel
from lab.machine.guest import Guest
from lab.machine.watch import POLL_S, WallTimes
from lab.runs.limits import Limits

__tracebackhide__ = True  # pytest shows the line of the caller


class Agent:
    """Asks the agent, and watches the guest while it works. ``now_ns`` is the time of the timeline."""

    def __init__(self, guest: Guest, channel: Channel, limits: Limits) -> None:
        self.now_ns = 0
        self._guest = guest
        self._channel = channel
        self._limits = limits
        self.shared = False  # with the thread of forwarded ports
        self._lock = threading.RLock()

    def await_timeline(self) -> None:
        """Wait until the network is up and the timeline begins.

        Raises:
            RunError: If it did not come up.
        """
        self._answer()

    def ask(self, do: str, **parameters: Any) -> dict[str, Any]:
        """Have a request done; return its answer.

        Raises:
            CallError: If it cannot be done.
            RunError: If the run failed meanwhile, and has ended.
        """
        with self.alone():
            self._guest.watch.resume()
            self._send(do, parameters)
            return self._answer()

    @contextlib.contextmanager
    def alone(self) -> Iterator[None]:
        """Keep other threads from asking; wait for that of forwarded ports.

        Raises:
            CallError: If another thread of the caller's asks.
        """
        if not self._lock.acquire(blocking=self.shared):
            raise CallError(
                "another thread waits for this lab; let one thread use it, since virtual time continues in each call"
            )
        try:
            yield
        finally:
            self._lock.release()

    def end(self, do: str) -> WallTimes:
        """Have the run end, and wait until the guest is off; ``do``: "finish" or "end".

        Raises:
            RunError: If it has failed.
        """
        self._guest.watch.resume()
        self._send(do, {})
        walls = self._guest.follow(self._limits.look)
        self._limits.judge()
        return walls

    def _send(self, do: str, parameters: dict[str, Any]) -> None:
        with contextlib.suppress(BrokenPipeError):  # it has ended: the answer says so
            self._channel.send(json.dumps({"do": do, **parameters}))

    def _answer(self) -> dict[str, Any]:
        while True:
            try:
                line = self._channel.receive(POLL_S)
            except EOFError:
                break
            if line is not None:
                return self._read(line)
            self._limits.look(self._guest.watch.look())
        self._guest.follow(self._limits.look)  # it says why
        raise RunError("the guest ended before its program asked it to")

    def _read(self, line: str) -> dict[str, Any]:
        answer: dict[str, Any] = json.loads(line)
        self.now_ns = answer["at_ns"]
        if "refused" in answer:
            raise CallError(answer["refused"])
        return answer
