# SPDX-License-Identifier: MIT
"""Programs in nodes with terminals of the host (``lab attach``), and the host's connections to ports (``forward``).

A process of its own: what happens there neither waits for the prompt nor lets it wait. Its line is the guest's second
console.
"""

from __future__ import annotations

import fcntl
import os
import signal
import socket
import struct
import termios
import tty
from pathlib import Path
from typing import Any

from lab.guest.errors import GuestError
from lab.guest.live import LiveGuest
from lab.guest.loop import readable
from lab.guest.tasks import ENVIRONMENT, spawn
from lab.shared.wire import Wire

_CONSOLE = Path("/dev/tty1")  # con1= on the kernel's command line
_CONNECT_S = 5.0
_END_S = 1.0


def serve(guest: LiveGuest) -> None:
    """Start the process, which ends with the guest."""
    if os.fork():
        return
    try:
        os.setsid()
        line = os.open(_CONSOLE, os.O_RDWR | os.O_NOCTTY | os.O_CLOEXEC)
        tty.setraw(line)
        attached = Attached(guest, line)
        while True:
            attached.wire.step()
    except EOFError:
        pass
    finally:
        os._exit(0)


class Attached:
    """The guest's ends of all connections."""

    def __init__(self, guest: LiveGuest, line: int) -> None:
        self._guest = guest
        self._files: dict[int, int] = {}  # of each connection: its terminal's master, or its socket
        self._programs: dict[int, int] = {}  # process ids
        self._left: list[int] = []  # programs without a terminal that may still run
        self.wire = Wire(line, self)

    def opened(self, number: int, asked: dict[str, Any]) -> None:
        """Start a program, or connect to a port."""
        try:
            self._guest.plan.node(asked["node"])
        except KeyError:
            names = ", ".join(node.name for node in self._guest.plan.nodes)
            self.wire.close(number, refused=f"no node is called {asked['node']}; the nodes are {names}")
            return
        try:
            self._files[number] = self._connected(asked) if "port" in asked else self._started(number, asked)
        except (OSError, GuestError) as error:
            self.wire.close(number, refused=getattr(error, "message", None) or str(error))
            return
        self.wire.join(number, self._files[number], self._files[number])

    def _started(self, number: int, asked: dict[str, Any]) -> int:
        container = self._guest.container(asked["node"])
        if not container.alive:
            raise GuestError(container.describe_end())
        master, slave = container.terminal()
        _resize(master, asked["size"])
        command, environment = container.launch_found(asked["argv"] or ["bash"])
        try:
            known = {**environment, "TERM": asked["term"] or ENVIRONMENT["TERM"]}
            self._programs[number] = spawn(command, slave, slave, slave, known, new_session=True)
        except GuestError:
            os.close(master)
            raise
        finally:
            os.close(slave)
        return master

    def _connected(self, asked: dict[str, Any]) -> int:
        """Connect from inside the node, to its address, or to what listens on its loopback only."""
        node = self._guest.plan.node(asked["node"])
        own = [node.ip.split("/")[0]] if node.ip else []
        with self._guest.container(node.name).network():
            for address in (*own, "127.0.0.1"):
                try:
                    return socket.create_connection((address, asked["port"]), _CONNECT_S).detach()
                except OSError as error:
                    failure = error
        raise failure

    def resized(self, number: int, size: list[int]) -> None:
        """Give a terminal the size of the host's."""
        if number in self._programs:
            _resize(self._files[number], size)

    def drained(self, number: int) -> dict[str, Any]:
        """Return the status of a program that has ended; one that has only left its terminal gets SIGHUP."""
        program = self._hang_up(number)
        if program is None or not _ended(program):
            return {"status": 0}
        status = os.waitstatus_to_exitcode(os.waitpid(program, 0)[1])
        return {"status": status if status >= 0 else 128 - status}

    def closed(self, number: int, how: dict[str, Any]) -> None:
        """Take the terminal away: the program gets SIGHUP."""
        program = self._hang_up(number)
        self._left = [one for one in (*self._left, program) if one and os.waitpid(one, os.WNOHANG)[0] == 0]

    def _hang_up(self, number: int) -> int | None:
        """Close the files of a connection; return its program, if it has one."""
        if number in self._files:
            os.close(self._files.pop(number))
        program = self._programs.pop(number, None)
        if program is not None:
            os.kill(program, signal.SIGHUP)  # not reaped yet
        return program


def _ended(program: int) -> bool:
    """Return whether a child ends soon."""
    pidfd = os.pidfd_open(program)
    try:
        return readable(pidfd, _END_S)
    finally:
        os.close(pidfd)


def _resize(terminal: int, size: list[int]) -> None:
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("4H", *size, 0, 0))
