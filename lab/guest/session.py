# SPDX-License-Identifier: MIT
"""A session: its events, its timeline, and what it asks the host.

The host knows the models of the radio, and has the files of the user (lab.runs.session). A question is a line to it.
While it answers, the whole guest stands still (lab.guest.host). Times are those of the timeline (lab.guest.player).
"""

from __future__ import annotations

import math
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from queue import SimpleQueue
from typing import Any, TypeVar

from mininet.log import output

from lab.guest import commands
from lab.guest.errors import GuestError
from lab.guest.host import Host
from lab.guest.kinds import event_steps, keeps_output
from lab.guest.live import LiveGuest
from lab.guest.loop_thread import LoopThread
from lab.guest.medium import requests
from lab.guest.player import DueAction, Player
from lab.guest.run_steps import capture_air
from lab.guest.steps import RunCommand
from lab.shared import types
from lab.shared.medium_types import MediumLink, MediumUpdate
from lab.shared.mobility_types import Waypoint
from lab.shared.positions import position_at

T = TypeVar("T")


class Session:
    """What has been done, what is to come, and a way to do more. ``start`` it once the network is up."""

    player: Player

    def __init__(self, guest: LiveGuest, host: Host) -> None:
        self.done: list[tuple[int, str]] = []  # time in ns, and what was done then
        self.written: list[tuple[int, str]] = []  # of these, events as in a timeline that the topology does not have
        self.report: Callable[[str], None] = lambda text: output(f"{text}\n")  # what has failed meanwhile
        self.tell: Callable[[str], None] = self.report  # what the timeline has done
        self._guest = guest
        self._host = host
        self._one = threading.Lock()
        self._ways: dict[str, list[Waypoint]] = {}  # of nodes that move by themselves
        self._moves: dict[str, list[Waypoint]] = {}  # the latest move of each node that an event moves

    @property
    def guest(self) -> LiveGuest:
        """The guest, once it has a network."""
        return self._guest

    @contextmanager
    def exclusive_host(self) -> Iterator[Host]:
        """Lock the host for one exchange: neither another line nor Ctrl-C may come between a line and its answer."""
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            with self._one:
                yield self._host
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)

    def ask(self, what: str, **content: Any) -> dict[str, Any]:
        """Return the host's answer.

        Raises:
            GuestError: If the host refuses it; the message says why.
        """
        with self.exclusive_host() as host:
            host.send({"what": what, **content})
            found = host.ask()
        if found is None:
            raise GuestError("the lab has ended")
        if "refused" in found:
            raise GuestError(found["refused"])
        return found

    def start(self, *, attachable: bool = False) -> None:
        """Play the timeline, and move the nodes that move by themselves. ``attachable``: for terminals of the host."""
        guest = self._guest
        if attachable:
            from lab.guest import attached

            attached.serve(guest)  # before there are threads
        self.player = Player(guest.loop, guest.clock.start_ns, self._report)
        guest.on_guarded = self._report
        self._ways = {way.node: way.waypoints for way in guest.plan.mobility}
        if guest.plan.medium is not None:
            self._set_levels(guest.plan.medium.updates)
        self.player.add_events(DueAction(event.at_ns, partial(self._play, event)) for event in guest.plan.events)
        self._thread = LoopThread(guest.loop)

    def call(self, action: Callable[[], T]) -> T:
        """Have the thread of the loop do something (lab.guest.loop_thread)."""
        return self._thread.call(action)

    def _report(self, failure: GuestError) -> None:
        self.report(f"*** {failure.message}\n{failure.output.decode(errors='replace')}".rstrip())

    # What is done

    def note(self, written: str, at_ns: int | None = None) -> None:
        """Add an event that has been done; now, if no time is given."""
        entry = (self.player.now_ns() if at_ns is None else at_ns, written)
        self.done.append(entry)
        self.written.append(entry)

    def fire(self, written: str) -> list[str]:
        """Do an event, written as in a timeline, without braces and time; return what it does, and what it prints.

        Raises:
            GuestError: If it has a mistake, or failed.
        """
        return self.call(lambda: self._fire(written))

    def _fire(self, written: str) -> list[str]:
        at_ns = self.player.now_ns()
        answer = self.ask("event", at_ns=at_ns, written=written)
        lines: list[str] = answer["lines"]
        for event in (types.Event(**event) for event in answer["events"]):
            lines += self._execute(event)
        self._set_levels(_updates(answer))
        self.note(written, at_ns)
        return lines

    def _play(self, event: types.Event) -> None:
        """Do an event of the topology's timeline."""
        (line,) = self.ask("describe", kind=event.kind, target=event.target, params=event.params)["lines"]
        self.done.append((event.at_ns, line))
        try:
            printed = self._execute(event)
        except GuestError as failure:
            raise GuestError(f"{line}: {failure.message}", output=failure.output) from None
        self.tell("\n".join([f"{event.at_ns / 1e9:g} s  {line}", *printed]))

    def _execute(self, event: types.Event) -> list[str]:
        """Do an event; return what it prints."""
        lines = []
        for step in event_steps(self._guest.plan, event):
            printed = step.execute(self._guest)
            if printed and keeps_output(event.kind):
                lines += printed.decode(errors="replace").splitlines()
        if event.kind == "move":
            self._note_move(event.target, event.params, event.at_ns)
        return lines

    # Where nodes are

    def _set_levels(self, updates: list[MediumUpdate]) -> None:
        """Change the levels at their times, in place of those of earlier moves."""
        if self._guest.plan.medium is None:
            return
        due_ns = self.player.now_ns()
        for update in updates:
            if update.links and update.at_ns <= due_ns:
                self._guest.medium.send(requests.update(update))
        later = (update for update in updates if not update.links or update.at_ns > due_ns)
        self.player.set_levels(DueAction(update.at_ns, partial(self._change, update)) for update in later)

    def _change(self, update: MediumUpdate) -> None:
        """Change levels; an update without any stands for those that have not been planned yet."""
        if update.links:
            self._guest.medium.send(requests.update(update))
            return
        answer = self.ask("levels", since_ns=update.at_ns)
        self._ways = {node: [Waypoint(*point) for point in way] for node, way in answer["ways"]}
        self._set_levels(_updates(answer))

    def _note_move(self, node: str, params: dict[str, Any], at_ns: int) -> None:
        """Remember where a node goes."""
        there_m: list[float] = params["position_m"]
        here_m = self.position_m(node, at_ns) or there_m
        takes_s = math.dist(here_m, there_m) / params["speed_m_s"] if "speed_m_s" in params else 0.0
        begin, end = (Waypoint(0, *(round(1000 * at) for at in spot)) for spot in (here_m, there_m))
        later = [end._replace(at_ns=at_ns + round(takes_s * 1e9))]
        self._moves[node] = [begin._replace(at_ns=at_ns), *later] if takes_s else later

    def position_m(self, node: str, at_ns: int | None = None) -> tuple[float, float, float] | None:
        """Return where a node is, now if no time is given; None if it has no position."""
        way = self._moves.get(node) or self._ways.get(node)
        if way:
            return position_at(way, self.player.now_ns() if at_ns is None else at_ns)
        found = self._guest.plan.node(node).position_m
        return (found[0], found[1], found[2]) if found else None

    # The pace

    def step(self, duration_ns: int) -> None:
        """Play for that long, and pause; Ctrl-C pauses earlier."""
        done: SimpleQueue[None] = SimpleQueue()
        self.call(lambda: self.player.step(duration_ns, lambda: done.put(None)))
        try:
            done.get()
        except KeyboardInterrupt:
            self.call(self.player.pause)

    # Captures and files

    def start_capture(self) -> None:
        """Capture the medium from now on.

        Raises:
            GuestError: If the network has no medium, or a capture runs already.
        """
        if self._guest.plan.medium is None:
            raise GuestError("there is no medium to capture; start the shell with --set medium={}")
        if self._guest.air is not None:
            raise GuestError("a capture runs already; pcap stop ends it")
        self.call(self._capture)

    def _capture(self) -> None:
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
        self.call(air.finish)
        files: list[str] = self.ask("capture")["files"]
        return files

    def save(self, path: str) -> str:
        """Have the host write a topology with what has been done; return the line for the user.

        Raises:
            GuestError: If it cannot be written there, or nothing has been done.
        """
        line: str = self.ask("save", path=path, events=self.written, end_ns=self.player.now_ns())["line"]
        return line


def _updates(answer: dict[str, Any]) -> list[MediumUpdate]:
    return [MediumUpdate(at_ns, [MediumLink(*link) for link in links]) for at_ns, links in answer["updates"]]
