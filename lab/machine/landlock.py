# SPDX-License-Identifier: MIT
"""Rulesets of Landlock, by which a process without privileges gives up access to files, networks and other processes.

The kernel's Documentation/userspace-api/landlock.rst explains them. Each version of its interface (ABI) adds rights.
"""

from __future__ import annotations

import ctypes
import os
import struct
from collections.abc import Mapping
from pathlib import Path

_CREATE_RULESET, _ADD_RULE = 444, 445  # numbers of system calls
_VERSION, _PATH_BENEATH = 1, 1

EXECUTE, _WRITE_FILE, READ_FILE, READ_DIR, REMOVE_DIR, REMOVE_FILE, _MAKE_CHAR, _MAKE_DIR, _MAKE_REG = (
    1 << bit for bit in range(9)
)
_REFER, _TRUNCATE = 1 << 13, 1 << 14
READ = READ_FILE | READ_DIR
WRITE = READ | _WRITE_FILE | REMOVE_DIR | REMOVE_FILE | _MAKE_DIR | _MAKE_REG | _REFER | _TRUNCATE  # and what a link or
# a device would need is not in it
_RIGHTS = {1: 13, 2: 14, 3: 15, 4: 15, 5: 16}  # of files, by ABI
_TCP, _SCOPES = 0b11, 0b11  # to bind and to connect; abstract sockets and signals outside
ABI_OF_TCP, ABI_OF_SCOPES = 4, 6

_libc = ctypes.CDLL(None, use_errno=True)


def abi() -> int:
    """Return the version of Landlock's interface that this host has; 0: none, or it is switched off."""
    return max(0, int(_libc.syscall(_CREATE_RULESET, None, ctypes.c_size_t(0), _VERSION)))


def ruleset(paths: Mapping[Path, int]) -> int:
    """Return the file descriptor of a ruleset that allows nothing but these rights at and below these paths.

    Raises:
        OSError: If the host has no Landlock, or there is no such path.
    """
    version = abi()
    handled = (1 << _RIGHTS.get(version, _RIGHTS[max(_RIGHTS)])) - 1
    wanted = struct.pack(
        "=QQQ", handled, _TCP if version >= ABI_OF_TCP else 0, _SCOPES if version >= ABI_OF_SCOPES else 0
    )
    made = _done(_libc.syscall(_CREATE_RULESET, wanted, ctypes.c_size_t(len(wanted)), 0))
    for path, rights in paths.items():
        place = os.open(path, os.O_PATH | os.O_CLOEXEC)
        try:
            _done(_libc.syscall(_ADD_RULE, made, _PATH_BENEATH, struct.pack("=Qi", rights & handled, place), 0))
        finally:
            os.close(place)
    return made


def _done(result: int) -> int:
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result
