# SPDX-License-Identifier: MIT
"""``lab shell``: Mininet's command line on a running lab, in real time, as users of Mininet-WiFi expect."""

from __future__ import annotations

import contextlib
import fcntl
import json
import logging
import os
import re
import readline
import select
import signal
import struct
import sys
import termios
import time
import tty
from pathlib import Path
from textwrap import fill
from typing import Any, TextIO

from mininet.log import error, lg, output, setLogLevel

from lab.guest.completion import DELIMITERS, Completion
from lab.guest.errors import GuestError
from lab.guest.loop import now_ns, readable
from lab.guest.network.network import LabNet
from lab.guest.network.nodes import LabNode
from lab.guest.session import Session
from lab.guest.shell_commands import Commands
from lab.guest.tasks import ENVIRONMENT
from lab.shared.names import escaped
from lab.shared.paths import PROMPT

WELCOME = """
{nodes}
Commands: sta1 ping h1 · h1 ip addr · pingall · nodes · links · dump · net
  roam STATION AP · move NODE X Y Z SPEED · event … · events · save FILE
  pace 10 · pause · start · step 1 s · position · source FILE
  pcap start · pcap stop · py EXPR · help · exit
"""
HELP = """
NODE COMMAND runs a program in a node. After the first word, names of nodes
become their addresses, everywhere in the line; so a second command for a node
needs its own line, without ; or &&:
  sta1 ping -c 3 h1
  h1 tcpdump -ni h1-eth0 &
py EXPRESSION evaluates Python with every node and net at hand:
  py sta1.IP()
"""
# a command that took longer is saved as one in the background: a timeline waits for its events, and moves wait, too
_LONG_NS = 100_000_000
_TERMINALS = ("/etc/terminfo", "/lib/terminfo", "/usr/share/terminfo")  # where programs look for what one can do
_USUAL_TERMINAL = "xterm-256color"
BY_LINE = {"PYTHON_BASIC_REPL": "1"}  # or its prompt reads ahead, and drops what was pasted for others
PLAIN = {"NO_COLOR": "1"}  # ip does not ask what the terminal can do
_CTRL_C, _CTRL_D = b"\x03", b"\x04"
_START_S = 0.2  # a shell starts a program within this time
_LOOK_S = 0.001
_COMPUTING_BASH = re.compile(rb"\(bash\) [^S]")  # in /proc/PID/stat
_FIT_MS = 500
_BLOCK_BYTES = 4096


def _bash_computes() -> bool:
    """Return whether a shell itself, or what it has forked and not yet made a program, has something to do."""
    for path in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):  # it has ended
            if _COMPUTING_BASH.search(path.read_bytes()):
                return True
    return False


