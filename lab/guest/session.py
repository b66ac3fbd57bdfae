# SPDX-License-Identifier: MIT
"""A session of ``lab shell``: its events, and what it asks the host.

The host knows the models of the radio, and has the files of the user (lab.runs.session). A question is a line to it.
While it answers, the whole guest stands still (lab.guest.host).
"""

from __future__ import annotations

import fcntl
import os
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from mininet.log import error

from lab.guest import commands
from lab.guest.errors import GuestError
from lab.guest.host import Host
from lab.guest.kinds import event_steps, keeps_output
from lab.guest.live import LiveGuest
from lab.guest.loop import now_ns
from lab.guest.medium import requests
from lab.guest.run_steps import capture_air
from lab.guest.steps import RunCommand
from lab.shared import types
from lab.shared.medium_types import MediumLink, MediumUpdate


class Session:
    """What has been done, and a way to do more."""

    def __init__(self, guest: LiveGuest, host: Host) -> None:
        self.done: list[tuple[int, str]] = []  # time in ns since the prompt, and the event as in a timeline
        self._guest = guest
        self._host = host
        self._follower: int | None = None  # process that moves nodes

    @contextmanager
    def exclusive_host(self) -> Iterator[Host]:
        """Lock the host for one exchange: neither another line nor Ctrl-C may come between a line and its answer."""
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        fcntl.lockf(self._host.file, fcntl.LOCK_EX)
        try:
            yield self._host
        finally:
            fcntl.lockf(self._host.file, fcntl.LOCK_UN)
            signal.pthread_sigmask(signal.SIG_SETMASK, before)

    def ask(self, what: str, **content: Any) -> dict[str, Any]:
        """Return the host's answer.

        Raises:
            GuestError: If the host refuses it; the message says why.
        """
        with self.exclusive_host() as host:
            host.send({"what": what, **content})
            found = host.ask() or {"refused": "the lab has ended"}
        if "refused" in found:
            raise GuestError(found["refused"])
        return found

    def note(self, written: str, at_ns: int | None = None) -> None:
        """Add an event that has been done; now, if no time is given."""
        self.done.append((self._guest.clock.elapsed_ns() if at_ns is None else at_ns, written))

    def start(self) -> None:
        """Start the nodes that move by themselves."""
        if self._guest.plan.medium is not None:
            self._follow(self._guest.plan.medium.updates)

    def fire(self, written: str) -> list[str]:
        """Do an event, written as in a timeline, without braces and time; return what it does, and what it prints.

        Raises:
            GuestError: If it has a mistake, or failed.
        """
        at_ns = self._guest.clock.elapsed_ns()
        answer = self.ask("event", at_ns=at_ns, written=written)
        plan = self._guest.plan
        lines: list[str] = answer["lines"]
        for event in (types.Event(**event) for event in answer["events"]):
            for step in event_steps(plan, event):
                printed = step.execute(self._guest)
                if printed and keeps_output(event.kind):
                    lines += printed.decode(errors="replace").splitlines()
        self._follow(_updates(answer))
        self.note(written, at_ns)
        return lines

    def _follow(self, updates: list[MediumUpdate]) -> None:
        """Change the levels at their times, in place of those of earlier moves.

        The prompt does not run the agent's loop, so another process does this.
        """
        if not updates:
            return
        if self._follower is not None:
            with self.exclusive_host():  # it may be asking
                os.kill(self._follower, signal.SIGKILL)
            os.waitpid(self._follower, 0)
            self._follower = None
        due_ns = self._guest.clock.elapsed_ns()
        for update in updates:
            if update.links and update.at_ns <= due_ns:
                self._guest.medium.send(requests.update(update))
        later = [update for update in updates if not update.links or update.at_ns > due_ns]
        if later:
            self._follower = os.fork()
            if self._follower == 0:
                self._move(later)

    def _move(self, updates: list[MediumUpdate]) -> None:
        """Follow moves to their end, and exit: this is the child. It asks for more when an update has no links."""
        from lab.guest.medium.medium import MediumControl

        try:
            signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C ends a command, not the move
            assert self._guest.plan.medium is not None  # there are updates
            medium = MediumControl(self._guest.plan.medium)  # its own socket
            while updates:
                update, *updates = updates
                time.sleep(max(0, self._guest.clock.start_ns + update.at_ns - now_ns()) / 1e9)
                if update.links:
                    medium.send(requests.update(update))
                else:
                    updates = _updates(self.ask("levels", since_ns=update.at_ns))
        except GuestError as failure:
            error(f"*** nodes no longer move: {failure.message}\n")
        finally:
            os._exit(0)

    def start_capture(self) -> None:
        """Capture the medium from now on.

        Raises:
            GuestError: If the network has no medium, or a capture runs already.
        """
        if self._guest.plan.medium is None:
            raise GuestError("there is no medium to capture; start the shell with --set medium={}")
        if self._guest.air is not None:
            raise GuestError("a capture runs already; pcap stop ends it")
        RunCommand(commands.air_up()).execute(self._guest)
        capture_air().execute(self._guest)

    def stop_capture(self) -> list[str]:
        """End the capture; return the host's files of it.

        Raises:
            GuestError: If no capture runs, or it lost frames.
        """
        air = self._guest.air
        if air is None:
            raise GuestError("no capture runs; pcap start begins one")
        self._guest.air = None
        air.finish()
        files: list[str] = self.ask("capture")["files"]
        return files

    def save(self, path: str) -> str:
        """Have the host write a topology with what has been done; return the line for the user.

        Raises:
            GuestError: If it cannot be written there, or nothing has been done.
        """
        line: str = self.ask("save", path=path, events=self.done, end_ns=self._guest.clock.elapsed_ns())["line"]
        return line


def _updates(answer: dict[str, Any]) -> list[MediumUpdate]:
    return [MediumUpdate(at_ns, [MediumLink(*link) for link in links]) for at_ns, links in answer["updates"]]
