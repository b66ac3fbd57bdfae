# SPDX-License-Identifier: MIT
"""Completes what is typed at a prompt: commands, names of nodes, their programs and files, files of the host."""

from __future__ import annotations

import contextlib
import os
import readline
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from lab.guest.errors import GuestError
from lab.guest.network.nodes import LabNode
from lab.guest.session import Session
from lab.guest.tasks import ENVIRONMENT
from lab.shared.paths import CODE

DELIMITERS = " \t\n;&|<>,[]{}=\"'"
_NODE, _STATION, _AP, _SWITCH = "a node", "a station", "an access point", "a switch"
_FILE, _COMMAND, _EVENT = "a file of the host", "a command", "a kind of event"
Word = str | Sequence[str]  # what a word can be: one of these, or of those in a list
_WORDS: Mapping[str, Sequence[Word]] = {  # of each command; the last one may come again
    "distance": [_NODE],
    "event": [_EVENT, _NODE],
    "forward": [["8080"], []],
    "help": [_COMMAND],
    "iperf": [_NODE],
    "iperfudp": [["10M"], _NODE],
    "link": [_NODE, _NODE, ["up", "down"]],
    "move": [_NODE, []],
    "pace": [["0.5", "1", "2", "10"], []],
    "pcap": [["start", "stop"], []],
    "position": [_NODE],
    "roam": [_STATION, _AP, []],
    "save": [_FILE],
    "source": [_FILE],
    "step": [["1 s", "10 s"], []],
    "switch": [_SWITCH, ["start", "stop"], []],
    "xterm": [_NODE],
}
_PREFIXES = ("noecho", "time")  # commands whose argument is a line


class Completion:
    """Completes lines. ``names``: the methods of the prompt."""

    def __init__(self, session: Session, nodes: Any, names: Iterable[str]) -> None:
        self._session = session
        self._net = nodes
        self._commands = sorted({name[3:] for name in names if name.startswith("do_")})
        self._found: list[str] = []

    def complete(self, text: str, state: int) -> str | None:
        """Return the completion with that number of the last word, as readline asks for it."""
        if state == 0:
            before = readline.get_line_buffer()[: readline.get_begidx()]
            self._found = self.found(before, text)
        return self._found[state] if state < len(self._found) else None

    def found(self, before: str, text: str) -> list[str]:
        """Return what a word that begins with ``text`` can be, after what comes before it in the line."""
        words = before.split()
        while words and words[0] in _PREFIXES:
            words.pop(0)
        if not words:
            choices: Iterable[str] = [*self._commands, *self._nodes(_NODE)]
        elif words[0] in self._net:
            choices = self._in_node(self._net[words[0]], len(words) == 1, text)
        else:
            places = _WORDS.get(words[0], [[]])
            choices = self._choices(places[min(len(words), len(places)) - 1], text)
        found = sorted({one for one in choices if one.startswith(text)})
        # more may follow a directory, and a blank any other word
        return [one if one.endswith("/") else f"{one} " for one in found]

    def _choices(self, word: Word, text: str) -> Iterable[str]:
        if not isinstance(word, str):
            return word
        if word == _FILE:
            with contextlib.suppress(GuestError):
                files: list[str] = self._session.ask("files", begins=text)["files"]
                return files
            return []
        if word == _COMMAND:
            return self._commands
        return _events() if word == _EVENT else self._nodes(word)

    def _nodes(self, which: str) -> list[str]:
        nodes = {_STATION: self._net.stations, _AP: self._net.aps, _SWITCH: self._net.switches}.get(which)
        return [node.name for node in nodes] if nodes is not None else list(self._net)

    def _in_node(self, node: LabNode, program: bool, text: str) -> Iterable[str]:
        """Return programs of a node for the first word, else its files and the names of nodes."""
        root = f"/proc/{node.container.own.pid}/root"
        if program and "/" not in text:
            return (name for place in ENVIRONMENT["PATH"].split(":") for name in _entries(f"{root}{place}", text))
        folder, slash, name = text.rpartition("/")
        place = f"{root}{folder}/" if text.startswith("/") else f"{_directory(node) or root}/{folder}"
        files = (f"{folder}{slash}{one}" for one in _entries(place, name, mark=True))
        return files if slash else [*files, *self._nodes(_NODE)]


def _events() -> list[str]:
    found = Path(CODE, "lab", "events").glob("*/guest.py")
    return [f"{path.parent.name.replace('_', '-')}:" for path in found]


def _entries(place: str, begins: str, *, mark: bool = False) -> list[str]:
    """Return the names in a directory that begin so; ``mark``: directories with a slash."""
    with contextlib.suppress(OSError), os.scandir(place) as entries:
        return [f"{one.name}/" if mark and one.is_dir() else one.name for one in entries if one.name.startswith(begins)]
    return []


def _directory(node: LabNode) -> str | None:
    """Return the directory in which the node's shell is; None if it has not been started."""
    if not node.shell:
        return None
    with contextlib.suppress(OSError, IndexError):  # the shell is what ``enter`` has started
        child = Path(f"/proc/{node.shell.pid}/task/{node.shell.pid}/children").read_text().split()[0]
        return f"/proc/{child}/cwd"
    return None
