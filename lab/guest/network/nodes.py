# SPDX-License-Identifier: MIT
"""Mininet's node class, each node a container.

``node.cmd('…')``, ``node.popen([...])``, ``node.IP()``, ``node.intfList()`` work as in Mininet. The shell behind
``cmd`` starts at its first use, and again after ``exit``.
"""

from __future__ import annotations

import codecs
import os
import select
import subprocess
from collections.abc import Callable, Sequence
from typing import Any

from mininet.link import Intf
from mininet.node import Node as MininetNode

from lab.guest.commands import Mount
from lab.guest.errors import GuestError
from lab.guest.network.container import Container
from lab.guest.tasks import ENVIRONMENT
from lab.shared import types

PROMPT = chr(127)  # how Mininet's Node recognizes the end of a command
_LINE = "/run/lab/line"  # in the node
_STATUS = 250  # descriptor on which the shell reports statuses: no command can hide it, as it could hide a file


class LabIntf(Intf):
    """An interface that the lab has already configured; Mininet's accessors work on it."""

    def __init__(self, name: str, node: LabNode, mac: str, ip: str | None, link: Any = None) -> None:
        super().__init__(name, node=node, link=link, mac=mac, moveIntfFn=lambda *_: True)
        if ip:
            self.ip, self.prefixLen = ip.split("/")

    def config(self, **params: Any) -> dict[str, Any]:
        """Nothing left to configure."""
        return {}

    def updateIP(self) -> str | None:
        """The plan's address; Mininet would ask ifconfig."""
        address: str | None = self.ip
        return address


class LabNode(MininetNode):
    """A node in a container."""

    isSetup = True  # Mininet's own check for tools would cost ten processes
    # the shell behind ``cmd`` (subprocess.Popen), and the terminal that it shares with the agent; None if there is none
    shell: Any
    stdin: Any
    stdout: Any

    def __init__(self, spec: types.Node, mounts: Sequence[Mount], phy: int | None = None, **params: Any) -> None:
        """``phy`` is the number of its mac80211_hwsim radio, which lives in the container's network namespace."""
        self.spec = spec
        self.radio = spec.radio
        self.phy = phy
        self._exit_status = 0  # of its last shell that has ended
        self.container = Container(spec, mounts)
        super().__init__(spec.name, inNamespace=True, **params)
        self.pid = self.container.pid
        for interface in spec.interfaces:
            LabIntf(interface.name, self, interface.mac, interface.ip)
        if spec.radio is not None:
            LabIntf(spec.radio.interface, self, spec.radio.mac, spec.ip)

    def startShell(self, mnopts: str | None = None) -> None:
        """Do nothing: the first ``cmd`` starts the shell."""

    def _start_shell(self) -> None:
        self.master, slave = self.container.terminal()
        self.status, end = os.pipe()
        report = os.dup2(end, _STATUS)  # nothing else has so high a number, and it is closed below
        os.close(end)
        argv = self.container.command("bash", "--norc", "--noediting", "-is", f"mininet:{self.name}")
        self.shell = subprocess.Popen(
            argv,
            stdin=slave,
            stdout=slave,
            stderr=slave,
            env={**ENVIRONMENT, "PS1": PROMPT},
            start_new_session=True,
            pass_fds=[report],
        )
        os.close(slave)
        os.close(report)
        self.shell_end = os.pidfd_open(self.shell.pid)  # readable once the shell has ended
        self.decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")  # programs print any bytes
        self.stdin = os.fdopen(self.master, "r")
        self.stdout = self.stdin
        self.pollOut = select.poll()
        self.pollOut.register(self.stdout)
        self.pollOut.register(self.shell_end)
        self.outToNode[self.stdout.fileno()] = self
        self.inToNode[self.stdin.fileno()] = self
        self.execed = False
        self.waiting = True
        self.waitOutput()
        super().cmd("unset HISTFILE; stty -echo; set +m")

    def sendCmd(self, *args: Any, **kwargs: Any) -> None:
        """Mininet's, with the shell started where it is not yet.

        Raises:
            GuestError: The node has stopped.
        """
        if not self.container.alive:
            raise GuestError(self.container.describe_end(), self.name)
        if not self.shell:
            self._start_shell()
        try:
            super().sendCmd(*args, **kwargs)
        except OSError as error:  # the shell is about to end
            raise GuestError(f"the shell of {self.name}: {error.strerror}", self.name) from error

    def cmd(self, *args: Any, **kwargs: Any) -> Any:
        """Mininet's, with the shell started where it is not yet; what the node's Docker image has runs there."""
        if not self.shell:
            self._start_shell()
        words = args[0] if len(args) == 1 and isinstance(args[0], list) else args
        line = " ".join(str(word) for word in words)
        return super().cmd(self.container.own.for_shell(line), **kwargs)

    def last_status(self) -> str:
        """The exit status of the last command in its shell."""
        return str(super().cmd("echo $?")).strip()

    def execute(self, line: str, show: Callable[[str], None]) -> int:
        """Run a line of any length in its shell, with nothing to read; returns the status.

        ``show`` gets what it prints, as it comes. The line goes to a file, since a terminal takes 4095 characters.

        Raises:
            GuestError: The node has stopped.
        """
        self.container.write(_LINE, f"{self.container.own.for_shell(line)}\n")
        self.sendCmd(f". {_LINE} {_STATUS}>&- </dev/null; echo $? >&{_STATUS}")
        while True:
            show(self.monitor())
            if not self.shell:
                return self._exit_status
            if not self.waiting and select.select([self.status], [], [], 0)[0]:
                break
            self.waiting = True  # the command itself has printed the byte that is the prompt
        while self.shell and select.select([self.stdout], [], [], 0)[0]:
            show(self.read().replace(PROMPT, ""))
        return int(os.read(self.status, 16))

    def read(self, size: int = 1024) -> str:
        """Mininet's, but notices the end of the shell, which Mininet would wait for in vain."""
        try:
            if self.readbuf or select.select([self.stdout], [], [], 0)[0] or self.shell.poll() is None:
                return str(super().read(size))
        except OSError:  # EIO: no one has the terminal any more
            pass
        self._shell_ended()
        return ""

    def _shell_ended(self) -> None:
        self._exit_status = self.shell.wait()
        os.close(self.shell_end)
        os.close(self.status)
        del self.outToNode[self.stdout.fileno()], self.inToNode[self.stdin.fileno()]
        self.stdout.close()
        self.shell = self.stdin = self.stdout = None
        self.waiting = False

    def popen(self, *args: Any, **kwargs: Any) -> subprocess.Popen[bytes]:
        """Mininet's, with ``enter`` instead of mnexec; what the node's Docker image has runs there."""
        words = args[0] if isinstance(args[0], list) else str(args[0]).split()
        command, environment = self.container.launch_found(words)
        kwargs.setdefault("mncmd", command[: len(command) - len(words)])
        kwargs.setdefault("env", environment)
        process: subprocess.Popen[bytes] = super().popen(*args, **kwargs)
        return process
