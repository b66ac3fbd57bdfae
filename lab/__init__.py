# SPDX-License-Identifier: MIT
"""hwsim-lab: a Wi-Fi network emulation lab in a box.

Programs that drive a lab find here what lab.lockstep offers: ``from lab import Lab, associated, roam``.
"""

# by module of lab.lockstep; imported once they are used: the guest has this file, too, but not lab.lockstep
_OFFERED = {
    "captures": ("Capture", "Frame"),
    "conditions": ("Condition", "associated", "listening", "printed"),
    "counters": ("Counters",),
    "errors": ("CallError", "CommandError", "WaitError"),
    "events": ("Event", "event", "link", "move", "power", "roam"),
    "lab": ("Lab",),
    "node": ("Interface", "Node"),
    "process": ("Process", "Result"),
}
_MODULES = {name: module for module, names in _OFFERED.items() for name in names}
__all__ = list(_MODULES)


def __getattr__(name: str) -> object:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__} has no attribute {name}")
    from importlib import import_module

    found: object = getattr(import_module(f"lab.lockstep.{_MODULES[name]}"), name)
    return found
