# SPDX-License-Identifier: MIT
"""Mininet's node class, each node a container.

``node.cmd('…')``, ``node.popen([...])``, ``node.IP()``, ``node.intfList()`` work as in Mininet. The shell behind
``cmd`` starts at its first use, and again after ``exit``. Its commands come in a file, not by its terminal, so that the
terminal belongs to the programs alone, and what is typed for them.
"""

from __future__ import annotations

import codecs
import contextlib
import fcntl
import os
import re
import select
import subprocess
import termios
import tty
from collections.abc import Callable, Sequence
from typing import Any

from mininet.link import Intf
from mininet.node import Node as MininetNode

from lab.guest.commands import Mount
from lab.guest.errors import GuestError
from lab.guest.network.container import Container
from lab.guest.tasks import ENVIRONMENT
from lab.shared import types

LINE = "/run/lab/line"  # in the node: the command
# the shell's own descriptors, of its terminal and of the pipe by which it is asked to run the command: no command can
# hide them, as it could hide a file
_TERMINAL, _ASK = 250, 251
# bash runs this where it would read a command from its terminal, and again after Ctrl-C; before each command it reports
# the command's number, and after it also its status, and the process that it has left in the background
_REPORT = rf"printf '\177lab %d %d %d\177' $_lab $_status ${{!-0}} >&{_TERMINAL}"
_BEGUN = rf"printf '\177lab %d\177' $_lab >&{_TERMINAL}; _again"
_RUN = f"{_BEGUN}; . {LINE} {_TERMINAL}>&- {_ASK}<&-"
_LOOP = (
    f"_status=${{_lab:+13}}0 _lab=${{_lab:-0}}; export -n PROMPT_COMMAND; unset HISTFILE; set +m; {_REPORT}; "
    f"_again() {{ return $_status; }}; while read -r -u {_ASK} _lab _stdin; "
    f"do if [ $_stdin ]; then {_RUN} <$_stdin; else {_RUN}; fi; _status=$?; {_REPORT}; done"
)
_REPORTED = re.compile("\177lab (\\d+)(?: (\\d+) (\\d+))?\177")
_PARTLY = re.compile("\177(l|la|lab[ \\d]*)?$")
_BLOCK_BYTES = 4096
_TIOCGPTPEER = 0x5441  # asm-generic/ioctls.h


class LabIntf(Intf):
    """An interface that the lab has already configured; Mininet's accessors work on it."""

    def __init__(self, name: str, node: LabNode, mac: str, ip: str | None, link: Any = None) -> None:
        super().__init__(name, node=node, link=link, mac=mac, moveIntfFn=lambda *_: True)
        if ip:
            self.ip, self.prefixLen = ip.split("/")

    def config(self, **params: Any) -> dict[str, Any]:
        """Do nothing: the lab has configured it."""
        return {}

    def updateIP(self) -> str | None:
        """Return the plan's address; Mininet would ask ifconfig."""
        address: str | None = self.ip
        return address


