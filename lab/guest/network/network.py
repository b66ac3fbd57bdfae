# SPDX-License-Identifier: MIT
"""Mininet's ``Mininet`` over the nodes of a plan, with Mininet-WiFi's stations and access points.

It creates nothing by itself: lab/guest/script.py determines what is created, and when.
"""

from __future__ import annotations

import re
import signal
import subprocess
from collections.abc import Iterator, Sequence

from mininet.link import Link as MininetLink
from mininet.log import output
from mininet.net import Mininet
from mininet.util import numCores

from lab.guest.commands import Mount
from lab.guest.errors import GuestError
from lab.guest.network.container import Container
from lab.guest.network.nodes import LabIntf, LabNode
from lab.guest.tasks import run
from lab.shared import types

_ANSWER_S = 3  # time for the answer to a ping
_NETEM = re.compile(r"qdisc netem \S+ root (?:refcnt \d+ )?(limit \d+)(.*?)(?: seed \d+)?\s*$")
_REPORT_S = 5.0  # for the last report of iperf's server


class WiredLink(MininetLink):
    """A veth pair between containers, shaped by tc/netem in each direction: Mininet's Link over what exists already."""

    def __init__(self, spec: types.Link, node_a: LabNode, node_b: LabNode) -> None:
        self.spec = spec
        self.intf1: LabIntf = node_a.nameToIntf[spec.a]
        self.intf2: LabIntf = node_b.nameToIntf[spec.b]
        self.intf1.link = self.intf2.link = self

    def describe(self) -> str:
        """Return the link as ``links`` in the shell shows it: as the kernel has it now."""
        ends = (self.intf1, self.intf2)
        up = all(" UP " in _asked(end, "ip", "-br", "link", "show", "dev", end.name) for end in ends)
        shaped = _NETEM.match(_asked(self.intf1, "tc", "qdisc", "show", "dev", self.intf1.name, "root"))
        words = " ".join(f"{shaped[2]} {shaped[1]}".split()) if shaped else "unshaped"
        return f"{self.intf1}<->{self.intf2} {words}{'' if up else ', down'}"


def _asked(end: LabIntf, *argv: str) -> str:
    with end.node.container.network():
        return run(argv).decode()


class LabNet(Mininet):
    """A running network."""

    def __init__(self, plan: types.Plan) -> None:
        Mininet.inited = True  # its setup raises limits and cleans up a host; a guest is always new
        numCores.ncores = 1  # Mininet would start a process to count them
        super().__init__(topo=None, build=False, controller=None, autoSetMacs=False)
        self.plan = plan
        self.stations: list[LabNode] = []
        self.aps: list[LabNode] = []
        self._phys = types.radio_numbers(plan.nodes)

    def add(self, spec: types.Node, mounts: Sequence[Mount], class_name: str, lists: Sequence[str]) -> LabNode:
        """Create a node of the plan; Mininet shows the name of its class, and finds nodes in these lists."""
        made: type[LabNode] = type(class_name, (LabNode,), {})
        node = made(spec, mounts, self._phys.get(spec.name))
        for name in lists:
            getattr(self, name).append(node)
        self.nameToNode[spec.name] = node
        return node

    def container(self, node: str) -> Container:
        """Return the container of a node."""
        found: Container = self.nameToNode[node].container
        return found

    def build(self) -> None:
        """Give Mininet its view of the existing links."""
        for link in self.plan.links:
            self.links.append(WiredLink(link, self.nameToNode[link.node_a], self.nameToNode[link.node_b]))
        self.built = True

    def iperf(
        self,
        hosts: Sequence[LabNode] | None = None,
        l4Type: str = "TCP",
        udpBw: str = "10M",
        fmt: str | None = None,
        seconds: int = 5,
        port: int = 5001,
    ) -> list[str]:
        """Print and return the rates of server and client; of UDP, first the wanted rate.

        Mininet's own method waits for two reports of the server, of which iperf 2.2 prints only one.

        Raises:
            GuestError: If a node has no address, or the server did not start.
        """
        client, server = hosts or (self.hosts[0], self.hosts[-1])
        for node in (client, server):
            if node.IP() is None:
                raise GuestError(f"{node.name} has no IP address; name hosts or stations", node.name)
        _reach(client, server)
        output(f"*** Iperf: testing {l4Type} bandwidth between {client} and {server}\n")
        words = ["iperf", "-p", str(port), *(["-u"] if l4Type == "UDP" else []), *(["-f", fmt] if fmt else [])]
        listener = server.popen([*words, "-s"], stdin=subprocess.DEVNULL, stderr=subprocess.STDOUT)
        try:
            if not any(b"listening" in line for line in listener.stdout or ()):
                raise GuestError(f"iperf did not start on {server.name}", server.name)
            rate = ["-b", udpBw] if l4Type == "UDP" else []
            of_client = client.cmd(*words, "-t", str(seconds), "-c", server.IP(), *rate)
        finally:
            listener.send_signal(signal.SIGINT)
            try:
                of_server = listener.communicate(timeout=_REPORT_S)[0].decode(errors="replace")
            except subprocess.TimeoutExpired:  # it waits for a client that has gone
                listener.kill()
                of_server = listener.communicate()[0].decode(errors="replace")
        result = [*([udpBw] if rate else []), self._parseIperf(of_server), self._parseIperf(of_client)]
        output(f"*** Results: {result}\n")
        return result

    def __iter__(self) -> Iterator[str]:
        """Yield the names of all nodes, including access points."""
        return (node.name for node in self.lab_nodes())

    def lab_nodes(self) -> list[LabNode]:
        """Return all nodes in the plan's order."""
        return [self.nameToNode[node.name] for node in self.plan.nodes]


def _reach(client: LabNode, server: LabNode) -> None:
    """Ask the server for an answer: without a route, iperf would wait for minutes.

    Raises:
        GuestError: If no answer comes.
    """
    try:
        client.container.run("ping", "-q", "-c", "1", "-W", "1", "-w", str(_ANSWER_S), server.IP())
    except GuestError:
        why = f"{client.name} does not reach {server.name} ({server.IP()}): no answer to ping"
        raise GuestError(f"{why}; links shows which nodes are connected", client.name) from None
