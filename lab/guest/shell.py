# SPDX-License-Identifier: MIT
"""``lab shell``: Mininet's command line on a running lab, in real time, as users of Mininet-WiFi expect."""

from __future__ import annotations

import json
import re
import select
import signal
import sys
from typing import Any, TextIO

from mininet.cli import CLI
from mininet.log import error, output, setLogLevel
from mininet.util import quietRun

from lab.guest.errors import GuestError
from lab.guest.handoff import Handoff
from lab.guest.host import Host, opened
from lab.guest.live import LiveGuest
from lab.guest.network import links
from lab.guest.network.network import LabNet
from lab.guest.network.nodes import LabNode
from lab.guest.session import Session
from lab.shared.paths import PROMPT

WELCOME = """
{nodes}
Commands: sta1 ping h1 · h1 ip addr · pingall · nodes · links · dump · net · py EXPR · help · exit
  roam STATION AP · move NODE X Y Z SPEED · event … · events · save FILE · pcap start · pcap stop
"""
HELP = """
NODE COMMAND runs a program in a node. After the first word, names of nodes become their addresses, everywhere in the
line; so a second command for a node needs a line of its own, without ; or &&:
  sta1 ping -c 3 h1
  h1 tcpdump -ni h1-eth0 &
py EXPRESSION evaluates Python with every node and net at hand:
  py sta1.IP()
"""
_HIDDEN = {"do_xterm", "do_x", "do_gterm", "do_dpctl", "do_switch", "do_ports", "do_wait", "do_EOF"}
ROAM_TIMEOUT_NS = 10_000_000_000
# a command that took longer is saved as one in the background: a timeline waits for its events, and moves wait, too
_LONG_NS = 100_000_000
_QUANTITY = re.compile(r"[-+]?[\d.]+\s*[^\s\d.]*")
_MOVE = "move NODE X Y Z [SPEED], each with a unit: move sta1 42 m 0 m 1 m 3 m/s"


