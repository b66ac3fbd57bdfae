# SPDX-License-Identifier: MIT
"""A lab that a program drives, in lock-step: while the program decides what comes next, virtual time stands still.

    with Lab("two-aps-handoff") as net:
        net.at("2 s", roam("sta1", "ap2"))
        net.wait_for(associated("sta1", "ap2"), timeout_s=5)
        net["sta1"].run(["ping", "-c", "3", "h1"]).check()

docs/testing.md describes it for users.
"""

from lab.lockstep.captures import Capture, Frame
from lab.lockstep.conditions import Condition, associated, listening, printed
from lab.lockstep.counters import Counters
from lab.lockstep.errors import CallError, CommandError, WaitError
from lab.lockstep.events import Event, event, link, move, power, roam
from lab.lockstep.lab import Lab
from lab.lockstep.node import Interface, Node
from lab.lockstep.process import Process, Result

__all__ = [
    "CallError",
    "Capture",
    "CommandError",
    "Condition",
    "Counters",
    "Event",
    "Frame",
    "Interface",
    "Lab",
    "Node",
    "Process",
    "Result",
    "WaitError",
    "associated",
    "event",
    "link",
    "listening",
    "move",
    "power",
    "printed",
    "roam",
]
