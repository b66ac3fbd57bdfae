# SPDX-License-Identifier: MIT
"""Scripts in the style of Mininet-WiFi's documentation (tests/fixtures/scripts), run as their users would run them."""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from lab.plan.load import load
from tests.system.test_shell import DEADLINE_S, Terminal

pytestmark = pytest.mark.guest

LAB = Path(sys.executable).parent / "lab"
SCRIPTS = Path(__file__).parents[1] / "fixtures" / "scripts"
PROMPT = "mininet-wifi> "


class Ran:
    """A script that has ended. ``apart``: keep its standard error apart, which is otherwise in ``out``, too."""

    def __init__(self, folder: Path, *words: str, typed: str = "", verb: str = "run", apart: bool = False) -> None:
        name = next(word for word in words if word.endswith(".py"))
        shutil.copy(SCRIPTS / name, folder / name)
        errors = subprocess.PIPE if apart else subprocess.STDOUT
        ended = subprocess.run(
            [LAB, verb, *words], cwd=folder, input=typed, stdout=subprocess.PIPE, stderr=errors, text=True
        )
        self.status, self.out, self.err = ended.returncode, ended.stdout, ended.stderr or ended.stdout
        self.lines = [line.rstrip() for line in self.out.splitlines()]

    def __repr__(self) -> str:
        return f"status {self.status}\n{self.out}" + ("" if self.err == self.out else f"\n{self.err}")


def test_stations_of_an_access_point_and_lines_for_the_prompt(tmp_path: Path) -> None:
    typed = "sta1 ping -c 1 sta2\npingall\npy sta2.IP()\ndistance sta1 sta2\nsta1 false\nnodes\nexit\nsta1 echo late\n"
    ran = Ran(tmp_path, "--seed", "3", "two_stations.py", "-x", "--set", "y=1", typed=typed)
    assert ran.status == 0, ran
    assert "arguments: ['-x', '--set', 'y=1']" in ran.lines
    assert "*** Nodes\n*** Network\n" in ran.out
    assert "2 packets transmitted, 2 received, 0% packet loss" in ran.out
    assert "channel 6 (2437 MHz)" in ran.out
    assert ran.out.count("*** Results: 0% dropped (2/2 received)") == 2, ran
    at_prompt = ran.out.partition("*** Starting CLI:\n")[2]
    assert "1 packets transmitted, 1 received" in at_prompt
    assert "\n10.0.0.22\nThe distance between sta1 and sta2 is 10.0 meters\n" in at_prompt
    assert "ap1 sta1 sta2" in at_prompt
    assert at_prompt.endswith("*** Done\n") and "late" not in at_prompt


def test_a_wired_server_behind_a_shaped_line_and_files(tmp_path: Path) -> None:
    ran = Ran(tmp_path, "--out", "run", "wired_server.py")
    assert ran.status == 0, ran
    rates = next(line for line in ran.lines if line.startswith("*** Results:"))
    server, client = (float(rate) for rate in rates.split("'")[1::2] for rate in [rate.split()[0]])
    assert 4 < server < 5 and 4 < client < 5.5, rates
    assert {"client: 1", "replies: 3", "Linux", "moved: 1 received"} <= set(ran.lines), ran
    assert "addresses: 10.0.0.1 10.0.0.100 True" in ran.lines
    assert (tmp_path / "run" / "work" / "rtt.txt").read_text().count("time=") == 3
    assert ran.err.splitlines()[-1] == "the files of the script are in run/work"
    assert not (tmp_path / "rtt.txt").exists()


@pytest.mark.parametrize(("options", "power"), [((), 14.0), (("-r",), 19.17)])
def test_stations_without_an_access_point(tmp_path: Path, options: tuple[str, ...], power: float) -> None:
    """With a range, the power is that with which the level is -91 dBm there."""
    ran = Ran(tmp_path, "ad_hoc.py", *options, apart=True)
    assert ran.status == 0, ran
    assert ran.lines[:2] == ["by IPv4: 1 received", "by IPv6: 1 received"], ran
    assert f"power: {power} distance: 40.0" in ran.lines


