# SPDX-License-Identifier: MIT
"""``lab shell`` as someone types it, in a terminal, and with commands from a pipe; in real time."""

from __future__ import annotations

import contextlib
import json
import os
import pty
import re
import select
import subprocess
import sys
import termios
import time
from pathlib import Path

import pytest

from lab import runs
from tests.system.waiting import until

pytestmark = pytest.mark.guest

LAB = Path(sys.executable).parent / "lab"
DEADLINE_S = 120.0
PROMPT = "lab> "


class Terminal:
    """A pseudo-terminal with a lab shell in it."""

    def __init__(self, topology: str, *options: str) -> None:
        self.master, slave = pty.openpty()
        self.process = subprocess.Popen(
            ["setsid", "--ctty", str(LAB), "shell", topology, *options], stdin=slave, stdout=slave, stderr=slave
        )
        os.close(slave)
        self.text = ""

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
        return self.until(PROMPT)

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
    terminal = Terminal("two-aps-handoff", "--set", "medium=perfect")
    try:
        greeting = terminal.until(PROMPT)
        assert "sta1 (sta)" in greeting
        assert "Core dump" not in greeting
        help_text = terminal.ask("help")
        assert "sta1 ping -c 3 h1" in help_text
        assert "mininet>" not in help_text
        assert "xterm" not in help_text
        assert "1 received" in terminal.ask("sta1 ping -c 1 h1")
        assert re.search(r"sta1-wlan0<~>ap1 2412 MHz COMPLETED", terminal.ask("links"))
        assert "sta1 is associated with ap2" in terminal.ask("roam sta1 ap2")
        assert re.search(r"sta1-wlan0<~>ap2 2437 MHz", terminal.ask("links"))
        assert "roam STATION ACCESS-POINT" in terminal.ask("roam sta1 nowhere")
        assert "10.0.0.1" in terminal.ask("py h1.IP()")
        assert "<Station sta1" in terminal.ask("dump")
        assert "Results: 0% dropped" in terminal.ask("pingpair")
        assert "/dev/pts/0" in terminal.ask("h1 tty")
        assert "the medium is perfect, so a move changes nothing" in terminal.ask("move sta1 1 m 0 m 0 m")
        assert "link h1-s1 down" in terminal.ask("link h1 s1 down")
        terminal.ask("sta1 false")
        listed = terminal.ask("events")
        done = ["exec: sta1", "roam: sta1", "exec: h1", "link: [h1"]
        assert [line.split("  ")[1].split(",")[0] for line in listed.splitlines()[1:]] == done
        terminal.ask("h1 exit")
        assert "again" in terminal.ask("h1 echo again")
        assert terminal.end() == 0
    finally:
        if terminal.process.poll() is None:
            terminal.process.kill()


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
        os.write(terminal.master, b"h1 sleep 60\n")
        terminal.until("sleep 60")
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


def test_commands_from_a_pipe(machine: runs.Machine) -> None:
    found = piped("# comments and empty lines are skipped\n\nsta1 ping -c 1 h1\nsta1 cat\nh1 sh -c 'echo done; exit 3'")
    assert "1 received" in found.stdout and found.stdout.endswith("\ndone\n")
    assert "lab>" not in found.stdout and "Commands:" not in found.stdout and "\r" not in found.stdout
    assert found.returncode == 3


def test_commands_from_a_pipe_take_virtual_time(machine: runs.Machine) -> None:
    commands = "h1 date +%s%N\nsta1 ping -c 3 h1\nh1 sleep 1000\nh1 date +%s%N\n"
    first, second = piped(commands), piped(commands)
    assert first.stdout == second.stdout and first.returncode == 0
    begun, *_, ended = first.stdout.splitlines()
    assert 1002 < (int(ended) - int(begun)) / 1e9 < 1003, "and waiting for the next line takes none"