class LabNode(MininetNode):
    """A node in a container. ``phy`` is the number of its mac80211_hwsim radio, which is in its network namespace."""

    isSetup = True  # Mininet's own check for tools would cost ten processes
    # the shell behind ``cmd`` (subprocess.Popen), and the terminal that it shares with the agent; None before the first
    shell: Any
    stdin: Any
    stdout: Any
    master: int
    readbuf: str

    def __init__(self, spec: types.Node, mounts: Sequence[Mount], phy: int | None = None, **params: Any) -> None:
        self.spec = spec
        self.radio = spec.radio
        self.phy = phy
        self.last_status = 0  # of the last command in its shell
        self._number = 0  # of the last command
        self.begun = False  # whether its shell has come to it: Ctrl-C before would hit the shell itself
        self.container = Container(spec, mounts)
        super().__init__(spec.name, inNamespace=True, **params)
        self.pid = self.container.pid
        for interface in spec.interfaces:
            LabIntf(interface.name, self, interface.mac, interface.ip)
        if spec.radio is not None:
            LabIntf(spec.radio.interface, self, spec.radio.mac, spec.ip)
        for wlan in spec.wlans:
            LabIntf(wlan.radio.interface, self, wlan.radio.mac, wlan.ip)

    def startShell(self, mnopts: str | None = None) -> None:
        """Do nothing: the first ``cmd`` starts the shell."""

    def _start_shell(self) -> None:
        self.master, slave = self.container.terminal()
        os.set_blocking(self.master, False)  # what a program does not read must not block what it prints
        self._sane = termios.tcgetattr(slave)
        asked, self._ask = os.pipe()
        inherited = [os.dup2(slave, _TERMINAL), os.dup2(asked, _ASK)]  # nothing else has so high a number
        argv = self.container.command("bash", "--norc", "--noediting", "-is", f"mininet:{self.name}")
        self.shell = subprocess.Popen(
            argv,
            stdin=slave,
            stdout=slave,
            stderr=slave,
            env={**ENVIRONMENT, "PROMPT_COMMAND": _LOOP},
            start_new_session=True,
            pass_fds=inherited,
        )
        for descriptor in (slave, asked, *inherited):
            os.close(descriptor)
        self.shell_end = os.pidfd_open(self.shell.pid)  # readable once the shell has ended
        self.decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")  # programs print any bytes
        self.stdin = self.stdout = os.fdopen(self.master, "r")
        self.outToNode[self.master] = self
        self.inToNode[self.master] = self
        self.execed = False

    def sendCmd(self, *args: Any, stdin: str = "", **_kwargs: Any) -> None:
        """Start a command of any length, as Mininet's; what the node's Docker image has runs there.

        Raises:
            GuestError: If the node has stopped.
        """
        if not self.container.alive:
            raise GuestError(self.container.describe_end(), self.name)
        if not self.shell:
            self._start_shell()
        words = args[0] if len(args) == 1 and isinstance(args[0], list) else args
        self.lastCmd = " ".join(str(word) for word in words)
        self._number += 1
        self._give(f"{self.container.own.for_shell(self.lastCmd)}\n")
        os.write(self._ask, f"{self._number} {stdin}\n".encode())
        self.begun, self.waiting = False, True

    def _give(self, line: str) -> None:
        """Put the line where the shell reads it."""
        self.container.write(LINE, line)

    def cmd(self, *args: Any, **kwargs: Any) -> Any:
        """Run a command as Mininet does, in a shell that is started if it does not run yet."""
        if not self.shell:
            self._start_shell()
        return super().cmd(*args, **kwargs)

    def execute(self, line: str, show: Callable[[str], None]) -> int:
        """Run a line in its shell, with nothing to read; return the status. ``show`` gets what it prints, as it comes.

        Raises:
            GuestError: If the node has stopped.
        """
        self.sendCmd(line, stdin=os.devnull)
        while self.waiting:
            show(self.monitor())
        return self.last_status

    def monitor(self, timeoutms: int | None = None, findPid: bool = True) -> str:
        """Return what a command has printed meanwhile, as Mininet does; ``waiting`` becomes False at its end."""
        poller = select.poll()
        poller.register(self.master, select.POLLIN)
        poller.register(self.shell_end, select.POLLIN)
        ready = {number for number, _ in poller.poll(timeoutms)}
        printed = self._printed() if self.master in ready else ""
        text = self.readbuf + printed
        for number, status, background in _REPORTED.findall(text):
            if number != str(self._number):  # of an earlier command: Ctrl-C came after its end
                continue
            self.begun = True
            if status:
                self.waiting, self.last_status, self.lastPid = False, int(status), int(background) or None
        text = _REPORTED.sub("", text)
        if self.shell_end in ready and not printed:
            self._shell_ended()
        partly = _PARTLY.search(text) if self.waiting else None
        self.readbuf = partly[0] if partly else ""
        return text[: partly.start()] if partly else text

    def _printed(self) -> str:
        try:
            return self.decoder.decode(os.read(self.master, _BLOCK_BYTES))
        except OSError:  # EIO: no program has the terminal open
            return ""

    def take_back(self) -> bytes:
        """Return what was typed for programs that have not read it, and make the terminal usable for the next one."""
        if not self.shell:
            return b""
        terminal = fcntl.ioctl(self.master, _TIOCGPTPEER, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK | os.O_CLOEXEC)
        try:
            tty.setraw(terminal, termios.TCSANOW)
            typed = b""
            with contextlib.suppress(BlockingIOError):
                while more := os.read(terminal, _BLOCK_BYTES):
                    typed += more
            return typed
        finally:
            termios.tcsetattr(terminal, termios.TCSANOW, self._sane)
            os.close(terminal)

    def _shell_ended(self) -> None:
        self.last_status = self.shell.wait()
        os.close(self.shell_end)
        os.close(self._ask)
        del self.outToNode[self.master], self.inToNode[self.master]
        self.stdout.close()
        self.shell = self.stdin = self.stdout = None
        self.waiting = False

    def popen(self, *args: Any, **kwargs: Any) -> subprocess.Popen[bytes]:
        """Start a program as Mininet does, by ``enter``, not mnexec; what the node's Docker image has runs there."""
        words = args[0] if isinstance(args[0], list) else str(args[0]).split()
        command, environment = self.container.launch_found(words)
        kwargs.setdefault("mncmd", command[: len(command) - len(words)])
        kwargs.setdefault("env", environment)
        process: subprocess.Popen[bytes] = super().popen(*args, **kwargs)
        return process
