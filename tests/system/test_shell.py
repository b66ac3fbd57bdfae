# SPDX-License-Identifier: MIT
"""``lab shell`` as someone types it, in a terminal, and with commands from a pipe; in real time."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import pty
import re
import select
import struct
import subprocess
import sys
import termios
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import IO

import pytest

from lab import runs
from tests.system.waiting import until

pytestmark = pytest.mark.guest

LAB = Path(sys.executable).parent / "lab"
DEADLINE_S = 120.0
PROMPT = "lab> "


class Terminal:
    """A pseudo-terminal with a lab shell in it, or with a script of ``lab run``."""

    def __init__(
        self,
        topology: str,
        *options: str,
        cwd: Path | None = None,
        output: IO[bytes] | None = None,
        verb: str = "shell",
        prompt: str = PROMPT,
    ) -> None:
        self.prompt = prompt
        self.master, slave = pty.openpty()
        self.size(24, 80)
        self.process = subprocess.Popen(
            ["setsid", "--ctty", str(LAB), verb, topology, *options],
            stdin=slave,
            stdout=output or slave,
            stderr=output or slave,
            cwd=cwd,
            env={**os.environ, "TERM": "screen-256color", "LINES": "20", "COLUMNS": "70"},  # those of another terminal
        )
        os.close(slave)
        self.text = ""

    def size(self, lines: int, columns: int) -> None:
        """Resize the window."""
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("4H", lines, columns, 0, 0))

    def type(self, text: str) -> None:
        """Type, or paste, some text."""
        os.write(self.master, text.encode())

    def until(self, wanted: str) -> str:
        """Read until ``wanted`` appears; returns what came since the last call."""
        deadline_s = time.monotonic() + DEADLINE_S
        while wanted not in self.text:
            ready, _, _ = select.select([self.master], [], [], deadline_s - time.monotonic())
            assert ready, f"timeout: {wanted!r} is not in:\n{self.text}"
            try:
                data = os.read(self.master, 4096)
            except OSError:  # the other end is closed
                data = b""
            assert data, f"the shell ended before {wanted!r}:\n{self.text}"
            self.text += data.decode(errors="replace").replace("\r", "")
        seen, self.text = self.text.split(wanted, 1)
        return seen

    def ask(self, line: str) -> str:
        """Type a line; returns the answer."""
        os.write(self.master, line.encode() + b"\n")
        return self.until(self.prompt)

    def press(self, key: str) -> None:
        """Press a key with Ctrl."""
        os.write(self.master, bytes([ord(key) & 0x1F]))

    def rest(self) -> str:
        """Wait until the shell has ended; returns what it still printed."""
        deadline_s = time.monotonic() + DEADLINE_S
        with contextlib.suppress(OSError):  # the other end is closed
            while select.select([self.master], [], [], max(0.0, deadline_s - time.monotonic()))[0]:
                self.text += os.read(self.master, 4096).decode(errors="replace").replace("\r", "")
        return self.text

    def end(self) -> int:
        """Type exit and wait."""
        os.write(self.master, b"exit\n")
        return self.process.wait(timeout=DEADLINE_S)


def test_a_session(machine: runs.Machine) -> None:
    terminal = Terminal("two-aps-handoff", "--set", "medium=perfect", "--set", "timeline=[]")
    try:
        greeting = terminal.until(PROMPT)
        assert "sta1 (sta)" in greeting
        assert max(map(len, greeting[greeting.index("h1 (host)") :].splitlines())) <= 80
        assert "Core dump" not in greeting
        help_text = terminal.ask("help")
        assert "sta1 ping -c 3 h1" in help_text
        assert "mininet>" not in help_text
        assert "1 received" in terminal.ask("sta1 ping -c 1 h1")
        links = terminal.ask("links")
        assert re.search(r"h1-eth0<->s1-eth1 delay 5ms rate 100Mbit limit 1000\r?\n", links)
        assert re.search(r"sta1-wlan0<~>ap1 2412 MHz COMPLETED", links)
        assert "sta1 is associated with ap2" in terminal.ask("roam sta1 ap2")
        assert re.search(r"sta1-wlan0<~>ap2 2437 MHz", terminal.ask("links"))
        assert "roam STATION ACCESS-POINT" in terminal.ask("roam sta1 nowhere")
        assert "10.0.0.1" in terminal.ask("py h1.IP()")
        assert "<Station sta1" in terminal.ask("dump")
        assert "Results: 0% dropped" in terminal.ask("pingpair")
        assert "/dev/pts/0" in terminal.ask("h1 tty")
        assert "the medium is perfect, so a move changes nothing" in terminal.ask("move sta1 1 m 0 m 0 m")
        assert "link h1-s1 down" in terminal.ask("link h1 s1 down")
        assert "netem h1-s1 100 Mbit/s, delay 20 ms" in terminal.ask("event netem: h1-s1, delay: 20 ms")
        assert "h1-eth0<->s1-eth1 delay 20ms rate 100Mbit limit 1000, down" in terminal.ask("links")
        terminal.ask("sta1 false")
        listed = terminal.ask("events")
        done = ["exec: sta1", "roam: sta1", "exec: h1", "link: [h1", "netem: h1-s1"]
        assert [line.split("  ")[1].split(",")[0] for line in listed.splitlines()[1:]] == done
        terminal.ask("h1 exit")
        assert "again" in terminal.ask("h1 echo again")
        assert terminal.end() == 0
    finally:
        if terminal.process.poll() is None:
            terminal.process.kill()


@pytest.fixture(scope="module")
def terminal(machine: runs.Machine) -> Iterator[Terminal]:
    """A prompt on one-ap, for tests that leave it as they have found it."""
    found = Terminal("one-ap")
    try:
        found.until(PROMPT)
        yield found
    finally:
        if found.process.poll() is None:
            found.process.kill()
            found.process.wait()


def test_a_shell_and_programs_that_ask_have_a_terminal(terminal: Terminal) -> None:
    terminal.type("sta1 sh\n")
    terminal.until("# ")
    terminal.type("tty; echo $((6 * 7))\n")
    assert "/dev/pts/0\n42\n" in terminal.until("# ")
    terminal.type("exit\n")
    terminal.until(PROMPT)
    terminal.type("sta1 cat\n")
    terminal.until("cat\n")
    terminal.type("one\ntwo\n")
    terminal.until("one\ntwo\none\ntwo\n")
    terminal.press("D")
    terminal.until(PROMPT)
    terminal.type("sta1 while :; do read -p $((6 * 7)); done\n")
    terminal.until("\n42")
    terminal.press("C")
    terminal.until(PROMPT)
    assert "130" in terminal.ask("sta1 echo $?")


def test_what_is_pasted_goes_where_it_is_read(terminal: Terminal) -> None:
    terminal.type("sta1 bash\n")
    terminal.until("/# ")
    terminal.type("echo $((40 + 1))\necho $((40 + 2))\nexit\nnodes\nh1 echo $((40 + 3))\n")
    in_bash = terminal.until(PROMPT)
    assert "\n41\n" in in_bash.replace("\x1b[?2004l", "") and "\n42\n" in in_bash.replace("\x1b[?2004l", "")
    assert "available nodes are" not in in_bash
    assert "ap1 h1 sta1\n" in terminal.until(PROMPT)
    assert "\n43\n" in terminal.until(PROMPT)


def test_what_is_pasted_after_the_end_of_python_goes_to_the_prompt(terminal: Terminal) -> None:
    terminal.type("sta1 python3\nprint(40 + 1)\nexit()\nh1 echo $((40 + 3))\n")
    assert "\n41\n" in terminal.until(PROMPT)
    assert "\n43\n" in terminal.until(PROMPT)


@pytest.mark.parametrize(
    "pasted",
    [
        f"h1 true {'x' * 1000}\n" * 20,
        "sta1 bash\n" + f"true {'x' * 1000}\n" * 20 + "exit\n",
        # it runs until something has been typed
        "sta1 python3 -c 'import select; select.select([0], [], [])'\n" + f"h1 true {'x' * 1000}\n" * 20,
    ],
    ids=["commands", "in a shell", "during a command"],
)
def test_a_paste_of_20_kb(terminal: Terminal, pasted: str) -> None:
    before = terminal.ask("events").count("exec: h1")
    pasting = threading.Thread(target=terminal.type, args=(f"{pasted}h1 echo $((6 * 7))\n",))  # while it is read
    pasting.start()
    terminal.until("\n42\n")
    terminal.until(PROMPT)
    pasting.join()
    assert terminal.ask("events").count("exec: h1") == before + pasted.count("h1 ") + 1


def test_a_program_that_leaves_the_terminal_raw(terminal: Terminal) -> None:
    terminal.ask("h1 stty raw -echo")
    terminal.type("h1 cat\n")
    terminal.until("cat\n")
    terminal.press("D")
    terminal.until(PROMPT)
    assert "here\n" in terminal.ask("h1 echo here")


def test_type_and_size_of_the_terminal(terminal: Terminal) -> None:
    assert "\nscreen-256color\n" in terminal.ask("sta1 echo $TERM")
    assert "\n24 80\n" in terminal.ask("sta1 stty size")
    wait = "signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGWINCH}); print(6 * 7, flush=True)"
    shown = "signal.sigwait({signal.SIGWINCH}); print(*os.get_terminal_size())"
    terminal.type(f"sta1 python3 -c 'import os, signal; {wait}; {shown}'\n")
    terminal.until("\n42\n")
    terminal.size(50, 132)
    terminal.until("132 50\n")
    terminal.until(PROMPT)


def test_no_escape_codes_if_the_output_is_not_a_terminal(machine: runs.Machine, tmp_path: Path) -> None:
    with (tmp_path / "output").open("wb") as output:
        terminal = Terminal("one-ap", output=output)
        until(lambda: PROMPT.encode() in (tmp_path / "output").read_bytes())
        terminal.type("h1 ls --color=auto /\nh1 ip addr\nexit\n")
        assert terminal.process.wait(timeout=DEADLINE_S) == 0
    printed = (tmp_path / "output").read_bytes()
    assert b"usr" in printed and b"10.0.0.1/8" in printed and b"\x1b" not in printed
    link = piped("h1 ip link").stdout
    assert "h1-eth0" in link and "\x1b" not in link


def test_source_reads_a_file_of_the_host(machine: runs.Machine, tmp_path: Path) -> None:
    (tmp_path / "commands").write_text(
        "# comment\n\nh1 echo one\nnowhere\nroam sta1 h1\nevent link: h1\nsource commands\nh1 echo two\n"
    )
    found = piped("source commands\nsource missing\nh1 echo three\n", cwd=tmp_path)
    assert found.stdout.splitlines() == [
        "one",
        "commands:4: Unknown command: nowhere",
        "commands:5: roam STATION ACCESS-POINT, with one of sta1 and one of ap1",
        "commands:6: to: is missing (the new state: up or down)",
        "commands:7: commands is being read already",
        "two",
        "line 2: missing cannot be read: No such file or directory",
        "three",
    ]
    terminal = Terminal("one-ap", cwd=tmp_path)
    try:
        terminal.until(PROMPT)
        assert "commands:4: Unknown command: nowhere" in terminal.ask("source commands")
        assert "here\n" in terminal.ask("h1 echo here")
        (tmp_path / "end").write_text("h1 echo last\nexit\nh1 echo never\n")
        terminal.type("source end\n")
        assert "never" not in terminal.rest() and terminal.process.wait(timeout=DEADLINE_S) == 0
    finally:
        if terminal.process.poll() is None:
            terminal.process.kill()


def test_mistakes_at_the_prompt_say_what_to_write(lines: Lines) -> None:
    typed = (
        "move sta1 40,0,0\nmove sta1 1 2 3 4\nevent fault: lose frames: ack\nevent netem\n"
        "iperf ap1 h1\nstep 5\npace 0\ndistance sta1\ndistance sta1 h1\nposition sta9\nswitch h1\nstep fast\n"
    )
    assert lines.run(typed).splitlines() == [
        "line 1: a position without units: write move sta1 40 m, 0 m, 0 m",
        "line 2: a position without units: write move sta1 1 m, 2 m, 3 m, 4 m/s",
        'line 3: "fault: lose frames: ack" is not an event; write event fault: lose, frames: ack',
        "line 4: event KIND: TARGET, …, as in a timeline: event netem: h1-s1, delay: 20 ms",
        "line 5: ap1 has no IP address; name hosts or stations",
        "line 6: step DURATION, with a unit: step 1 s, step 500 ms",
        "line 7: pace NUMBER, from above 0 to 1000: pace 10 is ten times as fast; pause stops it",
        "line 8: distance NODE NODE",
        "line 9: h1: no position",
        "line 10: no node is called sta9",
        "line 11: switch SWITCH start, or switch SWITCH stop",
        "line 12: step DURATION, with a unit: step 1 s, step 500 ms",
    ]


def session_of(lab: int) -> Path | None:
    """Return the run directory of a lab's guest, once there is one."""
    with contextlib.suppress(FileNotFoundError, ProcessLookupError):  # one has ended since
        for children in Path(f"/proc/{lab}/task").glob("*/children"):
            for child in children.read_text().split():
                for word in Path(f"/proc/{child}/cmdline").read_text().split("\0"):
                    if word.startswith("lab.run="):
                        return Path(word.removeprefix("lab.run="))
    return None


