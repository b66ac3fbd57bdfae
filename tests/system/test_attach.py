# SPDX-License-Identifier: MIT
"""Terminals and ports of a running session: ``lab attach`` from other windows, ``forward`` at the prompt."""

from __future__ import annotations

import hashlib
import random
import socket
import subprocess
import termios
import urllib.request
from collections.abc import Iterator

import pytest

from lab import runs
from tests.system.test_shell import DEADLINE_S, LAB, PROMPT, Terminal

pytestmark = pytest.mark.guest

PAIR = """\
name: NAME
nodes:
  h1: {kind: host}
  h2: {kind: host}
links: [{between: [h1, h2]}]
"""


@pytest.fixture(scope="module")
def name(machine: runs.Machine, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Terminal, str]]:
    """A prompt, and the name of its session: other tests may have sessions at the same time."""
    folder = tmp_path_factory.mktemp("pair")
    name = f"pair-{folder.stat().st_ino}"
    (folder / f"{name}.yaml").write_text(PAIR.replace("NAME", name))
    prompt = Terminal(str(folder / f"{name}.yaml"))
    try:
        prompt.until(PROMPT)
        yield prompt, name
    finally:
        if prompt.process.poll() is None:
            prompt.process.kill()
            prompt.process.wait()


def attached(*words: str) -> Terminal:
    return Terminal(words[0], *words[1:], verb="attach", prompt="# ")


def ended(terminal: Terminal) -> tuple[int, str]:
    return terminal.process.wait(timeout=DEADLINE_S), terminal.rest()


def test_another_window_has_a_terminal_of_its_own(name: tuple[Terminal, str]) -> None:
    prompt, session = name
    window = attached(session, "h2")
    before = termios.tcgetattr(window.master)
    window.until("root@h2:")
    window.type("tty; echo $TERM $((6 * 7))\n")
    window.until("/dev/pts/")
    window.until("screen-256color 42\n")
    window.type("stty size\n")
    window.until("24 80\n")
    wait = "signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGWINCH}); print(7 * 7, flush=True)"
    shown = "signal.sigwait({signal.SIGWINCH}); print(*os.get_terminal_size(), flush=True); signal.pause()"
    window.type(f"python3 -c 'import os, signal; {wait}; {shown}'\n")
    window.until("49\n")
    window.size(50, 132)
    window.until("132 50\n")
    assert "0% packet loss" in prompt.ask("h1 ping -c 1 h2"), "the prompt does not wait for it"
    window.press("C")
    window.until("root@h2:")
    window.type("exit 3\n")
    assert window.process.wait(timeout=DEADLINE_S) == 3
    assert termios.tcgetattr(window.master) == before


def test_commands_and_mistakes(name: tuple[Terminal, str]) -> None:
    _, session = name
    assert ended(attached(session, "h1", "sh", "-c", "echo $((6 * 7)); exit 4")) == (4, "42\n")
    assert ended(attached(session, "h9")) == (2, "lab: no node is called h9; the nodes are h1, h2\n")
    assert ended(attached(session, "h1", "kill", "-9", "0"))[0] == 137
    status, said = ended(attached(session))
    assert status == 2 and said.startswith("lab: which node? lab attach [NAME] NODE [COMMAND]…")
    piped = subprocess.run([LAB, "attach", session, "h1"], stdin=subprocess.DEVNULL, capture_output=True, text=True)
    assert (piped.returncode, piped.stderr) == (
        2,
        "lab: lab attach needs a terminal; commands from a file go to lab shell\n",
    )


def test_a_port_of_the_host_leads_to_a_node(name: tuple[Terminal, str]) -> None:
    prompt, _ = name
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    prompt.ask("h1 cd /tmp; head -c 3000000 /dev/urandom >big; python3 -m http.server 80 >/dev/null 2>&1 &")
    prompt.ask("h1 curl -s -o /dev/null --retry 99 --retry-delay 1 --retry-connrefused http://10.0.0.1/")
    assert f"127.0.0.1:{port} -> h1:80\n" in prompt.ask(f"forward {port} h1:80")
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/big", timeout=DEADLINE_S) as answer:
        assert len(answer.read()) == 3_000_000
    prompt.ask("h2 nc -l 81 >/up &")
    prompt.ask("h2 while ! ss -tln | grep -q :81; do :; done")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        other = free.getsockname()[1]
    assert f"127.0.0.1:{other} -> h2:81\n" in prompt.ask(f"forward {other} h2:81")
    sent = random.Random(1).randbytes(400_000)
    with socket.create_connection(("127.0.0.1", other)) as client:
        client.sendall(sent)
    assert hashlib.sha256(sent).hexdigest() in prompt.ask("h2 wait; sha256sum /up")
    assert f"port {port} of this host: Address already in use" in prompt.ask(f"forward {port} h2:80")
    assert "forward PORT NODE:PORT" in prompt.ask("forward 80")
    assert "lab attach h2" in prompt.ask("xterm h2")


def test_it_ends_with_the_session(name: tuple[Terminal, str]) -> None:
    prompt, session = name
    window = attached(session, "h2")
    before = termios.tcgetattr(window.master)
    window.until("root@h2:")
    assert prompt.end() == 0
    status, said = ended(window)
    assert (status, said.splitlines()[-1]) == (1, "lab: the session has ended")
    assert termios.tcgetattr(window.master) == before
    assert ended(attached(session, "h2"))[0] == 2, "the session has ended"
