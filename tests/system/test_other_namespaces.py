# SPDX-License-Identifier: MIT
"""What root in a node cannot reach: network namespaces of other nodes, by their numbers and by settings of networks."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from lab import runs
from lab.shared.types import Plan
from tests.system.asking import RUN, with_script
from tests.system.conftest import WIRED, Ran, quoted, with_stack

pytestmark = pytest.mark.guest

PAIR = "name: pair\nnodes: {h1: {kind: host}, h2: {kind: host}}\nlinks: [{between: [h1, h2]}]\n"
# rtnetlink requests of h1 that name, by its number, the namespace of h2 at the other end of its link
BY_NUMBER = """
import json, os, socket, struct
from lab.guest.netlink.wire import NESTED, attribute, u32

GETLINK, SETLINK, NEWLINK, DELLINK, GETADDR = 18, 19, 16, 17, 22
CREATE, DUMP = 0x600, 0x300
IFNAME, LINK, LINKINFO, LINK_NETNSID, TARGET_NETNSID, KIND, IFA_TARGET_NETNSID = 3, 5, 18, 37, 46, 1, 10
own = socket.if_nametoindex("h1-eth0")
other = int(open("/sys/class/net/h1-eth0/iflink").read())
there = attribute(TARGET_NETNSID, u32(0))

def named(name):
    return attribute(IFNAME, name.encode() + b"\\0")

def kind(name):
    return attribute(LINKINFO | NESTED, attribute(KIND, name.encode()))

def ask(kind, index, attributes, flags=0):
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, socket.NETLINK_ROUTE) as asked:
        body = struct.pack("=BBHiII", 0, 0, 0, index, 0, 0) if kind != GETADDR else struct.pack("=BBBBI", 2, 0, 0, 0, 0)
        body += attributes
        if kind == GETADDR:
            asked.setsockopt(270, 12, 1)  # NETLINK_GET_STRICT_CHK
        asked.send(struct.pack("=IHHII", 16 + len(body), kind, 1 | (flags or 4), 1, 0) + body)
        answer = asked.recv(65536)
    number, code = struct.unpack_from("=4xH10xi", answer)
    return os.strerror(-code) if number in (2, 3) and code else "done"  # NLMSG_ERROR, or the end of a dump

print(json.dumps({
    "read an interface": ask(GETLINK, other, there),
    "read addresses": ask(GETADDR, 0, attribute(IFA_TARGET_NETNSID, u32(0)), DUMP),
    "create an interface": ask(NEWLINK, 0, named("new") + there + kind("dummy"), CREATE | 4),
    "create one of its own": ask(NEWLINK, 0, named("mine") + kind("dummy"), CREATE | 4),
    "move one there": ask(SETLINK, socket.if_nametoindex("mine"), there),
    "listen at its interface": ask(
        NEWLINK, 0, named("ear") + attribute(LINK, u32(other)) + attribute(LINK_NETNSID, u32(0)) + kind("macvlan"),
        CREATE | 4),
    "delete an interface": ask(DELLINK, other, there),
}))
"""
MINE = "create one of its own"


def asked_by_number(topology: str, plan_of: Callable[..., Plan], boot_plan: Callable[[Plan], Ran]) -> dict[str, str]:
    """Return what h1 got for its requests."""
    event = f"  - {{at: 1 s, exec: h1, run: {RUN.format(arguments='')}}}\n"
    ran = boot_plan(with_script(plan_of(topology, f"name: ask\nduration: 3 s\ntimeline:\n{event}"), "h1", BY_NUMBER))
    answers: dict[str, str] = json.loads(ran.outputs()[0])
    return answers


@pytest.fixture
def boot_plan(machine: runs.Machine, tmp_path: Any) -> Callable[[Plan], Ran]:
    """Boot a plan that a test has changed."""

    def run(plan: Plan) -> Ran:
        directory = tmp_path / "run"
        directory.mkdir()
        runs.boot(plan, with_stack(machine, tmp_path / "workload.yaml", plan), directory)
        return Ran(directory)

    return run


def test_numbers_of_namespaces_do_not_lead_into_them(
    plan_of: Callable[..., Plan], boot_plan: Callable[[Plan], Ran]
) -> None:
    answers = asked_by_number(PAIR, plan_of, boot_plan)
    assert answers.pop(MINE) == "done"
    assert set(answers.values()) <= {"Permission denied", "Operation not permitted"}, answers


def test_they_do_for_a_privileged_node(plan_of: Callable[..., Plan], boot_plan: Callable[[Plan], Ran]) -> None:
    answers = asked_by_number(PAIR.replace("kind: host", "kind: host, privileged: true", 1), plan_of, boot_plan)
    assert answers == dict.fromkeys(answers, "done")


SETTINGS = """
import pathlib

def settings():
    found = {}
    for path in sorted(pathlib.Path("/proc/sys/net").rglob("*")):
        if path.is_file() and "-eth" not in str(path):
            try:
                found[str(path)] = path.read_text().split()
            except OSError:
                continue
    return found
"""
CHANGE = f"""{SETTINGS}
changed = 0
for path, words in settings().items():
    for word in (str(int(words[0]) + 1), str(int(words[0]) - 1)) if words and words[0].lstrip("-").isdigit() else ():
        try:
            pathlib.Path(path).write_text(" ".join([word, *words[1:]]))
        except OSError:
            continue
        changed += pathlib.Path(path).read_text().split() != words
        break
print(changed)
"""
SHOW = f"{SETTINGS}\nfor path, words in settings().items():\n    print(path, *words)\n"


def test_settings_of_a_nodes_network_are_not_those_of_others(boot: Callable[..., Ran]) -> None:
    def runs_on(node: str, at: str, script: str) -> str:
        return f"  - {{at: {at}, exec: {node}, run: [python3, -c, {quoted(script)}]}}\n"

    events = runs_on("h2", "1 s", SHOW) + runs_on("h1", "2 s", CHANGE) + runs_on("h2", "3 s", SHOW)
    before, changed, after = boot(WIRED, f"name: settings\nduration: 5 s\ntimeline:\n{events}").outputs()
    assert int(changed) > 200
    assert before == after