class Shell(Commands):
    """The prompt."""

    prompt = "lab> "
    doc_header = "Commands (help COMMAND describes one; NODE COMMAND runs a program in a node):"

    helpStr = HELP

    def __init__(self, session: Session, network: LabNet, stdin: TextIO = sys.stdin) -> None:
        self._session = session
        self._network = network
        self._sources = []
        self._location = ""
        self._typed = b""  # while commands ran, and nothing has read it: more than the terminal has room for
        self._reading = False  # whether it waits for a line
        self._news: list[str] = []  # of the timeline, while it does not
        lg.addFilter(self._placed)
        try:
            self.greet()
            super().__init__(network, stdin)
        finally:
            lg.removeFilter(self._placed)

    def initReadline(self) -> None:
        """Take the history of earlier sessions; complete what is typed."""
        with contextlib.suppress(GuestError):
            for line in self._session.ask("history")["lines"]:
                readline.add_history(line)
        completion = Completion(self._session, self.mn, self.get_names())
        self.complete = completion.complete
        readline.set_completer_delims(DELIMITERS)

    def run(self) -> None:
        """Run Mininet's prompt; from now on, Ctrl-C ends a command."""
        signal.signal(signal.SIGINT, signal.default_int_handler)
        # a program's output may go to a file, and lines that are pasted are commands of their own
        readline.parse_and_bind("set enable-bracketed-paste off")
        readline.set_startup_hook(self._type_ahead)
        PROMPT.touch()
        super().run()

    def preloop(self) -> None:
        """Forget what was typed before Ctrl-C, as terminals do."""
        self._typed = b""

    def _type_ahead(self) -> None:
        """Give the prompt the next line of what was typed while commands ran."""
        self._reading = True
        if self._typed:
            keyboard = self.stdin.fileno()
            line, *later = (self._typed + _rest_of(keyboard)).splitlines(keepends=True)
            self._typed = b"".join(later)
            readline.insert_text(line[: -_BLOCK_BYTES // 2].decode(errors="replace"))
            for byte in line[-_BLOCK_BYTES // 2 :]:
                fcntl.ioctl(keyboard, termios.TIOCSTI, bytes([byte]))

    def precmd(self, line: str) -> str:
        """Keep what was typed for later sessions."""
        self._reading = False
        with contextlib.suppress(GuestError):
            self._session.ask("remember", line=line)
        return line

    def postcmd(self, stop: Any, line: str) -> Any:
        """Print what the timeline has done meanwhile."""
        while self._news:
            output(f"{self._news.pop(0)}\n")
        return stop

    def _tell(self, text: str) -> None:
        """Print what the timeline has done: above the line that is being typed, or after the command that runs."""
        if self._reading and ENVIRONMENT["TERM"] != "dumb":
            output(f"\r\x1b[K{text}\n{self.prompt}{readline.get_line_buffer()}")
        else:
            self._news.append(text)

    def greet(self) -> None:
        """Print the nodes and the most useful commands, on a terminal of the host's type."""
        self._fit(sys.stdin.fileno())
        found = self._session.ask("terminal")["type"]
        known = any(Path(place, found[:1], found).exists() for place in _TERMINALS)
        os.environ["TERM"] = ENVIRONMENT["TERM"] = found if known else _USUAL_TERMINAL
        if found == "dumb":
            ENVIRONMENT.update(PLAIN)
        ENVIRONMENT.update(BY_LINE)
        self._session.tell = self._session.report = self._tell
        setLogLevel("info")
        kinds = "  ".join(f"{node.name}\N{NO-BREAK SPACE}({node.spec.kind})" for node in self._network.lab_nodes())
        output(WELCOME.format(nodes=fill(kinds, 80).replace("\N{NO-BREAK SPACE}", " ")))
        if to_come := self._session.player.to_come():
            output(f"The timeline plays; events to come: {to_come}\n")

    def onecmd(self, line: str) -> Any:
        """Run a line as Mininet does; a failure in the guest is a message."""
        try:
            return super().onecmd(line)
        except GuestError as failure:
            error(f"*** {failure.message}\n{failure.output.decode(errors='replace')}")
            return None

    def default(self, line: str) -> Any:
        """Run a command in a node, as Mininet does; note it if it succeeds."""
        first, _, rest = line.partition(" ")
        if first not in self.mn:
            error(f"*** Unknown command: {line}{self._suggestion(first)}\n")
            return
        if not rest.strip():
            super().default(line)
            return
        begun_ns, at_ns = now_ns(), self._session.player.now_ns()
        words = " ".join(self._address(word) for word in rest.split(" "))
        if self._status_of(self.mn[first], words) == 0:
            took_long = now_ns() - begun_ns > _LONG_NS
            argv = json.dumps(self.mn[first].container.own.as_words(words, took_long), ensure_ascii=False)
            self._session.note(f"exec: {first}, run: {argv}", at_ns)

    def _suggestion(self, word: str) -> str:
        """Return a node or command with a similar name, for a message."""
        from difflib import get_close_matches

        commands = [name[3:] for name in self.get_names() if name.startswith("do_")]
        alike = get_close_matches(word, [*(node.name for node in self._network.lab_nodes()), *commands], n=1)
        return f" (did you mean {alike[0]}?)" if alike else ""

    def _status_of(self, node: LabNode, words: str) -> int:
        """Run a command with the terminal as its own until it ends; return its status.

        What was typed and not read comes to the prompt, as in any shell.
        """
        keyboard = self.stdin.fileno()
        before = termios.tcgetattr(keyboard)
        early: list[bytes] = []  # Ctrl-C before the terminal passes it on as any other key
        signal.signal(signal.SIGINT, lambda *_: early.append(_CTRL_C))
        tty.setraw(keyboard, termios.TCSANOW)
        ahead = os.read(keyboard, _BLOCK_BYTES) if readable(keyboard) else b""
        try:
            node.sendCmd(words)
            self._fit(keyboard, node.master)
            # a Ctrl-D that came before is the end of a line, which reads as a zero byte now
            self._typed += b"".join(early) + ahead.replace(b"\0", _CTRL_D)
            self._pass_on(node, keyboard)
        finally:
            signal.signal(signal.SIGINT, signal.default_int_handler)
            self._typed = node.take_back() + self._typed + _rest_of(keyboard)
            termios.tcsetattr(keyboard, termios.TCSANOW, before)
        return node.last_status

    def _pass_on(self, node: LabNode, keyboard: int) -> None:
        """Pass on what is typed, after what has been typed, and printed, until a command ends."""
        runs = False
        while node.waiting:
            if self._typed and node.begun and not runs:
                # bash handles a Ctrl-C that arrives while it starts a program only after that program has ended
                latest_s = time.monotonic() + _START_S
                while _bash_computes() and time.monotonic() < latest_s:
                    time.sleep(_LOOK_S)
                runs = True
            poller = select.poll()
            poller.register(node.shell_end, select.POLLIN)
            poller.register(node.master, select.POLLIN | (select.POLLOUT if self._typed and node.begun else 0))
            if not self._typed:
                poller.register(keyboard, select.POLLIN)
            ready = dict(poller.poll(_FIT_MS))
            if not ready:
                self._fit(keyboard, node.master)
            if keyboard in ready:
                self._typed = os.read(keyboard, _BLOCK_BYTES)
            if self._typed and ready.get(node.master, 0) & select.POLLOUT:
                self._typed = self._typed[os.write(node.master, self._typed) :]
            if node.shell_end in ready or ready.get(node.master, 0) & ~select.POLLOUT:
                output(node.monitor())

    def _fit(self, *terminals: int) -> None:
        """Give terminals the size of the host's: their kernel does not report when that changes."""
        size = struct.pack("4H", *self._session.ask("terminal")["size"], 0, 0)
        for terminal in terminals:
            fcntl.ioctl(terminal, termios.TIOCSWINSZ, size)

    def _address(self, word: str) -> str:
        """Return the address of a node, and any other word unchanged."""
        return self.mn[word].defaultIntf().updateIP() or word if word in self.mn else word

    def _placed(self, record: logging.LogRecord) -> bool:
        """Let an error name the line of the file that it comes from; what it repeats does not control the terminal."""
        if record.levelno == logging.ERROR:
            said = f"{self._location}{str(record.msg).removeprefix('*** ')}" if self._location else str(record.msg)
            record.msg = re.sub(r"[^\n\t]+", lambda part: escaped(part[0]), said)
        return True

    def emptyline(self) -> Any:
        """Do nothing, as in Mininet."""
        return None


def _rest_of(keyboard: int) -> bytes:
    """Return what has been typed and not been read; the terminal is raw."""
    typed = b""
    while readable(keyboard) and (more := os.read(keyboard, _BLOCK_BYTES)):
        typed += more
    return typed