def test_a_command_from_a_pipe_that_has_no_end(machine: runs.Machine) -> None:
    found = piped("sta1 ping -q -i 600 h1\nh1 echo never\n")
    assert (found.returncode, "never" in found.stdout) == (1, False)
    assert found.stderr == (
        "lab: sta1 ping -q -i 600 h1: did not end within 24 h of virtual time\n"
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
    found = piped(commands, "two-aps-handoff", cwd=tmp_path)
    assert "move sta1 to (3, 0, 1) m\n" in found.stdout and "move sta1 to (9, 0, 1) m at 3 m/s\n" in found.stdout
    assert 'there is no node "sta9" (did you mean sta1?)' in found.stdout
    assert "move NODE X Y Z [SPEED], each with a unit: move sta1 42 m 0 m 1 m 3 m/s\n" in found.stdout
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


def test_iperf_between_nodes_that_do_not_reach_each_other(machine: runs.Machine) -> None:
    found = piped("h1 ip link set h1-eth0 down\niperf sta1 h1\n")
    assert found.stdout == ("*** sta1 does not reach h1 (10.0.0.1): no answer to ping; links shows who is connected\n")
    assert found.returncode == 1


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


def test_every_command_that_help_lists_returns(machine: runs.Machine) -> None:
    """In the order of this list; the last line of the script shows that all have."""
    examples = {
        "dump": "dump",
        "event": "event link: h1-ap1, to: up",
        "events": "events",
        "help": "help",
        "intfs": "intfs",
        "iperf": "iperf sta1 h1",
        "iperfudp": "iperfudp 1M sta1 h1",
        "link": "link h1 ap1 up",
        "links": "links",
        "move": "move sta1 0 m 0 m 0 m",
        "net": "net",
        "nodes": "nodes",
        "noecho": "noecho h1 true",
        "pcap": "pcap stop",
        "pingall": "pingall",
        "pingallfull": "pingallfull",
        "pingpair": "pingpair",
        "pingpairfull": "pingpairfull",
        "px": "px print('px')",
        "py": "py sta1.IP()",
        "roam": "roam sta1 ap1",
        "save": "save session.txt",
        "sh": "sh echo nodes >/tmp/commands",
        "source": "source /tmp/commands",
        "time": "time nodes",
    }
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


def test_mininets_commands_that_have_nothing_to_do(machine: runs.Machine) -> None:
    found = piped("iperf ap1 h1\nwait\n")
    assert found.stdout.splitlines() == [
        "*** ap1 has no IP address; name hosts or stations",
        "There is nothing to wait for: switches need no OpenFlow controller, and the network is up.",
    ]


@pytest.mark.parametrize(
    ("commands", "said", "status"),
    [
        ("", "", 0),
        ("ip a\n", "*** Unknown command: ip a\n", 127),
        ("sta1 false\nexit\nnodes\n", "", 1),
        ("roam sta1 nowhere\n", "roam STATION ACCESS-POINT, with one of sta1 and one of ap1\n", 1),
        ("nowhere\nsta1 true\n", "*** Unknown command: nowhere\n", 0),
    ],
)
def test_the_status_is_that_of_the_last_command(machine: runs.Machine, commands: str, said: str, status: int) -> None:
    found = piped(commands)
    assert (found.stdout, found.returncode) == (said, status)


def test_the_shell_of_a_node_ends_and_starts_again(machine: runs.Machine) -> None:
    found = piped("h1 x=1\nh1 echo x=$x\nh1 tail -f /dev/null &\nh1 exit 3\n")
    assert (found.stdout, found.returncode) == ("x=1\n", 3)
    found = piped("h1 x=1\nh1 exit 3\nh1 echo x=$x\n")
    assert (found.stdout, found.returncode) == ("x=\n", 0)


def test_a_line_longer_than_a_terminal_takes(machine: runs.Machine) -> None:
    found = piped(f"h1 echo {'long ' * 2000}| wc -w\n")
    assert (found.stdout.split(), found.returncode) == (["2000"], 0)


def test_output_that_is_no_text(machine: runs.Machine) -> None:
    found = piped("h1 printf '\\377\\n'; false\nh1 missing\n")
    assert (found.stdout, found.returncode) == ("\ufffd\nbash: missing: command not found\n", 127)


def test_output_like_the_prompt(machine: runs.Machine) -> None:
    """Mininet takes the byte 0x7f for the end of a command."""
    found = piped(
        "h1 printf 'a\\177'; cat /proc/*/status | wc -l >/dev/null; printf 'b\\177'; (exit 3)\nh1 echo c; (exit 4)\n"
    )
    assert (found.stdout.replace("\177", ""), found.returncode) == ("abc\n", 4)


def test_a_line_that_hides_or_closes_what_the_shell_needs(machine: runs.Machine) -> None:
    found = piped("h1 mount -t tmpfs none /run; (exit 5)\nh1 echo hidden\nap1 exec 250>&-\nap1 (exit 4)\n")
    assert (found.stdout, found.returncode) == ("hidden\n", 4)


def test_a_node_whose_container_has_ended(machine: runs.Machine) -> None:
    off = "h1 python3 -c 'import ctypes; ctypes.CDLL(None).reboot(0x4321FEDC)'\n"
    found = piped(f"{off}h1 echo here\nsta1 echo there\nh1 echo again\n")
    gone = "*** h1 has stopped: its first process has ended, and with it all of its programs\n"
    assert (found.stdout, found.returncode) == (f"{gone}there\n{gone}", 1)


def test_a_stack_that_there_is_not() -> None:
    found = subprocess.run(
        [str(LAB), "shell", "approximate-link", "--stack", "spa"], capture_output=True, text=True, check=False
    )
    assert found.returncode == 2
    assert 'there is no stack "spa" with code (did you mean sap?)' in found.stderr
    assert "known: dccp, sap" in found.stderr
