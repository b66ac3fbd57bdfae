# SPDX-License-Identifier: MIT
"""The commands of a prompt: Mininet's, Mininet-WiFi's and the lab's."""

from __future__ import annotations

import math
import re
from functools import partial
from typing import Any

from mininet.cli import CLI
from mininet.log import error, output

from lab.guest.errors import GuestError
from lab.guest.handoff import StationHandoff
from lab.guest.network.nodes import LabNode
from lab.guest.session import Session
from lab.shared import types

_HIDDEN = {"do_x", "do_gterm", "do_EOF"}  # other names of commands that are listed
ROAM_TIMEOUT_NS = 10_000_000_000
_QUANTITY = re.compile(r"[-+]?[\d.]+\s*[^\s\d.]*")
_NUMBER = re.compile(r"[-+]?[\d.]+")
_MOVE = "move NODE X Y Z [SPEED], each with a unit: move sta1 42 m, 0 m, 1 m, 3 m/s"
_DURATION = re.compile(r"(\d+(?:\.\d+)?)\s*(ms|s|min|h)")
_IN_NS = {"ms": 1e6, "s": 1e9, "min": 60e9, "h": 3600e9}
_FASTEST = 1000.0
_FORWARD = re.compile(r"(\d{1,5}) +([^\s:]+):(\d{1,5})")