def test_stations_that_move(tmp_path: Path) -> None:
    ran = Ran(tmp_path, "moving.py", apart=True)
    assert ran.status == 0, ran
    assert ran.lines[:3] == [
        "0 [40, 30, 0] [40, 40, 0] freq: 2412",
        "7 [97, 30, 0] [55, 40, 0] freq: 2412",
        "14 [145, 30, 0] [55, 55, 0] freq: 2437",
    ], ran
    assert ran.lines[3:5] == ["1 received", "h1 has no position"]
    (plot,) = tmp_path.glob("runs/*/work/plotGraph.svg")
    assert ">sta1<" in plot.read_text()


def test_a_script_without_radios(tmp_path: Path) -> None:
    """Its end by an exception is its own traceback, with the names that its user knows."""
    ran = Ran(tmp_path, "plain_mininet.py", typed="links\nh1 hostname\nno-such-node\n")
    assert ran.status == 1, ran
    assert "h2 h2-eth0:s1-eth2" in ran.lines
    assert "status: 200" in ran.lines
    assert "*** Results: 66% dropped (2/6 received)" in ran.lines
    at_prompt = ran.out.partition("*** Starting CLI:\n")[2]
    assert "h1-eth0<->s1-eth1 delay 2ms limit 1000\n" in at_prompt and "unshaped" not in at_prompt
    assert "\nh1\n" in at_prompt and "line 3: Unknown command: no-such-node" in at_prompt
    assert ran.lines[-4:] == [
        "Traceback (most recent call last):",
        '  File "plain_mininet.py", line 29, in <module>',
        '    raise KeyError("no more")',
        "KeyError: 'no more'",
    ], ran


def test_a_network_as_a_class(tmp_path: Path) -> None:
    typed = "py net.addStation('sta3')\nsta1 ping -c 1 h1\nh1 tc qdisc show dev h1-eth0\n"
    ran = Ran(tmp_path, "--virtual", "as_a_class.py", typed=typed)
    assert ran.status == 0, ran
    assert "lost: 0.0" in ran.lines, ran
    at_prompt = ran.out.partition("*** Results")[2]
    assert "the network has been built; say this before net.build() and net.start()" in at_prompt, ran
    assert "1 received" in at_prompt and "rate 10Mbit" in at_prompt
    (kept,) = (tmp_path / "runs").iterdir()
    assert {path.name for path in kept.iterdir()} == {"as_a_class.yaml", "plan.json", "raw", "work"}


def test_a_script_that_decides_on_handoffs(tmp_path: Path) -> None:
    ran = Ran(tmp_path, "--out", "run", "own_handoff.py", typed="Ada\n", apart=True)
    assert ran.status == 0, ran
    assert ran.lines == [
        "without numpy: own_handoff.py:16  the lab's guest has no numpy yet; write what the script measures to a file; "
        "compute and draw from it on the host, in the folder of the run",
        "planned: sta1-wlan0 True ap1-wlan1 1",
        "at first: (None, 2.412, None, False)",
        "joined: ('ap1', 2.412, 1, True) 2",
        "again: command failed: Operation already in progress (-114)",
        "handed over: ('ap2', 2.437, 6, True) 2",
        "and back: ('ap1', 2.412, 1)",
        "left: (None,) sta1 reads lux",
        "sees: ['sta2'] ap1 ap2",
        'sta2-wlan0  IEEE 802.11  ESSID:"ssid-ap1"',
        "now on: 11 11 59.99",
        "power: 12.0",
        "configured: 1",
        "threads: True 4",
        "captured: True",
        "waited: True True",
        "name? read: Ada False",
        "last thread",
        "at exit",
    ], ran
    assert "*** to standard error" in ran.err and "from a file" in ran.err, ran
    assert {path.name for path in (tmp_path / "run").iterdir()} == {"own_handoff.yaml", "plan.json", "raw", "work"}


def test_flow_rules_and_qualities_of_links(tmp_path: Path) -> None:
    ran = Ran(tmp_path, "flow_rules.py", apart=True)
    assert ran.status == 0, ran
    assert ran.lines[:-1] == [
        "without rules: 0 0",
        "with a rule: 2 0",
        "back to the air: 2",
        "number: True 00000000000000aa",
        "level: -69 True",
        "router: 1 2",
        "routed: 2 True",
        "mesh: 2 True sta5-mp0",
    ], ran
    assert ran.lines[-1].startswith("rate: True"), ran


