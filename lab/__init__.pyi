# SPDX-License-Identifier: MIT
# for type checkers: what __init__.py imports once it is used
__all__: list[str]

from lab.lockstep import CallError as CallError
from lab.lockstep import Capture as Capture
from lab.lockstep import CommandError as CommandError
from lab.lockstep import Condition as Condition
from lab.lockstep import Counters as Counters
from lab.lockstep import Event as Event
from lab.lockstep import Frame as Frame
from lab.lockstep import Interface as Interface
from lab.lockstep import Lab as Lab
from lab.lockstep import Node as Node
from lab.lockstep import Process as Process
from lab.lockstep import Result as Result
from lab.lockstep import WaitError as WaitError
from lab.lockstep import associated as associated
from lab.lockstep import event as event
from lab.lockstep import link as link
from lab.lockstep import listening as listening
from lab.lockstep import move as move
from lab.lockstep import power as power
from lab.lockstep import printed as printed
from lab.lockstep import roam as roam
