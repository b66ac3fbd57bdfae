# SPDX-License-Identifier: MIT
"""Scripts that talk to the medium by generic netlink: in a node, or in the agent, which alone may set it up."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from pathlib import Path

import pytest

from lab import runs
from lab.builders.kernel.chosen import KernelChoice
from lab.cache.report import SilentReport
from lab.shared.types import File, Plan
from tests import booted

RUN = "[env, PYTHONPATH=/opt, python3, /opt/ask.py{arguments}]"  # command of an exec event
_PROJECT = Path(__file__).parents[2]
_MODULES = (
    "__init__.py",
    *(f"shared/{name}.py" for name in ("__init__", "frozen", "medium_types")),
    *(f"guest/{name}.py" for name in ("__init__", "errors")),
    *(f"guest/netlink/{name}.py" for name in ("__init__", "wire", "generic")),
    *(f"guest/medium/{name}.py" for name in ("__init__", "uapi")),
)


def _file(node: str, path: str, text: str) -> File:
    return File(path, node, path, None, text, hashlib.sha256(text.encode()).hexdigest())


def with_script(plan: Plan, node: str, script: str) -> Plan:
    """Return the plan with a script in a node, as ``/opt/ask.py``, and the modules that it imports."""
    files = [_file(node, f"/opt/lab/{name}", (_PROJECT / "lab" / name).read_text()) for name in _MODULES]
    return replace(plan, files=[*plan.files, *files, _file(node, "/opt/ask.py", script)])


_FILE = '''
"""A script of a test, executed by the guest's agent."""
from lab.model.base import Text
from lab.model.event import Event, Resolved, Scene


class Ask(Event):
    """Execute a script."""

    ask: Text
    script: Text
    arguments: list[Text] = []

    def resolve(self, scene: Scene) -> Resolved:
        yield self.ask, {"script": self.script, "arguments": self.arguments}
'''
_GUEST = """
import contextlib, io, sys
from lab.guest.kinds import EventSteps
from lab.guest.steps import GUEST, Do
from lab.shared.paths import RAW


class Ask(EventSteps):
    def steps(self, plan, event):
        def execute(guest):
            printed, sys.argv = io.StringIO(), ["ask", *event.params["arguments"]]
            with contextlib.redirect_stdout(printed):
                exec(event.params["script"], {"__name__": "asked"})
            with (RAW / "asked").open("a") as file:
                file.write(printed.getvalue())

        yield Do(["# the test's script"], execute, GUEST)
"""


def teach(folder: Path) -> None:
    """Add the event of ``asked`` to the workloads that are started in a folder."""
    room = folder / "workloads/asking/events/ask"
    room.mkdir(parents=True)
    for name, content in {"__init__.py": "", "file.py": _FILE, "guest.py": _GUEST}.items():
        (room / name).write_text(content)


def agent_machine(folder: Path, monkeypatch: pytest.MonkeyPatch) -> runs.Machine:
    """Return a machine whose agent knows the event of ``asked``, for workloads that are started in a folder."""
    teach(folder)
    monkeypatch.chdir(folder)
    return runs.ensure_machine(SilentReport(), choice=KernelChoice(built=str(booted.kernel().path)))


def asked(script: str, *arguments: str) -> str:
    """The event that executes a script in the guest's agent, as YAML without its time; raw/asked has what it prints."""
    return f"ask: sta1, script: {json.dumps(script)}, arguments: {json.dumps(list(arguments))}"
