# SPDX-License-Identifier: MIT
"""Root in a node is refused the system calls that Docker's seccomp profile refuses, but for some that are harmless."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from tests.system.conftest import WIRED, Ran, quoted

pytestmark = pytest.mark.guest

# numbers on x86-64, and arguments; "/" and "" stand for a path and for zeros in memory
REFUSED = {
    "acct": (163, "/"),
    "add_key": (248, "", "", "", 0, -3),
    "bpf": (321, 0, "", 48),
    "clock_settime": (227, 0, ""),
    "delete_module": (176, "/", 0),
    "fanotify_init": (300, 0, 0),
    "finit_module": (313, 0, "", 0),
    "fsmount": (432, 0, 0, 0),
    "fsopen": (430, "/", 0),
    "fspick": (433, -100, "/", 0),
    "get_mempolicy": (239, 0, 0, 0, 0, 0),
    "init_module": (175, "", 64, ""),
    "io_uring_enter": (426, 0, 0, 0, 0, 0, 0),
    "io_uring_register": (427, 0, 0, 0, 0),
    "io_uring_setup": (425, 1, ""),
    "ioperm": (173, 0, 1, 1),
    "iopl": (172, 3),
    "kcmp": (312, 1, 1, 0, 0, 0),
    "kexec_file_load": (320, 0, 0, 0, "", 0),
    "kexec_load": (246, 0, 0, 0, 0),
    "keyctl": (250, 0, -3, 0, 0, 0),
    "lookup_dcookie": (212, 0, "", 64),
    "mbind": (237, 0, 0, 0, 0, 0, 0),
    "migrate_pages": (256, 0, 0, 0, 0),
    "mount": (165, "/", "/", "/", 0, 0),
    "mount_setattr": (442, -100, "/", 0, "", 32),
    "move_mount": (429, -100, "/", -100, "/", 0),
    "move_pages": (279, 0, 0, 0, 0, 0, 0),
    "nfsservctl": (180, 0, 0, 0),
    "open_by_handle_at": (304, -100, "", 0),
    "open_tree, a copy": (428, -100, "/", 1),
    "perf_event_open": (298, "", 0, -1, -1, 0),
    "pivot_root": (155, "/", "/"),
    "process_vm_readv": (310, 1, 0, 0, 0, 0, 0),
    "process_vm_writev": (311, 1, 0, 0, 0, 0, 0),
    "quotactl": (179, 0, 0, 0, 0),
    "quotactl_fd": (443, 0, 0, 0, 0),
    "reboot": (169, 0, 0, 0, 0),
    "request_key": (249, "", "", "", 0),
    "set_mempolicy": (238, 0, 0, 0),
    "set_mempolicy_home_node": (450, 0, 4096, 0, 0),
    "setdomainname": (171, "/", 1),
    "sethostname": (170, "/", 1),
    "setns, with a file": (308, 0, 0),
    "settimeofday": (164, "", 0),
    "socket, of virtual machines": (41, 40, 1, 0),
    "socket, of the kernel's ciphers": (41, 38, 5, 0),
    "swapoff": (168, "/"),
    "swapon": (167, "/", 0),
    "_sysctl": (156, ""),
    "sysfs": (139, 3),
    "syslog": (103, 3, "", 64),
    "umount2": (166, "/", 2),
    "unshare, of mounts": (272, 0x20000),
    "uselib": (134, "/"),
    "userfaultfd": (323, 1),
    "vhangup": (153,),
}
# these work, but lead to nothing beyond the program and its node
WORKING = {
    "open_tree, without a copy": (428, -100, "/", 0),
    "personality, fixed addresses": (135, 0x40000),
    "pidfd_getfd": (438, "itself", 1, 0),
    "process_madvise": (440, "itself", "", 0, 20, 0),
    "ustat": (136, "device", ""),
}
PROGRAM = """
import ctypes, json, os, sys
libc = ctypes.CDLL(None, use_errno=True)
memory = ctypes.create_string_buffer(4096)
answers = {}
for name, (number, *words) in json.loads(sys.argv[1]).items():
    places = {"/": ctypes.c_char_p(b"/"), "": memory}
    places |= {"itself": os.pidfd_open(os.getpid()), "device": ctypes.c_long(os.stat("/").st_dev)}
    arguments = [places[word] if word in places else ctypes.c_long(word) for word in words]
    answers[name] = "done" if libc.syscall(ctypes.c_long(number), *arguments) != -1 else os.strerror(ctypes.get_errno())
print(json.dumps(answers))
"""
MISSING = {"Function not implemented", "Address family not supported by protocol"}
NOT_PERMITTED = "Operation not permitted"


def answers(boot: Callable[..., Ran], topology: str, user: str = "root") -> dict[str, str]:
    calls = quoted(json.dumps(REFUSED | WORKING))
    run = f"[setpriv, --reuid, {user}, --clear-groups, python3, -c, {quoted(PROGRAM)}, {calls}]"
    ran = boot(topology, f"name: calls\nduration: 2 s\ntimeline:\n  - {{at: 1 s, exec: h1, run: {run}}}\n")
    found: dict[str, str] = json.loads(ran.outputs()[0])
    return found


@pytest.mark.parametrize("user", ["root", "nobody"])
def test_calls_that_docker_refuses_are_refused(boot: Callable[..., Ran], user: str) -> None:
    found = answers(boot, WIRED, user)
    assert {name: found.pop(name) for name in WORKING} == dict.fromkeys(WORKING, "done")
    assert {name: answer for name, answer in found.items() if answer not in MISSING | {NOT_PERMITTED}} == {
        # nothing to do with that file: the kernel looks at it first
        "setns, with a file": "Invalid argument",
    }