class Commands(CLI):
    """The commands; what types them is up to others (lab.guest.shell, lab.guest.batch)."""

    _session: Session
    _sources: list[str]  # files that are being read, one from the other
    _location: str  # of the current command, if it comes from a file: FILE:LINE, or its line in the input

    def get_names(self) -> list[str]:
        """Return the methods of commands."""
        return [name for name in super().get_names() if name not in _HIDDEN]

    # What plays

    def do_pace(self, line: str) -> None:
        """Say or change how fast timeline and movements play: pace, or pace 10. The network keeps its own time."""
        player = self._session.player
        if line.strip():
            try:
                pace = float(line)
            except ValueError:
                pace = 0.0
            if not 0 < pace <= _FASTEST:
                error(f"pace NUMBER, from above 0 to {_FASTEST:g}: pace 10 is ten times as fast; pause stops it\n")
                return
            self._session.call(lambda: player.play(pace))
        self._say_time()

    def do_pause(self, _line: str) -> None:
        """Let the timeline and movements pause: pause; start goes on."""
        self._session.call(self._session.player.pause)
        self._say_time()

    do_stop = do_pause

    def do_start(self, _line: str) -> None:
        """Let the timeline and movements go on, at their pace: start; stop, or pause, is the opposite."""
        self._session.call(self._session.player.play)
        self._say_time()

    def do_step(self, line: str) -> None:
        """Let the timeline and movements play for a while, and pause: step 1 s."""
        found = _DURATION.fullmatch(line.strip())
        if found is None:
            error("step DURATION, with a unit: step 1 s, step 500 ms\n")
            return
        self._session.step(round(float(found[1]) * _IN_NS[found[2]]))
        self._say_time()

    def _say_time(self) -> None:
        player = self._session.player
        how = f"plays at pace {player.pace:g}" if player.playing else "is paused"
        output(f"the timeline {how}, at {player.now_ns() / 1e9:.3f} s; events to come: {player.to_come()}\n")

    # Where nodes are

    def position_m(self, node: str) -> tuple[float, float, float] | None:
        """Return where a node is; None if it has no position."""
        return self._session.position_m(node)

    def do_position(self, line: str) -> None:
        """Print where nodes are, in m: position, or position sta1."""
        for name in line.split() or list(self.mn):
            if self._node(name):
                where = self.position_m(name)
                output(f"{name} {', '.join(f'{one:g}' for one in where) if where else 'has no position'}\n")

    def do_distance(self, line: str) -> None:
        """Print the distance between two nodes: distance sta1 ap1."""
        names = line.split()
        if len(names) != 2:
            error("distance NODE NODE\n")
        elif all(self._node(name) for name in names):
            spots = [self.position_m(name) for name in names]
            without = [name for name, spot in zip(names, spots, strict=True) if spot is None]
            if without:
                error(f"{' and '.join(without)}: no position\n")
                return
            there, here = (spot for spot in spots if spot)
            output(f"The distance between {names[0]} and {names[1]} is {round(math.dist(there, here), 2)} meters\n")

    def _node(self, name: str) -> LabNode | None:
        """Return a node by its name; report one that is not there."""
        if name not in self.mn:
            error(f"no node is called {name}\n")
            return None
        node: LabNode = self.mn[name]
        return node

    # Switches

    def do_switch(self, line: str) -> None:
        """Take all wired links of a switch down or up: switch SWITCH stop|start."""
        words = line.split()
        if len(words) != 2 or words[1] not in ("start", "stop") or words[0] not in self.mn:
            error("switch SWITCH start, or switch SWITCH stop\n")
            return
        for link in self.mn.links:
            ends = [link.intf1.node.name, link.intf2.node.name]
            if words[0] in ends:
                self._fire(f"link: [{', '.join(ends)}], to: {'up' if words[1] == 'start' else 'down'}")

    def do_dpctl(self, line: str) -> None:
        """Run ovs-ofctl on each switch: dpctl dump-flows, dpctl show."""
        command, *others = line.split() or [""]
        if not command:
            error("dpctl COMMAND [ARGUMENT]…: dpctl dump-flows\n")
            return
        for node in (*self.mn.switches, *self.mn.aps):
            if node.spec.kind == "switch" or node.spec.openflow:
                output(f"*** {node.name} {'-' * 72}\n")
                try:
                    output(node.container.run("ovs-ofctl", command, node.name, *others).decode(errors="replace"))
                except GuestError as failure:
                    error(f"*** {failure.message}\n")

    # The host

    def do_forward(self, line: str) -> None:
        """Connect a port of the host to one of a node: forward 8080 h1:80. Without words, list such ports."""
        found = _FORWARD.fullmatch(line.strip())
        if line.strip() and found is None:
            error("forward PORT NODE:PORT, such as forward 8080 h1:80\n")
            return
        if found and not self._node(found[2]):
            return
        asked = {"port": int(found[1]), "node": found[2], "to": int(found[3])} if found else {"port": None}
        for one in self._session.ask("forward", **asked)["lines"]:
            output(f"{one}\n")

    def do_xterm(self, line: str, term: str = "xterm") -> None:
        """Say how to open a terminal of a node: xterm sta1."""
        node = line.strip() or "NODE"
        output(f"The guest has no display. In another window of your desktop: lab attach {node}\n")

    do_x = do_gterm = do_xterm

    # Files

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

    # Events

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
        """List what has been done so far, with its time in the timeline."""
        for at_ns, written in sorted(self._session.done, key=lambda one: one[0]):
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
        begun_ns = self._session.player.now_ns()
        try:
            self._session.call(lambda: self._hand_off(stations[words[0]], aps[words[1]]))
        except GuestError as failure:
            error(f"{failure.message}\n")
            return
        self._session.note(f"roam: {words[0]}, to: {words[1]}", begun_ns)
        output(f"{words[0]} is associated with {words[1]}\n")

    def _hand_off(self, station: LabNode, ap: LabNode) -> None:
        guest = self._session.guest
        control = guest.controls[station.name]
        handoff = StationHandoff(control, station.spec, ap.spec)
        try:
            handoff.start()
            guest.loop.wait_for(lambda: handoff.done, ROAM_TIMEOUT_NS, "the handoff to end", control.last)
        except GuestError:
            handoff.end()
            raise

    def do_links(self, _line: str) -> None:
        """List the wired links with their shaping, and the access point of each station."""
        for link in self.mn.links:
            output(f"{link.describe()}\n")
        names = types.names_by_mac(ap.spec for ap in self.mn.aps)
        for station in self.mn.stations:
            control = self._session.guest.controls[station.name]
            answer = self._session.call(partial(control.request, "STATUS"))
            status = dict(line.split("=", 1) for line in answer.splitlines() if "=" in line)
            ap = names.get(status.get("bssid", ""))
            where = f"{ap} {status.get('freq', '?')} MHz" if ap else "not associated,"
            output(f"{station.radio.interface}<~>{where} {status['wpa_state']}\n")

    def do_wait(self, _line: str) -> None:
        """Do nothing."""
        output("There is nothing to wait for: switches need no OpenFlow controller, and the network is up.\n")
