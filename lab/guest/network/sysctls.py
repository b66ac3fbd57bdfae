# SPDX-License-Identifier: MIT
"""Sets parameters of the network namespace that the agent is in, and reports what the kernel does not accept."""

from __future__ import annotations

import os
from pathlib import Path

from lab.guest.errors import GuestError

_ROOM = Path("/proc/sys/net")


def set_sysctl(key: str, value: str, room: Path = _ROOM) -> None:
    """Write a value; ``key`` is a path below ``room``.

    Raises:
        GuestError: If no such parameter exists, the kernel refuses the value, or it makes another one of it.
    """
    name = f"net.{key.replace('/', '.')}"
    try:
        descriptor = os.open(room / key, os.O_WRONLY | os.O_CLOEXEC)
    except (FileNotFoundError, NotADirectoryError):
        raise GuestError(f'a node has no "{name}"; `sysctl -a` in a node lists what it has') from None
    except OSError as error:
        why = "cannot be changed in a node" if isinstance(error, PermissionError) else error.strerror
        raise GuestError(f'"{name}" {why}') from None
    try:
        os.write(descriptor, f"{value}\n".encode())
    except OSError as error:
        raise GuestError(f'the kernel refuses "{value}" for {name}: {error.strerror}') from None
    finally:
        os.close(descriptor)
    kept = _kept(room / key)
    if kept is not None and _differ(kept, value):
        raise GuestError(f'{name}: the kernel makes "{kept}" of "{value}"; write the value that it keeps')


def _kept(path: Path) -> str | None:
    """Return what the kernel has now; None of what can only be written."""
    try:
        return " ".join(path.read_text().split())
    except OSError:
        return None


def _differ(kept: str, value: str) -> bool:
    """Check whether the numbers differ; of text, the kernel may have another notation."""
    try:
        return [int(word) for word in kept.split()] != [int(word) for word in value.split()]
    except ValueError:
        return False
