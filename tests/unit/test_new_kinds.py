# SPDX-License-Identifier: MIT
"""An event, a kind of node and a radio setting are files: those of docs/extend, in a copy of the lab or a stack."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from lab.checkout import PACKAGE

GUIDES = [PACKAGE.parent / "docs" / "extend" / name for name in ("event.md", "node.md", "radio-setting.md")]
_FILE = re.compile(r"<!-- new: (lab/(?:events|nodes|radio_settings)/\S+) -->\n```python\n(.*?)```\n", re.DOTALL)

TOPOLOGY = """\
name: here
nodes:
  h1: {kind: host}
  r1: {kind: forwarder}
  h2: {kind: host, ip: 192.168.2.2/24}
links:
  - {between: [h1, r1]}
  - {between: [r1, h2], ip: {r1: 192.168.2.1/24}}
timeline:
  - {at: 5 s, mtu: h1-r1, to: 1280 B}
"""
WORKLOAD = "name: there\nduration: 9 s\n"

# what a guest is asked to do, by a plan of the files above
EXECUTE = """
from contextlib import contextmanager
from types import SimpleNamespace

from lab.guest import script, steps
from lab.guest.network import sysctls
from lab.plan.load import load

inside = []

@contextmanager
def network(node):
    inside.append(node)
    yield

def run(node, argv):
    print(node, *argv)
    return ""

def container(node):
    return SimpleNamespace(
        network=lambda: network(node),
        run=lambda *argv, input_text: run(node, argv),
        write=lambda path, text, mode: None,
        pidfd=None,
    )

steps.run = lambda argv, input_text="", culprit=None: run(culprit, argv)
steps.Path = lambda path: SimpleNamespace(write_text=lambda text: None)
sysctls.set_sysctl = lambda key, value: print(inside[-1], key, "is", value)
guest = SimpleNamespace(
    pid=lambda node: 7,
    container=container,
    network=SimpleNamespace(add=lambda node, mounts, class_name, lists: print(node.name, "is a", class_name)),
    loop=SimpleNamespace(add_reader=lambda pidfd, callback: None),
)
plan = load("t.yaml", "w.yaml")
for step in script.network(plan, guest.pid):
    step.execute(guest)
for moment in script.moments(plan):
    for step in moment.steps():
        step.execute(guest)
"""


@pytest.fixture(params=["lab", "workloads/mine"])
def checkout(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    """A copy of the lab, in it or a stack the files of the guides, and nothing else that is new; a topology."""
    shutil.copytree(PACKAGE, tmp_path / "lab", ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / "t.yaml").write_text(TOPOLOGY)
    (tmp_path / "w.yaml").write_text(WORKLOAD)
    written = dict(found for guide in GUIDES for found in _FILE.findall(guide.read_text()))
    assert {Path(name).parent.name for name in written} == {"mtu", "forwarder", "radio_settings"}
    for name, text in written.items():
        target = tmp_path / request.param / Path(name).relative_to("lab")
        assert not target.exists()
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)
    return tmp_path


def python(checkout: Path, program: str, *arguments: str) -> str:
    """What a Python with that copy of the lab prints."""
    environment = {**os.environ, "PYTHONPATH": str(checkout), "COLUMNS": "200"}
    ran = subprocess.run(
        [sys.executable, "-c", program, *arguments], cwd=checkout, env=environment, capture_output=True, text=True
    )
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


def lab(checkout: Path, *arguments: str) -> str:
    return python(checkout, "from lab.cli.entry import main; main()", *arguments)


def test_a_new_kind_goes_from_file_to_guest(checkout: Path) -> None:
    shown = lab(checkout, "show", "t.yaml", "w.yaml")
    assert re.search(r"^r1 +forwarder", shown, re.MULTILINE)
    assert re.search(r"^5 s +mtu +h1-r1 +1280 B$", shown.replace(" \n", "\n"), re.MULTILINE)
    printed = lab(checkout, "run", "t.yaml", "w.yaml", "--dry-run").splitlines()
    forward = printed.index("# /proc/sys/net/ipv4/ip_forward: 1")
    assert [line for line in printed[:forward] if line.startswith("# in ")][-1] == "# in r1"
    start = printed.index("# at 5 s")
    assert printed[start : start + 5] == [
        "# at 5 s",
        "# in h1",
        "ip link set h1-eth0 mtu 1280",
        "# in r1",
        "ip link set r1-eth0 mtu 1280",
    ]
    executed = python(checkout, EXECUTE).splitlines()
    assert "r1 is a Forwarder" in executed
    assert "r1 ipv4/ip_forward is 1" in executed
    assert executed[-2:] == ["h1 ip link set h1-eth0 mtu 1280", "r1 ip link set r1-eth0 mtu 1280"]


def test_a_new_setting_of_a_radio_reaches_the_kernel(checkout: Path) -> None:
    radios = "name: here\nmedium: {retries: 7}\nnodes:\n  ap1: {kind: ap, ssid: a, attempts: 3}\n  sta1: {kind: sta}\n"
    (checkout / "t.yaml").write_text(radios)
    assert "3 attempts" in " ".join(lab(checkout, "show", "t.yaml", "w.yaml").split())
    printed = lab(checkout, "run", "t.yaml", "w.yaml", "--dry-run")
    assert re.findall(r"ADD_RADIO id=1 radio=(\d) .* retries=(\d+)", printed) == [("0", "3"), ("1", "7")]
    (checkout / "t.yaml").write_text(radios.replace("medium: {retries: 7}\n", ""))
    with pytest.raises(AssertionError, match=r"attempts: has no effect on the perfect medium, which has no attempts; "):
        lab(checkout, "show", "t.yaml", "w.yaml")


def test_the_address_of_a_kind_without_ip(checkout: Path) -> None:
    """What the message proposes is valid: without ip:, or with another link before."""
    first = "  - {between: [h1, r1]}\n"
    (checkout / "t.yaml").write_text(TOPOLOGY.replace(first, "").replace("mtu: h1-r1", "mtu: r1-h2"))
    with pytest.raises(AssertionError) as failure:
        lab(checkout, "show", "t.yaml", "w.yaml")
    message = "this is r1's first interface; it gets the next free address; remove this, or write another link of r1 "
    assert message + "before this one" in str(failure.value)
    (checkout / "t.yaml").write_text(
        TOPOLOGY.replace(first, "").replace("mtu: h1-r1", "mtu: r1-h2").replace(", ip: {r1: 192.168.2.1/24}", "")
    )
    lab(checkout, "show", "t.yaml", "w.yaml")


def test_a_mistake_in_a_new_kind_is_one_of_a_known_key(checkout: Path) -> None:
    (checkout / "t.yaml").write_text(TOPOLOGY.replace("to: 1280 B", "too: 1280 B"))
    with pytest.raises(AssertionError) as failure:
        lab(checkout, "show", "t.yaml", "w.yaml")
    assert 'unknown key "too" (did you mean to?); known keys: at, mtu, to' in " ".join(str(failure.value).split())