def test_a_handoff_between_access_points_that_a_controller_programs(tmp_path: Path) -> None:
    shutil.copy(SCRIPTS / "ryu_switch.py", tmp_path)
    ran = Ran(tmp_path, "open_flow_handoff.py", apart=True)
    assert ran.status == 0, ran
    assert ran.lines == ["before: 3 True 0", "after: 3 True ap2"], ran


def test_the_network_decides_which_access_points_stations_have(tmp_path: Path) -> None:
    ran = Ran(tmp_path, "least_loaded.py", "llf", apart=True)
    assert ran.status == 0, ran
    assert ran.lines == ["['ap2', 'ap2', 'ap1', 'ap1']", "ap2"], ran


def test_an_access_point_that_repeats_another_one(tmp_path: Path) -> None:
    ran = Ran(tmp_path, "repeater.py", apart=True)
    assert ran.status == 0 and ran.lines == ["repeated: 3 ap2"], ran


def test_what_is_replayed_and_written_down(tmp_path: Path) -> None:
    ran = Ran(tmp_path, "replayed.py", apart=True)
    assert ran.status == 0, ran
    assert ran.lines == [
        "networks: [('ap1-wlan1', 'all'), ('ap1-wlan1-1', 'guests'), ('ap1-wlan1-2', 'staff')]",
        "at the end: [20, 10, 0]",
        "joined: ap1-wlan1-2 staff",
        "together: True",
        "values: time_s,sta1-wlan0 8 0 True",
        "bytes: True",
    ], ran


