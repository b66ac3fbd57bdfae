# SPDX-License-Identifier: MIT
"""The sockets, on this machine's loopback interface."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.sap import native


@pytest.mark.parametrize("name", native.tests_in("sockets.c"))
def test_sockets(sockets: Path, name: str) -> None:
    native.run([str(sockets), name])


def test_sockets_in_valgrind(plain_sockets: Path) -> None:
    for name in ("ipv6", "coverage", "gone", "threads_window"):
        native.run([*native.valgrind(), str(plain_sockets), name])