@pytest.mark.parametrize("sign", [".", "pulse", "raw/daemon"])  # of the kernel, of its first process, of the agent
def test_ctrl_c_while_it_boots(machine: runs.Machine, sign: str) -> None:
    terminal = Terminal("one-ap")
    try:
        until(lambda: (session := session_of(terminal.process.pid)) and (session / sign).exists())
        while session_of(terminal.process.pid):  # before a process has opened its console, the key is lost
            terminal.press("C")
            with contextlib.suppress(subprocess.TimeoutExpired):
                terminal.process.wait(timeout=0.05)  # soon, or it has booted
        assert terminal.rest().replace("^C", "").strip() == "lab: interrupted"
        assert terminal.process.wait(timeout=DEADLINE_S) == 130
    finally:
        if terminal.process.poll() is None:
            terminal.process.kill()


def test_ctrl_backslash_does_not_end_it(machine: runs.Machine) -> None:
    terminal = Terminal("one-ap")
    try:
        terminal.until(PROMPT)
        terminal.press("\\")
        assert "here" in terminal.ask("h1 echo here")
        os.write(terminal.master, b"h1 sleep 600\n")
        terminal.until("sleep 600")
        terminal.press("\\")
        terminal.press("C")
        terminal.until(PROMPT)
        assert terminal.end() == 0
    finally:
        if terminal.process.poll() is None:
            terminal.process.kill()


