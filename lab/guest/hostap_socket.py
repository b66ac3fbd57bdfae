# SPDX-License-Identifier: MIT
"""The control sockets of hostapd and wpa_supplicant: commands, and events stamped with virtual time.

Protocol: a datagram holds a command, another one the answer; after ATTACH, events arrive as
``<level>text`` (hostap's wpa_ctrl.h). Both ends are sockets in the node's file system. The daemon answers to the
path that the client is bound to, as seen in its own mount namespace. A relative path, bound while the agent's working
directory is the node's root, is the same file for both, since the daemon's working directory is its root.
"""

from __future__ import annotations

import os
import re
import socket
from collections.abc import Callable
from functools import partial
from pathlib import Path

from lab.guest.errors import GuestError
from lab.guest.loop import Loop, Timer, now_ns
from lab.guest.tasks import Task

ANSWER_TIMEOUT_NS = 5_000_000_000
_ASSOCIATION = re.compile(r"CTRL-EVENT-(?:CONNECTED - Connection to (?P<bssid>[0-9a-f:]{17})|DISCONNECTED)")


def _is_event(text: str) -> bool:
    """Check whether a datagram is an event: ``<level>text``."""
    return text[:1] == "<" and text[1:2].isdigit() and text[2:3] == ">"


class Control:
    """A connection to one daemon. ``events`` holds (uptime ns, text) of all events so far."""

    _count = 0

    def __init__(self, loop: Loop, root: Path, path: str, task: Task) -> None:
        """Connect to socket ``path`` of daemon ``task``, in the node whose file system is seen at ``root``."""
        self.events: list[tuple[int, str]] = []
        self.task = task
        self._loop = loop
        self._answers: list[str] = []
        self._asking = False
        self._held: list[Callable[[], None]] = []  # calls of listeners, which must not ask while an answer is awaited
        self.handoff: object = None  # the latest one of its station
        self._listeners: list[Callable[[int, str], None]] = []
        self._path = root / path.lstrip("/")
        self._reading = True
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        Control._count += 1
        before = Path.cwd()
        os.chdir(root)
        try:
            self._socket.bind(f"run/lab-control-{Control._count}")
            self._socket.connect(path.lstrip("/"))
        except OSError as error:
            raise GuestError(f"{task.name}: no control socket {path}: {error.strerror}", task.name, task.logs) from None
        finally:
            os.chdir(before)
        self._socket.setblocking(False)
        loop.add_reader(self._socket.fileno(), self._read)
        if self.request("ATTACH").strip() != "OK":
            raise GuestError(f"{task.name} refused to send events", task.name, task.logs)

    def close(self) -> None:
        """Receive nothing more, and remove the daemon's socket: it has ended."""
        self._stop_reading()
        self._socket.close()
        self._path.unlink(missing_ok=True)

    def _stop_reading(self) -> None:
        if self._reading:
            self._reading = False
            self._loop.remove_reader(self._socket.fileno())

    def follow(self, earlier: Control) -> None:
        """Take over the events and the listeners of the connection to the same daemon before it was restarted."""
        self.events[:0] = earlier.events
        self._listeners += earlier._listeners

    def listen(self, callback: Callable[[int, str], None]) -> None:
        """Call ``callback(uptime_ns, text)`` for every later event."""
        self._listeners.append(callback)

    def forget(self, callback: Callable[[int, str], None]) -> None:
        """Undo ``listen``; do nothing if it does not listen."""
        if callback in self._listeners:
            self._listeners.remove(callback)

    def _read(self) -> None:
        while True:
            try:
                text = self._socket.recv(65536).decode(errors="replace")
            except BlockingIOError:
                return
            except OSError:  # the daemon has ended; its task reports that
                self._stop_reading()
                return
            if not _is_event(text):
                self._answers.append(text)
                continue
            stamp = now_ns()
            self.events.append((stamp, text))
            for listener in tuple(self._listeners):
                self.when_free(partial(listener, stamp, text))

    def call_later(self, delay_ns: int, callback: Callable[[], None]) -> Timer:
        """Call after that time when no answer is awaited, unless the daemon has ended by then."""

        def call() -> None:
            if self._reading and not timer.cancelled:
                callback()

        timer = self._loop.call_at(now_ns() + delay_ns, lambda: self.when_free(call))
        return timer

    def when_free(self, call: Callable[[], None]) -> None:
        """Call now, or once no answer is awaited any more: ``call`` may make a request."""
        if self._asking:
            self._held.append(call)
        else:
            call()

    def request(self, command: str) -> str:
        """Send a command and wait for its answer. Listeners hear of events that come meanwhile afterwards."""
        self._asking = True
        try:
            return self._ask(command)
        finally:
            self._asking = False
            if self._held:
                self._loop.call_at(now_ns(), self._call_held)

    def _call_held(self) -> None:
        if self._asking:  # another request began before the loop came here; its end calls them
            return
        held, self._held = self._held, []
        for call in held:
            call()

    def _ask(self, command: str) -> str:
        self._answers.clear()
        try:
            self._socket.send(command.encode())
        except OSError as error:
            raise GuestError(f"{self.task.name} rejects '{command}': {error.strerror}", self.task.name) from None
        self._loop.wait_for(
            lambda: bool(self._answers),
            ANSWER_TIMEOUT_NS,
            f"{self.task.name}'s answer to '{command}'",
            culprit=self.task.name,
            logs=self.task.logs,
        )
        return self._answers.pop(0)

    def seen(self, text: str, since_ns: int = 0) -> bool:
        """Check whether an event with ``text`` in it came at or after ``since_ns``."""
        return any(stamp >= since_ns and text in event for stamp, event in self.events)

    def peer(self, at_ns: int) -> str | None:
        """Return the BSSID with which the node's wpa_supplicant was associated at that uptime, if it was."""
        found = [match for stamp, event in self.events if stamp <= at_ns and (match := _ASSOCIATION.search(event))]
        return found[-1]["bssid"] if found else None

    def last(self) -> str:
        """Return the latest event, for messages."""
        return self.events[-1][1] if self.events else "no event"
