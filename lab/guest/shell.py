# SPDX-License-Identifier: MIT
"""``lab shell``: Mininet's command line on a running lab, in real time, as users of Mininet-WiFi expect."""

from __future__ import annotations

import select
import signal
import sys
from typing import Any, TextIO

from mininet.cli import CLI
from mininet.log import error, output, setLogLevel
from mininet.util import quietRun

from lab.guest.errors import GuestError
from lab.guest.handoff import Handoff
from lab.guest.live import LiveGuest
from lab.guest.network import links
from lab.guest.network.network import LabNet
from lab.guest.network.nodes import LabNode
from lab.shared.paths import PROMPT

WELCOME = """
{nodes}
Commands: sta1 ping h1 · h1 ip addr · pingall · nodes · links · dump · net · roam STATION AP · py EXPR · help · exit
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

    def do_roam(self, line: str) -> None:
        """Hand a station off: roam STATION ACCESS-POINT."""
        words = line.split()
        stations = {station.name: station for station in self.mn.stations}
        aps = {ap.name: ap for ap in self.mn.aps}
        if len(words) != 2 or words[0] not in stations or words[1] not in aps:
            error(f"roam STATION ACCESS-POINT, with one of {', '.join(stations)} and one of {', '.join(aps)}\n")
            return
        control = self._guest.controls[words[0]]
        handoff = Handoff(control, stations[words[0]].spec, aps[words[1]].spec)
        try:
            handoff.start()
            self._guest.loop.wait_for(lambda: handoff.done, ROAM_TIMEOUT_NS, "the handoff to end", control.last)
        except GuestError as failure:
            handoff.end()
            error(f"{failure.message}\n")
            return
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
