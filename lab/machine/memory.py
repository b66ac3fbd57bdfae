# SPDX-License-Identifier: MIT
"""How much memory a guest gets, and where the file that holds it can be."""

from __future__ import annotations

import mmap
import os
import tempfile
from pathlib import Path

from lab.cache.store import free_bytes
from lab.errors import HostError
from lab.numbers import count
from lab.shared.types import Plan

GUEST_BYTES = 1 << 30  # enough for most
# measured in saturated-cell, and something to spare: a station takes 3.5 MiB, a probe 5.5 MiB
_KERNEL_BYTES, _NODE_BYTES, _PROCESS_BYTES = 128 << 20, 4 << 20, 8 << 20
RULE = (GUEST_BYTES, _KERNEL_BYTES, _NODE_BYTES, _PROCESS_BYTES)  # what depends on it is in the plan


def guest_bytes(plan: Plan) -> int:
    """Return the memory of a plan's guest: what the plan says, or whole GiB according to its nodes.

    A node with an image counts with its limit, since its programs are larger than those of the base image.
    """
    if plan.memory_bytes is not None:
        return plan.memory_bytes
    needed = _KERNEL_BYTES + len(plan.nodes) * _NODE_BYTES + len(plan.processes) * _PROCESS_BYTES
    needed += sum(node.memory_bytes for node in plan.nodes if node.image)
    return -(-needed // GUEST_BYTES) * GUEST_BYTES


def memory_text(plan: Plan) -> str | None:
    """Return a note for the user if a guest takes more than usual, or None."""
    size = guest_bytes(plan)
    if size == GUEST_BYTES:
        return None
    processes = "1 process" if len(plan.processes) == 1 else f"{len(plan.processes)} processes"
    parts = f"{count(len(plan.nodes), 'node')} and {processes}"
    return f"a guest of {parts} gets {_size(size)} of memory"


def _size(size_bytes: int) -> str:
    return f"{size_bytes >> 30} GiB" if size_bytes % GUEST_BYTES == 0 else f"{size_bytes >> 20} MiB"


def memory_keys(plan: Plan) -> str | None:
    """Return where the memory of a guest that takes more than usual is written, for a message, or None."""
    if guest_bytes(plan) == GUEST_BYTES:
        return None
    if plan.memory_bytes is not None:
        return f"memory: of {plan.nodes[0].source.rpartition(':')[0]}"
    nodes = [f"{node.name} ({node.source})" for node in plan.nodes if node.image]
    return f"memory: of {', '.join(nodes)}, or memory: of the topology" if nodes else "memory: of the topology"


def memory_directory(
    candidates: list[Path] | None = None, *, needed_bytes: int = GUEST_BYTES, keys: str | None = None
) -> Path:
    """Return the directory for the file of the guest's memory. The guest executes from it, so noexec does not work.

    Args:
        candidates: Looked at in order; default: /dev/shm, $TMPDIR, /tmp, $XDG_RUNTIME_DIR.
        needed_bytes: Space that the guest may need.
        keys: where that is written, for the message (``memory_keys``).

    Raises:
        HostError: If none is suitable; gives the reason for each.
    """
    if candidates is None:
        variables = [os.environ.get("TMPDIR", ""), "/tmp", os.environ.get("XDG_RUNTIME_DIR", "")]
        candidates = [Path("/dev/shm"), *(Path(name) for name in variables if name)]
    reasons = []
    for candidate in dict.fromkeys(candidates):
        reason = _unfit(candidate, needed_bytes)
        if reason is None:
            return candidate
        reasons.append(f"{candidate}: {reason}")
    raise HostError(
        f"no directory for the guest's memory, {_size(needed_bytes)}:"
        + "".join(f"\n    {reason}" for reason in reasons),
        hint=(f"write less into {keys}; or " if keys else "")
        + "set TMPDIR to a directory that allows it, or mount one of them with exec: "
        "`mount -o remount,exec /dev/shm`, in Docker `--tmpfs /dev/shm:exec,size=2g`",
    )


def _unfit(directory: Path, needed_bytes: int) -> str | None:
    """Return why a directory cannot hold a guest's memory; None if it can."""
    if not directory.is_dir():
        return "is not a directory"
    try:
        with tempfile.TemporaryFile(dir=directory) as file:
            file.truncate(mmap.PAGESIZE)
            mmap.mmap(file.fileno(), mmap.PAGESIZE, mmap.MAP_SHARED, mmap.PROT_READ | mmap.PROT_EXEC).close()
    except PermissionError:
        return (
            "is mounted noexec" if os.statvfs(directory).f_flag & os.ST_NOEXEC else "cannot be written or executed from"
        )
    except OSError as error:
        return f"cannot hold a file: {error.strerror}"
    free = free_bytes(directory)
    return None if free >= needed_bytes else f"has {free >> 20} MiB free, not {needed_bytes >> 20}"
