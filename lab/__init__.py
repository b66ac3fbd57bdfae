# SPDX-License-Identifier: MIT
"""hwsim-lab: a Wi-Fi network emulation lab in a box.

Programs that drive a lab find here what lab.lockstep offers: ``from lab import Lab, associated, roam``.
"""

# imported once they are used: the guest has this file, too, but not lab.lockstep
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


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module {__name__} has no attribute {name}")
    from importlib import import_module

    found: object = getattr(import_module("lab.lockstep"), name)
    return found
