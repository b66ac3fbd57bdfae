# SPDX-License-Identifier: MIT
"""What a program that drives the lab may ask for: each public method of ``Calls`` is a request (lab.guest.lockstep)."""

from __future__ import annotations

import os
import signal
import stat
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lab.guest.errors import GuestError
from lab.guest.kinds import event_steps
from lab.guest.live import LiveGuest
from lab.guest.loop import now_ns
from lab.guest.steps import Step
from lab.guest.tasks import Task
from lab.guest.timeline import TimelineMoment
from lab.shared import types
from lab.shared.frozen import data
from lab.shared.medium_types import MediumLink, MediumUpdate
from lab.shared.paths import EXCHANGED, LOCKSTEP_LOGS

if TYPE_CHECKING:
    from lab.guest.connections import Connections
    from lab.guest.terminal import Terminal

_GRACE_NS = 2_000_000_000  # between asking the programs that still run to end and killing them
_CHUNK_BYTES = 1 << 20


class Calls:
    """Requests on a running guest whose timeline lasts ``duration_ns``. ``over``: the host has asked for the end."""

    def __init__(self, guest: LiveGuest, duration_ns: int) -> None:
        self.over = False
        self._guest = guest
        self._duration_ns = duration_ns
        self._tasks: list[Task] = []
        self._nodes: list[str] = []  # of each
        self._news = 0  # what the host may wait for: events of daemons, and ends of programs
        self._listened: set[object] = set()
        self._connections: Connections | None = None
        self._terminals: dict[int, Terminal] = {}  # by number of the program

    def do(self, do: str, **parameters: Any) -> dict[str, Any]:
        """Do what is asked for; return the answer.

        Raises:
            GuestError: If it cannot be done.
        """
        call: Callable[..., dict[str, Any] | None] | None = None if do.startswith("_") else getattr(self, do, None)
        if call is None:
            raise GuestError(f'the agent knows no request "{do}"')
        return call(**parameters) or {}

    def run_until(self, at_ns: int, news: bool = False, process: int | None = None) -> None:
        """Advance to a time of the timeline.

        Args:
            at_ns: that time; not beyond the end of the timeline.
            news: stop before if a daemon has reported something, or a program has ended.
            process: stop before if this program has ended.
        """
        self._listen()
        before = self._news
        task = None if process is None else self._tasks[process]

        def stops() -> bool:
            ended = task is not None and not task.alive
            return self._guest.failure is not None or ended or (news and self._news != before)

        self._guest.loop.run_until(self._guest.clock.start_ns + min(at_ns, self._duration_ns), stops)

    def _listen(self) -> None:
        """Listen to daemons, including those that were restarted."""
        for control in self._guest.controls.values():
            if control not in self._listened:
                self._listened.add(control)
                control.forget(self._heard)  # it may have taken over listeners
                control.listen(self._heard)

    def _heard(self, _stamp_ns: int, _text: str) -> None:
        self._news += 1

    def start(
        self,
        node: str,
        argv: list[str],
        name: str,
        stdin: str | None = None,
        cwd: str | None = None,
        env: dict[str, str] | None = None,
        tty: bool = False,
    ) -> dict[str, Any]:
        """Start a program in a node: ``{process, out, err}``, its number and the files of its output.

        ``name`` is for its files; ``stdin``: the name of a file in EXCHANGED that it reads, or None: no input; ``cwd``:
        its directory, or None: as programs of the node have it; ``env``: further variables of its environment; ``tty``:
        its streams are a terminal.

        Raises:
            GuestError: If the kernel refuses it.
        """
        number = len(self._tasks)
        LOCKSTEP_LOGS.mkdir(exist_ok=True)
        out, err = (LOCKSTEP_LOGS / f"{number + 1}-{name}.{stream}" for stream in ("out", "err"))
        given = EXCHANGED / stdin if stdin else Path(os.devnull)
        command, environment = self._guest.container(node).launch_found(argv, cwd, env)
        slave = self._terminal(number, node, out) if tty else None
        try:
            task = Task(self._guest.loop, name, command, out, err, self._ended, environment, given, terminal=slave)
        except GuestError as error:  # such as: its words are too long, which the message would repeat
            why = error.message.rpartition(": ")[2]
            raise GuestError(f"{node} cannot start {name}: {why}", node) from None
        finally:
            if slave is not None:
                os.close(slave)
        self._tasks.append(task)
        self._nodes.append(node)
        return {"process": number, "out": str(out.name), "err": str(err.name)}

    def _terminal(self, number: int, node: str, out: Path) -> int:
        """Make the terminal of a program; return what it gets of it."""
        from lab.guest.terminal import Terminal

        master, slave = self._guest.container(node).own.terminal()
        self._terminals[number] = Terminal(self._guest.loop, master, out)
        return slave

    def type(self, process: int, text: str) -> None:
        """Type text at the terminal of a program.

        Raises:
            GuestError: If it has none, or cannot take it.
        """
        if process not in self._terminals:
            raise GuestError("send: the program has no terminal; start it with tty=True")
        self._terminals[process].type(text)

    def _ended(self, _task: Task) -> None:
        self._news += 1

    def state(self, process: int) -> dict[str, Any]:
        """Return whether a program has ended, and how: ``{alive, exit, signal, because, started_ns, ended_ns}``.

        ``because`` names the limits of the node that may be why it failed, after a colon.
        """
        self._guest.loop.step(now_ns())  # its end may have come at this very moment
        if process in self._terminals:
            self._terminals[process].read()
        task = self._tasks[process]
        since = self._guest.clock.since_start_ns
        failed = not task.alive and task.exit != 0
        return {
            "alive": task.alive,
            "exit": task.exit,
            "signal": task.signal,
            "because": self._guest.limits_reached(self._nodes[process], task) if failed else "",
            "started_ns": since(task.started_ns),
            "ended_ns": None if task.ended_ns is None else since(task.ended_ns),
        }

    def signal(self, process: int, number: int) -> None:
        """Signal a program, if it still runs."""
        self._tasks[process].send(number)

    def put(self, node: str, path: str, mode: int, file: str) -> None:
        """Write a file to a node, with the content of a file in EXCHANGED.

        Raises:
            GuestError: If it is one of the kernel's, which programs may have put a link to, or cannot be written.
        """
        if self._is_special(node, path):
            raise GuestError(f"{path} of {node} is the kernel's, or a device; have a program write it", node)
        with (EXCHANGED / file).open("rb") as content:
            chunks = iter(partial(content.read, _CHUNK_BYTES), b"")
            self._guest.container(node).own.write_chunks(path, chunks, mode)

    def get(self, node: str, path: str, file: str) -> None:
        """Copy a regular file of a node to a file in EXCHANGED.

        Raises:
            GuestError: If it is not one, or one of the kernel's: the agent could read more than the node's programs.
        """
        root = self._guest.container(node).own
        if self._is_special(node, path):
            raise GuestError(f"{path} of {node} is not a regular file; have a program copy it first", node)
        try:
            with root.files():
                source = os.open(os.path.realpath(Path("/", path)), os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW)
            if stat.S_ISDIR(os.fstat(source).st_mode):
                os.close(source)
                raise GuestError(f'{path} of {node} is a folder; write get("{path}", to="copy")', node)
            with os.fdopen(source, "rb") as content, (EXCHANGED / file).open("wb") as copy:
                if not stat.S_ISREG(os.fstat(source).st_mode):  # a device may have no end
                    raise GuestError(f"{path} of {node} is not a regular file; have a program copy it first", node)
                while chunk := content.read(_CHUNK_BYTES):
                    copy.write(chunk)
        except OSError as error:
            raise GuestError(f"{node} has no file {path} to copy: {error.strerror}", node) from None

    def _is_special(self, node: str, path: str) -> bool:
        """Check whether a path leads to a file of /proc, /sys or /dev that exists."""
        from lab.guest.collecting import is_special

        with self._guest.container(node).own.files():
            real = os.path.realpath(Path("/", path))
            return is_special(real) and Path(real).exists()

    def files(self, node: str, path: str, at_most_bytes: int) -> dict[str, Any]:
        """Return the regular files in a folder of a node, by their paths in there: ``{files}``; None if it is a file.

        Symbolic links are left out.

        Raises:
            GuestError: If it is one of the kernel's, or the files are larger in total.
        """
        from lab.guest.collecting import is_special

        found: list[str] = []
        size = 0
        with self._guest.container(node).own.files():
            top = Path("/", path)
            special = is_special(os.path.realpath(top))
            if not special and not top.is_dir():
                return {"files": None}
            for place, folders, names in os.walk(top):
                folders[:] = sorted(name for name in folders if not is_special(os.path.realpath(Path(place, name))))
                for file in (Path(place, name) for name in sorted(names)):
                    if file.is_file() and not file.is_symlink():
                        found.append(str(file.relative_to(top)))
                        size += file.stat().st_size
        if special:
            raise GuestError(f"{path} of {node} is the kernel's; have a program copy its content first", node)
        if size > at_most_bytes:
            raise GuestError(f"the files in {path} of {node} have {size} bytes; write at_most_bytes={size}", node)
        return {"files": found}

    def events(self, events: list[dict[str, Any]], updates: list[list[Any]]) -> None:
        """Do events at their times, and change levels from now on as their moves have it.

        Args:
            events: the fields of lab.shared.types.Event.
            updates: all changes of levels that are to come: time, and links.
        """
        for event in (types.Event(**fields) for fields in events):
            self._schedule(TimelineMoment(event.at_ns, partial(event_steps, self._guest.plan, event), event))
        self._guest.forget_levels()
        for at_ns, links in updates:
            change = MediumUpdate(at_ns, [MediumLink(*link) for link in links])
            self._schedule(TimelineMoment(at_ns, partial(self._change, change), changes_levels=True))
        self._guest.loop.step(now_ns())  # some may be due now

    def _schedule(self, moment: TimelineMoment) -> None:
        self._guest.call_at(moment.at_ns, partial(moment.execute, self._guest), moment.changes_levels)

    def _change(self, change: MediumUpdate) -> list[Step]:
        from lab.guest.medium import requests
        from lab.guest.medium_steps import netlink

        assert self._guest.plan.medium is not None  # there are changes of levels
        return [netlink(self._guest.plan.medium, requests.update(change))]

    def counters(self) -> dict[str, Any]:
        """Return the counters of the medium: ``{radios, links, channels}`` (lab.guest.medium.counters)."""
        if self._guest.plan.medium is None:
            raise GuestError("the medium is perfect, and counts nothing; write medium={}")
        found: dict[str, Any] = data(self._guest.medium.counters(0, self._guest.clock.start_ns))
        return found

    def status(self, node: str) -> dict[str, Any]:
        """Return what hostapd or wpa_supplicant of a node reports about itself: ``{status}``, lines of KEY=VALUE."""
        control = self._guest.controls.get(node)
        if control is None:
            raise GuestError(f"{node} has neither hostapd nor wpa_supplicant")
        return {"status": control.request("STATUS")}

    def listens(self, node: str, socket: str) -> dict[str, Any]:
        """Return whether a socket such as tcp/80 listens in a node, and what else does: ``{listens, seen}``."""
        from lab.guest import ready

        pid = self._guest.pid(node)
        return {"listens": ready.listening(pid, socket)(), "seen": ready.listens_on(node, pid)}

    def connect(self, node: str, port: int) -> dict[str, Any]:
        """Connect to a port of a node: ``{connection}``, its number."""
        container = self._guest.container(node)
        address = self._guest.plan.node(node).ip
        addresses = ["127.0.0.1", *([address.split("/")[0]] if address else [])]
        return {"connection": self._opened().connect(container, addresses, port)}

    def exchange(self, until_ns: int, **parameters: Any) -> dict[str, Any]:
        """Pass on bytes of connections, both ways, until a time of the timeline at the latest.

        Parameters and answer are those of lab.guest.connections.Connections.exchange.
        """
        until_ns = self._guest.clock.start_ns + min(until_ns, self._duration_ns)
        return self._opened().exchange(**parameters, until_ns=until_ns, stops=lambda: self._guest.failure is not None)

    def _opened(self) -> Connections:
        from lab.guest.connections import Connections

        self._connections = self._connections or Connections(self._guest.loop)
        return self._connections

    def finish(self) -> None:
        """Advance to the end of the timeline: the run is that of its plan."""
        self.over = True
        self.run_until(self._duration_ns)

    def end(self) -> None:
        """End the run early: programs need not have ended."""
        self.over = True
        self._guest.processes.excuse()

    def tidy(self) -> None:
        """End the programs that were started here and still run."""
        for number in (signal.SIGTERM, signal.SIGKILL):
            alive = [task for task in self._tasks if task.alive]
            for task in alive:
                task.send(number)
            if alive:  # to look at the clock takes some time, too
                self._guest.loop.run_until(now_ns() + _GRACE_NS, lambda: not any(task.alive for task in self._tasks))
