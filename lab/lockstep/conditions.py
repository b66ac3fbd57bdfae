# SPDX-License-Identifier: MIT
"""What a program may wait for: ``net.wait_for(associated("sta1", "ap2"), timeout_s=5)``."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Protocol

from lab.lockstep.errors import CallError
from lab.lockstep.node import Node
from lab.lockstep.process import Process
from lab.model.ports import port_mistake

__tracebackhide__ = True  # pytest shows the line of the caller


class SeenNodes(Protocol):
    """What conditions may look at."""

    def __getitem__(self, name: str) -> Node:
        """Return the node of that name."""

    def listens(self, node: str, socket: str) -> tuple[bool, str]:
        """Return whether a socket listens in a node, and what else does, in words."""


class Condition(Protocol):
    """Something that becomes true. A function without parameters is a condition, too."""

    def holds(self, net: SeenNodes) -> bool:
        """Check whether it is true now."""

    def seen(self, net: SeenNodes) -> str:
        """Return what is true instead, for a message."""

    def never(self, net: SeenNodes) -> str:
        """Return why it cannot become true any more; empty if it can."""
        return ""


class associated(Condition):
    """A station is associated with an access point, and has keys with it; with any, if none is named."""

    def __init__(self, station: str, ap: str | None = None) -> None:
        self._station = station
        self._ap = ap

    def __repr__(self) -> str:
        return f"{self._station} to be associated with {self._ap or 'an access point'}"

    def holds(self, net: SeenNodes) -> bool:
        found = net[self._station].ap
        return found is not None if self._ap is None else found == net[self._ap].name

    def seen(self, net: SeenNodes) -> str:
        station = net[self._station]
        return f"{self._station} is {station.status().get('wpa_state', '?')}, with {station.ap or 'no access point'}"


class listening(Condition):
    """A program listens in a node: ``listening("h1", "tcp/80")``.

    With a process instead of the node, the wait also ends with it: ``listening(server, "tcp/80")``.

    Raises:
        CallError: If that is not a port.
    """

    def __init__(self, node: str | Process, socket: str) -> None:
        mistake = port_mistake(socket)
        if mistake:
            raise CallError(mistake)
        self._process = node if isinstance(node, Process) else None
        self._node = node.node if isinstance(node, Process) else node
        self._socket = socket

    def __repr__(self) -> str:
        return f"{self._node} to listen on {self._socket}"

    def holds(self, net: SeenNodes) -> bool:
        return net.listens(net[self._node].name, self._socket)[0]

    def seen(self, net: SeenNodes) -> str:
        return net.listens(self._node, self._socket)[1] or f"{self._node} listens nowhere"

    def never(self, net: SeenNodes) -> str:
        return self._process.end() if self._process else ""


class printed(Condition):
    """A program has printed what matches a regular expression, on either stream.

    Raises:
        CallError: If it is not a program, or not a regular expression.
    """

    def __init__(self, process: Process, pattern: str) -> None:
        if not isinstance(process, Process):
            raise CallError(
                f'printed: {process!r} is not a program; write printed(net["h1"].popen(["server"]), "ready")'
            )
        self._process = process
        self._pattern = _pattern(pattern)

    def __repr__(self) -> str:
        return f"{self._process} to print {self._pattern.pattern}"

    def holds(self, net: SeenNodes) -> bool:
        return any(self._pattern.search(text) for text in (self._process.stdout, self._process.stderr))

    def seen(self, net: SeenNodes) -> str:
        lines = (self._process.stdout + self._process.stderr).splitlines()
        return f'its last line is "{lines[-1]}"' if lines else "it has printed nothing"

    def never(self, net: SeenNodes) -> str:
        end = self._process.end()
        return "" if self.holds(net) else end  # what it printed last


def _pattern(text: str) -> re.Pattern[str]:
    try:
        return re.compile(text, re.MULTILINE)
    except re.error as error:
        raise CallError(
            f'printed: "{text}" is not a valid regular expression: {error}; re.escape makes one of literal characters'
        ) from None
    except (TypeError, ValueError):  # not text, or a compiled one that has its flags
        raise CallError(f'printed: {text!r} is not text; write what is looked for, such as "ready"') from None


class Holds(Condition):
    """A condition that is a function: true as soon as what it returns is."""

    def __init__(self, function: Callable[[], object]) -> None:
        self._function = function
        self._last: object = None

    def __repr__(self) -> str:
        return getattr(self._function, "__name__", repr(self._function)).replace("<lambda>", "the condition to hold")

    def holds(self, _net: SeenNodes) -> bool:
        self._last = self._function()
        return bool(self._last)

    def seen(self, _net: SeenNodes) -> str:
        return f"it returned {self._last!r}"
