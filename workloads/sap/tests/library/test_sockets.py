# SPDX-License-Identifier: MIT
"""The sockets on a loopback interface: the guest's, and this machine's, under sanitizers and valgrind."""

from __future__ import annotations

import re
import stat
from pathlib import Path

import pytest

from lab.builders.image.initrd import Entry, archive
from tests.kernel.test_kunit import boot
from workloads.sap.tests.library import native
from workloads.sap.tests.library.in_guest import NEEDS_UDPLITE

NAMES = native.tests_in("sockets.c")


@pytest.mark.guest
def test_sockets_in_the_guest(tmp_path: Path) -> None:
    """The guest's kernel, for which SAP is made, in virtual time."""
    init = native.program(
        tmp_path / "init", [native.HERE / "guest.c", *native.SOCKETS], ["-O2", "-static", *native.WRAPPED]
    )
    entries = [
        Entry("dev", stat.S_IFDIR | 0o755),
        Entry("dev/console", stat.S_IFCHR | 0o600, device=(5, 1)),
        Entry("init", stat.S_IFREG | 0o755, content=init.read_bytes()),
    ]
    (tmp_path / "initrd").write_bytes(archive(entries))
    log = boot(tmp_path, f"initrd={tmp_path}/initrd", "root=/dev/ram0", "quiet", "lab.seed=1")
    assert re.findall(r"^(ok|not ok) (\w+)$", log, re.M) == [("ok", name) for name in NAMES], log
    assert "\ndone\n" in log


@NEEDS_UDPLITE
@pytest.mark.parametrize("name", NAMES)
def test_sockets(sockets: Path, name: str) -> None:
    native.run([str(sockets), name])


@NEEDS_UDPLITE
def test_sockets_in_valgrind(plain_sockets: Path) -> None:
    native.run([*native.valgrind(), str(plain_sockets), "ipv6", "coverage", "gone", "full_kernel", "threads_window"])
