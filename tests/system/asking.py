# SPDX-License-Identifier: MIT
"""Scripts in a node that talk to the kernel's medium by generic netlink, with the guest's own modules."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from pathlib import Path

from lab.shared.types import File, Plan

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
