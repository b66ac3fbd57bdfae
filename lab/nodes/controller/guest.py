# SPDX-License-Identifier: MIT
"""An OpenFlow controller in the guest: os-ken with one application."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from lab.guest.kinds import NodeKind, Phase
from lab.guest.openflow import PORT
from lab.guest.steps import Step, Write, await_listening, start_daemon
from lab.shared import types

_APPS = "/etc/controller"
_NAME = "controller"


class Controller(NodeKind):
    """A controller; Mininet counts it as such."""

    class_name: ClassVar[str] = "Controller"
    lists: ClassVar[tuple[str, ...]] = ("controllers",)
    phase: ClassVar[Phase | None] = Phase.CONTROL

    def start(self, plan: types.Plan, node: types.Node) -> Iterator[Step]:
        given = node.controller
        if given is None:
            return
        for name, text in given.files.items():
            yield Write(f"{_APPS}/{name}", text, node.name)
        # by its name: for a file with a mistake, os-ken only reports that no such module exists
        app = given.app.removesuffix(".py") if given.files else given.app
        manager = ["python3", "-m", "os_ken.cmd.manager", f"--ofp-tcp-listen-port={PORT}", app]
        yield start_daemon(node.name, _NAME, ["env", f"PYTHONPATH={_APPS}", *manager])

    def wait(self, plan: types.Plan, node: types.Node) -> Iterator[Step]:
        yield await_listening(node.name, _NAME, f"tcp/{PORT}")