def test_several_networks_and_an_end_by_ctrl_c(tmp_path: Path) -> None:
    """Ctrl-C reaches the script, which may end in peace."""
    shutil.copy(SCRIPTS / "several_networks.py", tmp_path)
    process = subprocess.Popen(
        [LAB, "run", "--out", "run", "several_networks.py"],
        cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert process.stdout is not None  # it is a pipe
    lines = list(iter(lambda: process.stdout.readline().rstrip(), "after Ctrl-C"))  # type: ignore[union-attr]
    process.send_signal(signal.SIGINT)
    out, err = process.communicate()
    assert lines == ["refused: True", "sta1: 10 ap1-wlan1", "sta1: 60 ap2-wlan1", "sta3: ap4-wlan1"], err
    assert out.splitlines() == ["interrupted at 2026"], out
    assert process.returncode == 130
    assert (tmp_path / "run" / "work" / "summary.txt").read_text() == "complete\n"
    assert "sta2 (passwd=espresso2): not what its access point has: the station is refused" in err
    assert "the files of the script are in run/work" in err


def test_a_topology_file_says_the_same(tmp_path: Path) -> None:
    ran = Ran(tmp_path, "--out", "found.yaml", "many_kinds.py", verb="convert", apart=True)
    assert ran.status == 0 and not ran.out, ran
    assert "lab: many_kinds.py  ap2 (mode ax): mode n, the newest of the medium" in ran.err, ran
    plan = load(str(tmp_path / "found.yaml"), "idle")
    nodes = {node.name: node for node in plan.nodes}
    assert {name: node.kind for name, node in nodes.items()} == {
        **dict.fromkeys(("sta1", "sta2", "car1"), "sta"),
        **dict.fromkeys(("sta3", "sta4"), "mesh"),
        **dict.fromkeys(("ap1", "ap2"), "ap"),
        "h1": "host",
    }
    slow, fast = (one.radio for one in nodes["ap2"].radios())
    assert slow is not None and fast is not None
    assert (slow.ssid, slow.mode, slow.channel, slow.passwd) == ("slow", "g", 6, "espresso1")
    assert (fast.ssid, fast.mode, fast.channel, fast.passwd) == ("fast", "n", 36, "espresso2")
    assert [one.radio.ssid for one in nodes["sta2"].radios() if one.radio] == ["slow", "fast"]
    assert nodes["sta2"].position_m == [5, 5, 2]
    assert (nodes["sta1"].ip, nodes["h1"].ip) == ("10.1.0.1/16", "10.1.0.6/16")
    assert [way.node for way in plan.mobility] == ["sta1"]
    (link,) = plan.links
    assert (link.a, link.b) == ("ap2-eth2", "h1-eth0")
    assert (link.netem.rate_bps, link.netem.loss_percent, link.netem.limit_packets) == (100_000_000, 2, 50)


@pytest.mark.parametrize(
    ("script", "message"),
    [
        ("wrong_channel.py", "wrong_channel.py:6  nodes.ap2.channel: mode g has no channel 77 in country DE; use 1"),
        ("sumo.py", "sumo.py:2  the lab has no SUMO; record its traces, and have a topology replay them"),
        ("physical.py", "physical.py:1  the lab has no physical interfaces; a guest has no way to the host's devices"),
        ("two_networks.py", "two_networks.py:11  a script builds one network; run it again for another one"),
        ("too_early.py", "too_early.py:5  sta1 exists once net.build() or net.start() has been called"),
        ("removed_node.py", "removed_node.py:6  the lab has no way to remove a node; build the network without it"),
        (
            "own_controller.py",
            "own_controller.py:11  the lab has no way to start a script's own controller; use",
        ),
        ("unknown_call.py", "unknown_call.py:4  the network has no setInitialMediums here; docs/mininet-wifi.md lists"),
    ],
)
def test_mistakes_name_their_line(tmp_path: Path, script: str, message: str) -> None:
    ran = Ran(tmp_path, script)
    assert ran.status == 2 and ran.err.splitlines()[-1].startswith(f"lab: {message}"), ran
    assert "Traceback" not in ran.out + ran.err


def test_a_prompt_on_a_terminal_is_in_real_time(tmp_path: Path) -> None:
    shutil.copy(SCRIPTS / "two_stations.py", tmp_path)
    terminal = Terminal("two_stations.py", "-t", cwd=tmp_path, verb="run", prompt=PROMPT)
    assert "arguments: ['-t']" in terminal.until(PROMPT)
    assert "2 received, 0% packet loss" in terminal.ask("sta1 ping -c 2 sta2")
    terminal.type("sta1 ping sta2\n")
    terminal.until("icmp_seq=2")
    terminal.press("C")
    assert "packet loss" in terminal.until(PROMPT)
    assert "move sta1 to (12, 0, 1) m" in terminal.ask("move sta1 12 m, 0 m, 1 m")
    assert "sta1 12, 0, 0" in terminal.ask("position sta1")
    terminal.type("exit\n")
    assert "*** Done" in terminal.rest()
    assert terminal.process.wait() == 0


def test_a_prompt_with_commands_of_the_scripts_own(tmp_path: Path) -> None:
    """And what a network does not have, and parameters that have no effect, are said."""
    ran = Ran(tmp_path, "own_prompt.py", typed="greet h1\nh1 hostname\nnodes\nexit\n", apart=True)
    assert ran.status == 0, ran
    assert {"scores: False", "Hello 10.0.0.5", "left with: Prompt"} <= set(ran.lines), ran
    said = ran.err.splitlines()
    assert "lab: own_prompt.py  driver of the network, intfName1 of a link: not used here" in said and "h1" in said, ran


def test_a_prompt_of_the_scripts_own_on_a_terminal(tmp_path: Path) -> None:
    shutil.copy(SCRIPTS / "own_prompt.py", tmp_path)
    terminal = Terminal("own_prompt.py", cwd=tmp_path, verb="run", prompt="mine> ")
    terminal.until("mine> ")
    assert "Hello 10.0.0.5" in terminal.ask("greet h1")
    terminal.type("exit\n")
    assert "left with: Prompt" in terminal.rest()
    assert terminal.process.wait() == 0


def test_a_closed_window_ends_a_script_at_its_prompt(tmp_path: Path) -> None:
    """And a SIGTERM, which is handled the same."""
    shutil.copy(SCRIPTS / "two_stations.py", tmp_path)
    terminal = Terminal("two_stations.py", "-t", cwd=tmp_path, verb="run", prompt=PROMPT)
    try:
        terminal.until(PROMPT)
        terminal.process.send_signal(signal.SIGHUP)
        assert terminal.process.wait(timeout=DEADLINE_S) == 128 + signal.SIGHUP
    finally:
        if terminal.process.poll() is None:
            terminal.process.kill()
