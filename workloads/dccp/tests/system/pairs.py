# SPDX-License-Identifier: MIT
"""Two hosts with 10 ms between them, and what runs on them: flows, or Python programs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.system.conftest import Ran

PLACE = """\
name: pair
nodes:
  h1: {kind: host, roles: [server]}
  h2: {kind: host, roles: [client]}
links:
  - {between: [h1, h2], delay: 10 ms, rate: 100 Mbit/s, limit: 1000 packets}
"""
_STAY = "\nimport time\ntime.sleep(1e6)\n"  # the run fails if a server ends
# both programs begin with this
HEAD = """\
import os, socket, struct, sys, time
sys.path.insert(0, "/dccp")
from raw import *

own, other = sys.argv[1:]
SOL_DCCP, SERVICE, CCIDS, TX_INFO = 269, 2, 13, 192


def dccp(ccid):
    s = socket.socket(socket.AF_INET, 6, 33)
    s.setsockopt(SOL_DCCP, SERVICE, struct.pack("!I", 1))
    s.setsockopt(SOL_DCCP, CCIDS, bytes([ccid]))
    return s


def connected(ccid):
    s = dccp(ccid)
    s.connect((other, 5001))
    return s


def accepted(ccid):
    s = dccp(ccid)
    s.bind((own, 5001))
    s.listen(5)
    print("ready")
    return s.accept()[0]


def ended():
    os._exit(0)  # without closing: the other end is a raw one that would not answer


"""
RAW_SERVER = HEAD + 'p = Peer("h1-eth0", own, other, 5001, 0)\nprint("ready")\n'
RAW_CLIENT = HEAD + 'p = Peer("h2-eth0", own, other, 4000, 5001)\n'
_RAW = Path(__file__).with_name("raw.py")


def flow(duration_s: float, sink: str = "", timeline: str = "", wait_s: float = 0, **sender: Any) -> str:
    """A workload: a flow of DCCP. ``sink`` are its parameters, as in YAML; ``wait_s`` comes after the flow."""
    keys = "".join(f", {key}: {value}" for key, value in sender.items())
    return f"""\
name: flow
stack: dccp
roles: {{server: 1, client: 1}}
duration: {duration_s + wait_s + 3} s
processes:
  - {{on: server, run: {{probe: flow-sink, protocol: dccp{sink}}}, as: sink, ready: {{log: listening}}}}
  - on: client
    run: {{probe: flow-send, protocol: dccp, to: "{{server.ip}}", duration: {duration_s} s, state: 100 ms{keys}}}
    as: flow
timeline:
{timeline or "  []"}
"""


def programs(duration_s: float, server: str | None, client: str | None, timeline: str = "") -> str:
    """A workload: Python programs. One that uses ``p`` is a raw end (raw.Peer), others have the functions of HEAD."""
    server = None if server is None else (RAW_SERVER if "p." in server else HEAD) + server
    client = None if client is None else (RAW_CLIENT if "p." in client else HEAD) + client
    files = {"raw.py": _RAW.read_text(), "server.py": (server or "") + _STAY, "client.py": client or ""}
    copies = "".join(
        f"  {name.partition('.')[0]}: {{on: [server, client], path: /dccp/{name}, text: {json.dumps(text)}}}\n"
        for name, text in files.items()
    )
    starts = [
        f'  - {{on: {role}, run: [python3, -u, /dccp/{role}.py, "{{{role}.ip}}", "{{{other}.ip}}"], '
        f"as: {role}-program{ready}}}"
        for role, other, text, ready in (
            ("server", "client", server, ", ready: {log: ready}"),
            ("client", "server", client, ""),
        )
        if text is not None
    ]
    lines = "\n".join(starts)
    return f"""\
name: programs
stack: dccp
roles: {{server: 1, client: 1}}
duration: {duration_s} s
files:
{copies}processes:
{lines}
timeline:
{timeline or "  []"}
"""


def lines(ran: Ran, name: str, kind: str) -> list[dict[str, Any]]:
    """The lines of that kind that flow printed."""
    found = [json.loads(line) for line in ran.raw(f"{name}.out").splitlines()]
    return [line for line in found if line["kind"] == kind]