def piped(commands: str, *topology: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Run commands in a shell without a terminal."""
    words = [str(LAB), "shell", *(topology or ("one-ap",))]
    return subprocess.run(
        words, input=commands, capture_output=True, text=True, timeout=DEADLINE_S, check=False, cwd=cwd
    )


class Lines:
    """A shell on one-ap without a terminal, for tests whose lines leave the network as it is."""

    def __init__(self) -> None:
        words = [str(LAB), "shell", "one-ap", "--set", "nodes.h1.privileged=true"]
        self.process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self._number = 0

    def run(self, lines: str) -> str:
        """Run lines; returns what they print, with their numbers counted from 1."""
        assert self.process.stdin and self.process.stdout
        self.process.stdin.write(f"{lines}h1 echo the end\n".encode())
        self.process.stdin.flush()
        printed = b""
        while not printed.endswith(b"the end\n"):
            line = self.process.stdout.readline()
            assert line, f"the shell ended after:\n{printed.decode()}"
            printed += line
        text = printed.decode().removesuffix("the end\n")
        first = self._number
        self._number += lines.count("\n") + 1
        return re.sub(r"^line (\d+): ", lambda found: f"line {int(found[1]) - first}: ", text, flags=re.MULTILINE)


@pytest.fixture(scope="module")
def lines(machine: runs.Machine) -> Iterator[Lines]:
    found = Lines()
    try:
        yield found
    finally:
        found.process.kill()
        found.process.communicate()


def test_commands_from_a_pipe(machine: runs.Machine) -> None:
    found = piped("# comments and empty lines are skipped\n\nsta1 ping -c 1 h1\nsta1 cat\nh1 echo done; exit 3")
    assert "1 received" in found.stdout and found.stdout.endswith("\ndone\n")
    assert "lab>" not in found.stdout and "Commands:" not in found.stdout and "\r" not in found.stdout
    assert found.returncode == 3


def test_commands_from_a_pipe_take_virtual_time(machine: runs.Machine) -> None:
    commands = "h1 date +%s%N\nsta1 ping -c 3 h1\nh1 sleep 1000\nh1 date +%s%N\n"
    first, second = piped(commands), piped(commands)
    assert first.stdout == second.stdout and first.returncode == 0
    begun, *_, ended = first.stdout.splitlines()
    assert 1002 < (int(ended) - int(begun)) / 1e9 < 1003, "and waiting for the next line takes none"


def test_a_command_from_a_pipe_that_has_no_end(machine: runs.Machine, tmp_path: Path) -> None:
    """On a network where little happens by itself: access points would send 844,000 beacons until then."""
    (tmp_path / "pair.yaml").write_text(
        "name: pair\nnodes:\n  h1: {kind: host}\n  h2: {kind: host}\nlinks: [{between: [h1, h2]}]\n"
    )
    found = piped(
        "h2 ping -q -i 600 h1\nh1 echo never\n", "pair.yaml", "--set", "workload.duration=30min", cwd=tmp_path
    )
    assert (found.returncode, "never" in found.stdout) == (1, False)
    assert found.stderr == (
        "lab: h2 ping -q -i 600 h1: did not end within 0.5 h of virtual time\n"
        "  give it an end: sta1 ping -c 3 h1, or h1 timeout 10 COMMAND\n"
    )


def test_a_session_that_takes_too_long(machine: runs.Machine) -> None:
    found = piped("h1 while :; do :; done\n", "one-ap", "--timeout", "1 s")
    assert (found.returncode, found.stdout) == (1, "")
    assert found.stderr == "lab: --timeout: the shell took more than 1 s of wall time; it was ended\n"


def test_a_session_moves_captures_and_is_saved(machine: runs.Machine, tmp_path: Path) -> None:
    commands = (
        "pcap start\nmove sta1 3 m 0 m 1 m\nsta1 ping -q -c 2 h1\nmove sta1 9 m 0 m 1 m 3 m/s\nh1 sleep 3\n"
        "sta1 iw dev sta1-wlan0 link\npcap stop\nmove sta9 0 m 0 m 0 m\nmove sta1 0 m\nevents\nsave session.yaml\n"
    )
    found = piped(commands, "two-aps-handoff", "--set", "timeline=[]", cwd=tmp_path)
    assert "move sta1 to (3, 0, 1) m\n" in found.stdout and "move sta1 to (9, 0, 1) m at 3 m/s\n" in found.stdout
    assert 'unknown node "sta9" (did you mean sta1?)' in found.stdout
    assert "move NODE X Y Z [SPEED], each with a unit: move sta1 42 m, 0 m, 1 m, 3 m/s\n" in found.stdout
    assert {path.name for path in tmp_path.glob("*.pcapng")} >= {"air-2412.pcapng"}
    assert "air-2412.pcapng\n" in found.stdout and found.returncode == 0
    listed = re.findall(r"^([\d.]+) s  (\w+): \w+", found.stdout, re.MULTILINE)
    assert [kind for _, kind in listed] == ["move", "exec", "move", "exec", "exec"]
    signal = re.search(r"signal: (-\d+) dBm", found.stdout)
    assert signal
    ran = subprocess.run(
        [str(LAB), "run", "session.yaml", "idle", "--set", "duration=12s", "--out", "run"],
        cwd=tmp_path, capture_output=True, text=True, timeout=DEADLINE_S, check=False,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    events = json.loads((tmp_path / "run" / "guest.json").read_text())["events"]
    assert [event["kind"] for event in events] == [kind for _, kind in listed]
    assert signal[0] in events[-1]["output"], "it went to the same place"


MOVING = """\
name: moving
nodes:
  ap1: {kind: ap, ssid: net, position: [0 m, 0 m, 1 m]}
  sta1: {kind: sta, ssid: net}
  sta2: {kind: sta, ssid: net}
links: []
medium: {}
mobility:
  - {model: RandomWayPoint, nodes: sta2, max_x: 20 m, max_y: 20 m}
  - model: Waypoints
    nodes: sta1
    path:
      - {at: 62 s, position: [1 m, 0 m, 1 m]}
      - {at: 70 s, position: [9 m, 0 m, 1 m]}
"""


def test_nodes_move_by_themselves_in_a_session(machine: runs.Machine, tmp_path: Path) -> None:
    (tmp_path / "moving.yaml").write_text(MOVING)
    look = "sta1 iw dev sta1-wlan0 link\n"
    commands = f"{look}sta2 sleep 60\n{look}event fault: lose, frames: beacon, to: sta2\nsta2 sleep 12\n{look}"
    found = piped(commands, "moving.yaml", cwd=tmp_path)
    near, still_near, far = map(int, re.findall(r"signal: (-\d+) dBm", found.stdout))
    assert found.returncode == 0 and near == still_near > far + 10
    assert piped(commands, "moving.yaml", cwd=tmp_path).stdout == found.stdout
    terminal = Terminal("moving.yaml", cwd=tmp_path)
    try:
        terminal.until(PROMPT)
        assert "sta2-wlan0<~>ap1" in terminal.ask("links")
        assert terminal.end() == 0
    finally:
        if terminal.process.poll() is None:
            terminal.process.kill()


FAR = """\
name: far
nodes:
  h1: {kind: host, roles: [server]}
  ap1: {kind: ap, ssid: net, position: [0 m, 0 m, 1 m]}
  sta1: {kind: sta, ssid: net, position: [900 m, 0 m, 1 m], roles: [client]}
links: [{between: [h1, ap1]}]
medium: {}
"""
OUT_OF_REACH = (
    "lab: far.yaml:5  sta1 hears ap1 at -15 dB SNR, but radios notice frames from -4 dB on: sta1 starts unassociated\n"
)


PLAYS = """\
include: moving.yaml
name: plays
timeline:
  - {at: 63 s, exec: sta1, run: [iw, dev, sta1-wlan0, link]}
  - {at: 64 s, exec: sta1, run: [cat, /missing]}
  - {at: 66 s, txpower: sta1, to: 0 dBm}
"""


def test_timeline_and_movements_play_at_a_pace(machine: runs.Machine, tmp_path: Path) -> None:
    """Virtual time shows it without waiting: at pace 10, six seconds of the network take the timeline to its end."""
    (tmp_path / "moving.yaml").write_text(MOVING)
    (tmp_path / "plays.yaml").write_text(PLAYS)
    where = "position sta1\n"
    typed = (
        f"step 500 ms\nh1 sleep 100\npace\nstart\npace 10\n{where}sta1 sleep 6.6\n{where}pause\n{where}sta1 sleep 9\n"
        f"{where}step 1 s\n{where}events\nsave saved.yaml\n"
    )
    found = piped(typed.replace("h1 ", "sta2 "), "plays.yaml", cwd=tmp_path)
    assert found.returncode == 0, found
    times = [float(at) for at in re.findall(r"the timeline .*, at ([\d.]+) s", found.stdout)]
    assert times[0] == times[1] == times[2] == pytest.approx(0.5, abs=0.01), "nothing passes in a pause"
    first, at_end, paused, later, stepped = map(float, re.findall(r"^sta1 ([\d.]+), 0, 1$", found.stdout, re.MULTILINE))
    assert first == 1 and at_end == pytest.approx(5.5, abs=0.1), "66.5 s are half of the way and half a second"
    assert later == paused == pytest.approx(at_end, abs=0.1) and stepped == pytest.approx(later + 1, abs=0.01)
    assert "cat: /missing: No such file or directory" in found.stdout
    events = re.findall(r"^([\d.]+) s  (\w+)", found.stdout, re.MULTILINE)
    assert [event for event in events if event[1] != "exec"] == [("66.000", "txpower")]
    assert ("63.000", "exec") in events and ("64.000", "exec") in events
    saved = (tmp_path / "saved.yaml").read_text()
    assert saved.index("txpower: sta1") < saved.index("sleep 6.6")
    assert piped(typed.replace("h1 ", "sta2 ").replace("saved", "again"), "plays.yaml", cwd=tmp_path).stdout == (
        found.stdout.replace("saved", "again")
    )


def test_a_station_out_of_reach_starts_unassociated(machine: runs.Machine, tmp_path: Path) -> None:
    (tmp_path / "far.yaml").write_text(FAR)
    found = piped("links\nmove sta1 9 m, 0 m, 1 m\nh1 sleep 10\nlinks\n", "far.yaml", cwd=tmp_path)
    assert found.stderr == OUT_OF_REACH and found.returncode == 0
    assert re.findall(r"wlan0<~>(.*)", found.stdout) == ["not associated, SCANNING", "ap1 2412 MHz COMPLETED"]
    words = [str(LAB), "run", "far.yaml", "ping/ping", "--out", "run"]
    ran = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, timeout=DEADLINE_S, check=False)
    assert ran.stderr.count(OUT_OF_REACH) == 1 and ran.returncode == 1, "its check fails, not the run"
    assert "The check failed" in ran.stdout


def test_what_an_event_prints_is_shown(lines: Lines) -> None:
    found = lines.run("event exec: sta1, run: [seq, '2']\nevent exec: sta1, run: [sh, -c, echo out; exit 3]\n")
    assert found == "exec sta1 seq 2\n1\n2\nline 2: sh -c 'echo out; exit 3' ended with 3\nout\n"


def test_a_network_that_does_not_come_up_ends_with_a_message(machine: runs.Machine, tmp_path: Path) -> None:
    wrong = FAR.replace("900 m", "9 m").replace("ap, ssid: net", "ap, ssid: net, encrypt: wpa2, passwd: something")
    wrong = wrong.replace("sta, ssid: net", "sta, ssid: net, encrypt: wpa2, passwd: different")
    (tmp_path / "wrong.yaml").write_text(wrong)
    found = piped("links\n", "wrong.yaml", cwd=tmp_path)
    assert found.stdout.startswith("lab: wrong.yaml:5: timeout: waited 30 s for sta1 to associate with 'net'")
    assert "Traceback" not in found.stdout and found.returncode == 1


def test_iperf_between_nodes_that_do_not_reach_each_other(lines: Lines) -> None:
    assert lines.run("link h1 ap1 down\niperf sta1 h1\nlink h1 ap1 up\n") == (
        "link h1-ap1 down\n"
        "line 2: sta1 does not reach h1 (10.0.0.1): no answer to ping; links shows which nodes are connected\n"
        "link h1-ap1 up\n"
    )


def test_sigterm_leaves_the_terminal_as_it_was(machine: runs.Machine) -> None:
    terminal = Terminal("one-ap")
    before = termios.tcgetattr(terminal.master)
    try:
        terminal.until(PROMPT)
        terminal.process.terminate()
        assert terminal.process.wait(timeout=DEADLINE_S) == 143
        assert termios.tcgetattr(terminal.master) == before
    finally:
        if terminal.process.poll() is None:
            terminal.process.kill()


def test_sigterm_ends_commands_from_a_pipe(machine: runs.Machine) -> None:
    words = [str(LAB), "shell", "one-ap"]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdin is not None and process.stdout is not None and process.stderr is not None
        process.stdin.write(b"h1 echo here\n")
        process.stdin.flush()
        assert process.stdout.readline() == b"here\n"
        process.terminate()
        assert process.wait(timeout=DEADLINE_S) == 143
        assert process.stderr.read() == b"lab: interrupted\n"


def test_what_is_typed_is_completed_and_kept(terminal: Terminal) -> None:
    def completed(typed: str, wanted: str) -> None:
        terminal.type(f"{typed}\t")
        terminal.until(wanted)
        terminal.press("U")

    completed("positi", "position ")
    completed("roam s", "sta1 ")
    completed("roam sta1 a", "ap1 ")
    completed("link h1 ap1 d", "down ")
    completed("event appro", "approximate: ")
    completed("h1 tcpd", "tcpdump ")
    completed("h1 cat /etc/hostn", "/etc/hostname ")
    completed("sta1 ping ap", "ap1 ")
    completed("source pyproject.t", "pyproject.toml ")
    terminal.ask("# nothing of it has been run")
    kept = Path(os.environ["XDG_STATE_HOME"], "hwsim-lab", "history").read_text().splitlines()
    assert kept[-1] == "# nothing of it has been run"


def test_every_command_that_help_lists_returns(machine: runs.Machine, tmp_path: Path) -> None:
    """In the order of this list; the last line of the script shows that all have been processed."""
    examples = {
        "distance": "distance sta1 ap1",
        "dpctl": "dpctl show",
        "dump": "dump",
        "event": "event link: h1-ap1, to: up",
        "events": "events",
        "forward": "forward",
        "help": "help",
        "intfs": "intfs",
        "iperf": "iperf sta1 h1",
        "iperfudp": "iperfudp 1M sta1 h1",
        "link": "link h1 ap1 up",
        "links": "links",
        "move": "move sta1 0 m, 0 m, 0 m",
        "net": "net",
        "nodes": "nodes",
        "noecho": "noecho h1 true",
        "pace": "pace 2",
        "pause": "pause",
        "pcap": "pcap stop",
        "pingall": "pingall",
        "pingallfull": "pingallfull",
        "pingpair": "pingpair",
        "pingpairfull": "pingpairfull",
        "ports": "ports",
        "position": "position",
        "px": "px print('px')",
        "py": "py sta1.IP()",
        "roam": "roam sta1 ap1",
        "save": "save session.txt",
        "sh": "sh true",
        "source": f"source {tmp_path}/commands",
        "start": "start",
        "step": "step 10 ms",
        "stop": "stop",
        "switch": "switch ap1 start",
        "time": "time nodes",
        "wait": "wait",
        "xterm": "xterm sta1",
    }
    (tmp_path / "commands").write_text("nodes\n")
    found = piped("\n".join([*examples.values(), "h1 echo the end", ""]))
    _, listed = found.stdout.split("runs a program in a node):\n", 1)
    commands = listed.split("\n\n")[0].split()[1:]  # below a rule
    assert sorted({*commands} - {"exit", "quit"}) == sorted(examples)
    assert found.stdout.endswith("the end\n") and found.returncode == 0
    rate = r"'[\d.]+ [KMG]?bits/sec'"
    assert re.search(rf"testing TCP bandwidth between sta1 and h1\n\*\*\* Results: \[{rate}, {rate}\]\n", found.stdout)
    assert re.search(
        rf"testing UDP bandwidth between sta1 and h1\n\*\*\* Results: \['1M', {rate}, {rate}\]", found.stdout
    )


@pytest.mark.parametrize(
    ("commands", "said", "status"),
    [
        ("", "", 0),
        ("nowhere\nsta1 true\nip a\n", "line 1: Unknown command: nowhere\nline 3: Unknown command: ip a\n", 127),
        ("sta1 false\nexit\nnodes\n", "", 1),
        ("\n# comment\nroam sta1 nowhere\n", "line 3: roam STATION ACCESS-POINT, with one of sta1 and one of ap1\n", 1),
    ],
)
def test_the_status_is_that_of_the_last_command(machine: runs.Machine, commands: str, said: str, status: int) -> None:
    found = piped(commands)
    assert (found.stdout, found.returncode) == (said, status)


def test_words_with_a_slip_are_recognised(lines: Lines) -> None:
    assert lines.run("sat1 ping h1\nmoev sta1 1 m 0 m 0 m\n").splitlines() == [
        "line 1: Unknown command: sat1 ping h1 (did you mean sta1?)",
        "line 2: Unknown command: moev sta1 1 m 0 m 0 m (did you mean move?)",
    ]


def test_what_errors_repeat_does_not_control_the_terminal(lines: Lines) -> None:
    clears = "\x1b[2J\u202e"
    typed = [clears, f"event {clears}: 1", f"source {clears}", f"move {clears} 1 2 3", f"event link: {clears}, to: up"]
    said = lines.run("\n".join([*typed, ""]))
    assert said.startswith("line 1: Unknown command: \\x1b[2J\\u202e\nline 2: ")
    assert said.count("\\x1b") >= len(typed)
    assert "\x1b" not in said and "\u202e" not in said


def test_the_shell_of_a_node_ends_and_starts_again(lines: Lines) -> None:
    assert lines.run("h1 x=1\nh1 echo x=$x\nh1 tail -f /dev/null &\nh1 exit 3\nh1 echo $? x=$x\n") == "x=1\n0 x=\n"


def test_a_line_longer_than_a_terminal_takes(lines: Lines) -> None:
    assert lines.run(f"h1 echo {'long ' * 2000}| wc -w\n") == "2000\n"


def test_output_that_is_no_text(lines: Lines) -> None:
    found = lines.run("h1 printf '\\377\\n'; false\nh1 echo $?\nh1 missing\nh1 echo $?\n")
    assert found == "\ufffd\n1\nbash: missing: command not found\n127\n"


def test_output_like_the_prompt(lines: Lines) -> None:
    """Mininet takes the byte 0x7f for the end of a command."""
    found = lines.run(
        "h1 printf 'a\\177'; cat /proc/*/status | wc -l >/dev/null; printf 'b\\177'; (exit 3)\nh1 echo c $?\n"
    )
    assert found.replace("\177", "") == "abc 3\n"


def test_a_line_that_hides_or_closes_what_the_shell_needs(lines: Lines) -> None:
    assert lines.run("h1 mount -t tmpfs none /run; (exit 5)\nh1 echo hidden $?; umount /run\n") == "hidden 5\n"
    assert lines.run("ap1 exec 250>&-\nap1 (exit 4)\nap1 echo $?\n") == "4\n"


def test_a_node_whose_container_has_ended(machine: runs.Machine) -> None:
    off = "h1 python3 -c 'import ctypes; ctypes.CDLL(None).reboot(0x4321FEDC)'\n"
    lines = f"{off}h1 echo here\nsta1 echo there\nh1 echo again\n"
    found = piped(lines, "one-ap", "--set", "nodes.h1.privileged=true")
    gone = "h1 has stopped: its first process has ended, and with it all of its programs\n"
    assert (found.stdout, found.returncode) == (f"line 2: {gone}there\nline 4: {gone}", 1)


def test_a_stack_that_there_is_not(tmp_path: Path) -> None:
    code = tmp_path / "workloads" / "web-echo"
    code.mkdir(parents=True)
    (code / "Makefile").write_text("install:\n")
    argv = [str(LAB), "shell", "approximate-link", "--stack", "wep-echo"]
    found = subprocess.run(argv, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert found.returncode == 2
    assert '"wep-echo" is not a stack with code (did you mean web-echo?)' in found.stderr
    assert re.search(r"known: (.*, )?web-echo$", found.stderr, re.MULTILINE)
