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

from mininet.cli import CLI
from mininet.log import error, lg, output, setLogLevel

from lab.guest.errors import GuestError
from lab.guest.handoff import StationHandoff
from lab.guest.host import Host, opened
from lab.guest.live import LiveGuest
from lab.guest.loop import readable
from lab.guest.network.network import LabNet
from lab.guest.network.nodes import LabNode
from lab.guest.session import Session
from lab.guest.tasks import ENVIRONMENT
from lab.shared import types
from lab.shared.names import escaped
from lab.shared.paths import PROMPT

WELCOME = """
{nodes}
Commands: sta1 ping h1 · h1 ip addr · pingall · nodes · links · dump · net
  roam STATION AP · move NODE X Y Z SPEED · event … · events · save FILE
  source FILE · pcap start · pcap stop · py EXPR · help · exit
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
_HIDDEN = {"do_xterm", "do_x", "do_gterm", "do_dpctl", "do_switch", "do_ports", "do_wait", "do_EOF"}
ROAM_TIMEOUT_NS = 10_000_000_000
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
_QUANTITY = re.compile(r"[-+]?[\d.]+\s*[^\s\d.]*")
_NUMBER = re.compile(r"[-+]?[\d.]+")
_MOVE = "move NODE X Y Z [SPEED], each with a unit: move sta1 42 m, 0 m, 1 m, 3 m/s"


def _bash_computes() -> bool:
    """Return whether a shell itself, or what it has forked and not yet made a program, has something to do."""
    for path in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):  # it has ended
            if _COMPUTING_BASH.search(path.read_bytes()):
                return True
    return False


class Shell(CLI):
    """The prompt."""

    prompt = "lab> "
    doc_header = "Commands (help COMMAND describes one; NODE COMMAND runs a program in a node):"

    helpStr = HELP

    def get_names(self) -> list[str]:
        """Return the methods of commands, without those that need a display or an OpenFlow controller."""
        return [name for name in super().get_names() if name not in _HIDDEN]

    def __init__(self, guest: LiveGuest, network: LabNet, stdin: TextIO = sys.stdin) -> None:
        self._guest = guest
        self._network = network
        self._host = Host(opened())
        self._session = Session(guest, self._host)
        self._sources: list[str] = []  # files that are being read, one from the other
        self._location = ""  # of the current command, if it comes from a file: FILE:LINE, or its line in the input
        self._typed = b""  # while commands ran, and nothing has read it: more than the terminal has room for
        lg.addFilter(self._placed)
        network.build()
        self._session.start()
        self.greet()
        super().__init__(network, stdin)

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
        if self._typed:
            keyboard = self.stdin.fileno()
            line, *later = (self._typed + _rest_of(keyboard)).splitlines(keepends=True)
            self._typed = b"".join(later)
            readline.insert_text(line[: -_BLOCK_BYTES // 2].decode(errors="replace"))
            for byte in line[-_BLOCK_BYTES // 2 :]:
                fcntl.ioctl(keyboard, termios.TIOCSTI, bytes([byte]))

    def greet(self) -> None:
        """Print the nodes and the most useful commands, on a terminal of the host's type."""
        self._fit(sys.stdin.fileno())
        found = self._session.ask("terminal")["type"]
        known = any(Path(place, found[:1], found).exists() for place in _TERMINALS)
        os.environ["TERM"] = ENVIRONMENT["TERM"] = found if known else _USUAL_TERMINAL
        if found == "dumb":
            ENVIRONMENT.update(PLAIN)
        ENVIRONMENT.update(BY_LINE)
        setLogLevel("info")
        kinds = "  ".join(f"{node.name}\N{NO-BREAK SPACE}({node.spec.kind})" for node in self._network.lab_nodes())
        output(WELCOME.format(nodes=fill(kinds, 80).replace("\N{NO-BREAK SPACE}", " ")))

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
        begun_ns = self._guest.clock.elapsed_ns()
        words = " ".join(self._address(word) for word in rest.split(" "))
        if self._status_of(self.mn[first], words) == 0:
            self._note_command(first, words, begun_ns)

    def _suggestion(self, word: str) -> str:
        """Return a node or command with a similar name, for a message."""
        from difflib import get_close_matches

        commands = [name[3:] for name in self.get_names() if name.startswith("do_") and name not in _HIDDEN]
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

    def _note_command(self, node: str, words: str, begun_ns: int) -> None:
        took_long = self._guest.clock.elapsed_ns() - begun_ns > _LONG_NS
        argv = json.dumps(self.mn[node].container.own.as_words(words, took_long), ensure_ascii=False)
        self._session.note(f"exec: {node}, run: {argv}", begun_ns)

    def _address(self, word: str) -> str:
        """Return the address of a node, and any other word unchanged."""
        return self.mn[word].defaultIntf().updateIP() or word if word in self.mn else word

    def do_source(self, line: str) -> Any:
        """Run the commands of a file of the host, one per line: source FILE."""
        if len(line.split()) != 1:
            error("source FILE\n")
            return None
        name = line.strip()
        if name in self._sources:
            raise GuestError(f"{name} is being read already")
        before = self._location
        self._sources.append(name)
        try:
            for number, command in enumerate(self._session.ask("source", path=name)["lines"], 1):
                self._location = f"{name}:{number}: "
                if command.strip() and not command.lstrip().startswith("#") and self.onecmd(command.strip()):
                    return True
        finally:
            self._location = before
            self._sources.pop()
        return None

    def _placed(self, record: logging.LogRecord) -> bool:
        """Let an error name the line of the file that it comes from; what it repeats does not control the terminal."""
        if record.levelno == logging.ERROR:
            said = f"{self._location}{str(record.msg).removeprefix('*** ')}" if self._location else str(record.msg)
            record.msg = re.sub(r"[^\n\t]+", lambda part: escaped(part[0]), said)
        return True

    def do_link(self, line: str) -> None:
        """Take a wired link down or up: link NODE NODE up|down."""
        words = line.split()
        if len(words) != 3 or words[2] not in ("up", "down"):
            error("link NODE NODE up, or link NODE NODE down\n")
            return
        self._fire(f"link: [{words[0]}, {words[1]}], to: {words[2]}")

    def do_move(self, line: str) -> None:
        """Move a node, at once or at a speed: move NODE X Y Z [SPEED], such as move sta1 42 m, 0 m, 1 m, 3 m/s."""
        node, *written = re.split(r"[\s,]+", line.strip())
        if len(written) in (3, 4) and all(map(_NUMBER.fullmatch, written)):
            with_units = map(" ".join, zip(written, ("m", "m", "m", "m/s"), strict=False))
            error(f"a position without units: write move {node} {', '.join(with_units)}\n")
            return
        found = _QUANTITY.findall(" ".join(written))
        if len(found) not in (3, 4) or _QUANTITY.sub("", " ".join(written)).strip():
            error(f"{_MOVE}\n")
            return
        *position, speed = found if len(found) == 4 else [*found, ""]
        self._fire(f"move: {node}, to: [{', '.join(position)}]" + (f", speed: {speed}" if speed else ""))

    def do_event(self, line: str) -> None:
        """Do an event of a timeline, written without at: event netem: h1-s1, delay: 20 ms."""
        if ":" not in line:
            error("event KIND: TARGET, …, as in a timeline: event netem: h1-s1, delay: 20 ms\n")
            return
        self._fire(line.strip())

    def _fire(self, written: str) -> None:
        for line in self._session.fire(written):
            output(f"{line}\n")

    def do_events(self, _line: str) -> None:
        """List what has been done so far, with its time since the prompt."""
        for at_ns, written in self._session.done:
            output(f"{at_ns / 1e9:.3f} s  {written}\n")

    def do_save(self, line: str) -> None:
        """Write a topology with what has been done as its timeline: save FILE.yaml."""
        if len(line.split()) != 1:
            error("save FILE.yaml\n")
            return
        output(f"{self._session.save(line.strip())}\n")

    def do_pcap(self, line: str) -> None:
        """Capture every frame on the medium: pcap start, then pcap stop, which names the files."""
        if line.strip() == "start":
            self._session.start_capture()
        elif line.strip() == "stop":
            for file in self._session.stop_capture() or ["nothing was sent"]:
                output(f"{file}\n")
        else:
            error("pcap start, or pcap stop\n")

    def do_roam(self, line: str) -> None:
        """Hand a station off: roam STATION ACCESS-POINT."""
        words = line.split()
        stations = {station.name: station for station in self.mn.stations}
        aps = {ap.name: ap for ap in self.mn.aps}
        if len(words) != 2 or words[0] not in stations or words[1] not in aps:
            error(f"roam STATION ACCESS-POINT, with one of {', '.join(stations)} and one of {', '.join(aps)}\n")
            return
        control = self._guest.controls[words[0]]
        begun_ns = self._guest.clock.elapsed_ns()
        handoff = StationHandoff(control, stations[words[0]].spec, aps[words[1]].spec)
        try:
            handoff.start()
            self._guest.loop.wait_for(lambda: handoff.done, ROAM_TIMEOUT_NS, "the handoff to end", control.last)
        except GuestError as failure:
            handoff.end()
            error(f"{failure.message}\n")
            return
        self._session.note(f"roam: {words[0]}, to: {words[1]}", begun_ns)
        output(f"{words[0]} is associated with {words[1]}\n")

    def do_links(self, _line: str) -> None:
        """List the wired links with their shaping, and the access point of each station."""
        for link in self.mn.links:
            output(f"{link.describe()}\n")
        names = types.names_by_mac(ap.spec for ap in self.mn.aps)
        for station in self.mn.stations:
            answer = self._guest.controls[station.name].request("STATUS")
            status = dict(line.split("=", 1) for line in answer.splitlines() if "=" in line)
            ap = names.get(status.get("bssid", ""))
            where = f"{ap} {status.get('freq', '?')} MHz" if ap else "not associated,"
            output(f"{station.radio.interface}<~>{where} {status['wpa_state']}\n")

    def do_xterm(self, line: str, term: str = "xterm") -> None:
        """Print what to type instead."""
        output("The guest has no display: type NODE COMMAND instead, for instance sta1 bash.\n")

    do_x = do_gterm = do_xterm

    def do_wait(self, _line: str) -> None:
        """Do nothing."""
        output("There is nothing to wait for: switches need no OpenFlow controller, and the network is up.\n")

    def emptyline(self) -> Any:
        """Do nothing, as in Mininet."""
        return None


def _rest_of(keyboard: int) -> bytes:
    """Return what has been typed and not been read; the terminal is raw."""
    typed = b""
    while readable(keyboard) and (more := os.read(keyboard, _BLOCK_BYTES)):
        typed += more
    return typed