class Shell(CLI):
    """The prompt."""

    prompt = "lab> "
    doc_header = "Commands (help COMMAND describes one; NODE COMMAND runs a program in a node):"

    helpStr = HELP

    def get_names(self) -> list[str]:
        """The methods of commands, without those that need a display or an OpenFlow controller."""
        return [name for name in super().get_names() if name not in _HIDDEN]

    def __init__(self, guest: LiveGuest, network: LabNet, stdin: TextIO = sys.stdin) -> None:
        self._guest = guest
        self._network = network
        self._host = Host(opened())
        self._session = Session(guest, self._host)
        network.build()
        self.greet()
        super().__init__(network, stdin)

    def run(self) -> None:
        """Mininet's: Ctrl-C ends a command from now on."""
        signal.signal(signal.SIGINT, signal.default_int_handler)
        PROMPT.touch()
        super().run()

    def greet(self) -> None:
        """Print the nodes and the most useful commands."""
        setLogLevel("info")
        kinds = "  ".join(f"{node.name} ({node.spec.kind})" for node in self._network.lab_nodes())
        output(WELCOME.format(nodes=kinds))

    def onecmd(self, line: str) -> Any:
        """Mininet's; a failure in the guest is a message."""
        try:
            return super().onecmd(line)
        except GuestError as failure:
            error(f"*** {failure.message}\n")
            return None

    def default(self, line: str) -> Any:
        """Mininet's: run a command in a node; note it if it succeeds."""
        begun_ns = self._guest.clock.elapsed_ns()
        first, _, rest = line.partition(" ")
        if first not in self.mn or not rest.strip():
            super().default(line)
            return
        node = self.mn[first]
        words = " ".join(self._address(word) for word in rest.split(" "))
        super().default(f"{first} {node.container.own.for_shell(words)}")
        if node.shell and node.last_status() == "0":
            self._note_command(first, words, begun_ns)

    def _note_command(self, node: str, words: str, begun_ns: int) -> None:
        took_long = self._guest.clock.elapsed_ns() - begun_ns > _LONG_NS
        argv = json.dumps(self.mn[node].container.own.as_words(words, took_long), ensure_ascii=False)
        self._session.note(f"exec: {node}, run: {argv}", begun_ns)

    def _address(self, word: str) -> str:
        """Return the address of a node, and any other word as it is."""
        return self.mn[word].defaultIntf().updateIP() or word if word in self.mn else word

    def do_link(self, line: str) -> None:
        """Take a wired link down or up: link NODE NODE up|down."""
        words = line.split()
        if len(words) != 3 or words[2] not in ("up", "down"):
            error("link NODE NODE up, or link NODE NODE down\n")
            return
        self._fire(f"link: [{words[0]}, {words[1]}], to: {words[2]}")

    def do_move(self, line: str) -> None:
        """Move a node, at once or at a speed: move NODE X Y Z [SPEED], such as move sta1 42 m 0 m 1 m 3 m/s."""
        node, _, rest = line.strip().partition(" ")
        found = _QUANTITY.findall(rest)
        if len(found) not in (3, 4) or _QUANTITY.sub("", rest).strip():
            error(f"{_MOVE}\n")
            return
        *place, speed = found if len(found) == 4 else [*found, ""]
        self._fire(f"move: {node}, to: [{', '.join(place)}]" + (f", speed: {speed}" if speed else ""))

    def do_event(self, line: str) -> None:
        """Do an event of a timeline, written without at: event netem: h1-s1, delay: 20 ms."""
        if not line.strip():
            error("event KIND: TARGET, …, as in a timeline: event netem: h1-s1, delay: 20 ms\n")
            return
        self._fire(line.strip())

    def _fire(self, written: str) -> None:
        for told in self._session.fire(written):
            output(f"{told}\n")

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
        handoff = Handoff(control, stations[words[0]].spec, aps[words[1]].spec)
        try:
            handoff.start()
            self._guest.loop.wait_for(lambda: handoff.done, ROAM_TIMEOUT_NS, "the handoff to end", control.last)
        except GuestError as failure:
            handoff.end()
            error(f"{failure.message}\n")
            return
        self._session.note(f"roam: {words[0]}, to: {words[1]}", begun_ns)
        output(f"{words[0]} is associated with {words[1]}\n")

    def waitForNode(self, node: LabNode) -> None:
        """Pass on what is typed and printed until a command ends, as Mininet does, or the node's shell does."""
        poller = select.poll()
        for source in (self.stdin, node.stdout, node.shell_end):
            poller.register(source, select.POLLIN)
        if self.isatty():
            quietRun("stty -icanon min 1")  # programs that ask get each character as it is typed
        while node.waiting:
            try:
                ready = {number for number, _ in poller.poll()}
                if self.stdin.fileno() in ready:
                    node.write(self.stdin.read(1))
                if ready - {self.stdin.fileno()}:
                    output(node.monitor())
            except KeyboardInterrupt:
                node.sendInt()

    def do_links(self, _line: str) -> None:
        """List the wired links with their shaping, and the access point of each station."""
        for link in self.mn.links:
            output(f"{links.describe(link)}\n")
        names = {ap.radio.mac: ap.name for ap in self.mn.aps}
        for station in self.mn.stations:
            answer = self._guest.controls[station.name].request("STATUS")
            status = dict(line.split("=", 1) for line in answer.splitlines() if "=" in line)
            ap = names.get(status.get("bssid", ""), "nobody")
            output(f"{station.radio.interface}<~>{ap} {status.get('freq', '?')} MHz {status['wpa_state']}\n")

    def do_xterm(self, line: str, term: str = "xterm") -> None:
        """There is no display in the guest: type NODE COMMAND instead, for instance sta1 bash."""
        output(f"{self.do_xterm.__doc__}\n")

    do_x = do_gterm = do_xterm

    def do_wait(self, _line: str) -> None:
        """There is nothing to wait for: switches need no OpenFlow controller, and the network is up."""
        output(f"{self.do_wait.__doc__}\n")

    def emptyline(self) -> Any:
        """Do nothing, as in Mininet."""
        return None
