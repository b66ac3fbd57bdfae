# SPDX-License-Identifier: MIT
# for type checkers: what __init__.py imports once it is used
__all__: list[str]

from lab.lockstep.captures import Capture as Capture
from lab.lockstep.captures import Frame as Frame
from lab.lockstep.conditions import Condition as Condition
from lab.lockstep.conditions import associated as associated
from lab.lockstep.conditions import listening as listening
from lab.lockstep.conditions import printed as printed
from lab.lockstep.counters import Counters as Counters
from lab.lockstep.errors import CallError as CallError
from lab.lockstep.errors import CommandError as CommandError
from lab.lockstep.errors import WaitError as WaitError
from lab.lockstep.events import Event as Event
from lab.lockstep.events import event as event
from lab.lockstep.events import link as link
from lab.lockstep.events import move as move
from lab.lockstep.events import power as power
from lab.lockstep.events import roam as roam
from lab.lockstep.lab import Lab as Lab
from lab.lockstep.node import Interface as Interface
from lab.lockstep.node import Node as Node
from lab.lockstep.process import Process as Process
from lab.lockstep.process import Result as Result
