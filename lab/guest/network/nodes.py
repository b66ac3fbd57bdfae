# SPDX-License-Identifier: MIT
"""Mininet's node class, each node a container.

``node.cmd('…')``, ``node.popen([...])``, ``node.IP()``, ``node.intfList()`` work as in Mininet. The shell behind
``cmd`` starts at its first use: a scripted run never needs it.
"""

from __future__ import annotations

import os
import pty
import select
import subprocess
from typing import Any

from mininet.link import Intf
from mininet.node import Node as MininetNode

from lab.guest.network.container import Container
from lab.guest.tasks import ENVIRONMENT
from lab.shared import types

PROMPT = chr(127)  # how Mininet's Node recognizes the end of a command


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

    def __init__(self, spec: types.Node, phy: int | None = None, **params: Any) -> None:
        """``phy`` is the number of its mac80211_hwsim radio, which lives in the container's network namespace."""
        self.spec = spec
        self.radio = spec.radio
        self.phy = phy
        self.container = Container(spec.name, spec.memory_bytes, spec.pids_max)
        super().__init__(spec.name, inNamespace=True, **params)
        self.pid = self.container.pid
        for interface in spec.interfaces:
            LabIntf(interface.name, self, interface.mac, interface.ip)
        if spec.radio is not None:
            LabIntf(spec.radio.interface, self, spec.radio.mac, spec.ip)

    def startShell(self, mnopts: str | None = None) -> None:
        """Do nothing: the first ``cmd`` starts the shell."""

    def _start_shell(self) -> None:
        self.master, self.slave = pty.openpty()
        argv = self.container.command("bash", "--norc", "--noediting", "-is", f"mininet:{self.name}")
        self.shell = subprocess.Popen(
            argv,
            stdin=self.slave,
            stdout=self.slave,
            stderr=self.slave,
            env={**ENVIRONMENT, "PS1": PROMPT},
            start_new_session=True,
        )
        self.stdin = os.fdopen(self.master, "r")
        self.stdout = self.stdin
        self.pollOut = select.poll()
        self.pollOut.register(self.stdout)
        self.outToNode[self.stdout.fileno()] = self
        self.inToNode[self.stdin.fileno()] = self
        self.execed = False
        self.waiting = True
        self.waitOutput()
        super().cmd("unset HISTFILE; stty -echo; set +m")

    def sendCmd(self, *args: Any, **kwargs: Any) -> None:
        """Mininet's, with the shell started where it is not yet."""
        if not self.shell:
            self._start_shell()
        super().sendCmd(*args, **kwargs)

    def cmd(self, *args: Any, **kwargs: Any) -> Any:
        """Mininet's, with the shell started where it is not yet."""
        if not self.shell:
            self._start_shell()
        return super().cmd(*args, **kwargs)

    def popen(self, *args: Any, **kwargs: Any) -> subprocess.Popen[bytes]:
        """Mininet's, with ``enter`` instead of mnexec."""
        kwargs.setdefault("mncmd", self.container.command())
        kwargs.setdefault("env", ENVIRONMENT)
        process: subprocess.Popen[bytes] = super().popen(*args, **kwargs)
        return process
