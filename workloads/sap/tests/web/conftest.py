# SPDX-License-Identifier: MIT
"""Run sap-get and lighttpd of the guest on this machine: under the sanitizers, and in valgrind."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from lab.builders.image.image import ensure_image
from lab.cache.report import SilentReport
from workloads.sap.tests.library import native
from workloads.sap.tests.web import guest_files
from workloads.sap.tests.web.guest_files import GuestFiles


@pytest.fixture(scope="session")
def guest_tree(tmp_path_factory: pytest.TempPathFactory) -> GuestFiles:
    """The image's lighttpd and libraries; valgrind knows them."""
    files = guest_files.unpack(ensure_image(SilentReport()), tmp_path_factory.mktemp("guest") / "root")
    guest_files.let_valgrind_see(files)
    return files


@contextmanager
def served(files: GuestFiles, program: Path, to: Path) -> Iterator[list[str]]:
    """Start a program of the guest in valgrind, once (served.c); the first words of a command that runs it."""
    preload = native.shared_library(to / "served.so", [Path(__file__).parent / "served.c"])
    address = to / "calls"
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as server:
        server.bind(str(address))
        server.listen()
        process = subprocess.Popen(
            [*native.valgrind(), *files.command(program, preload)],
            env={**os.environ, "SERVED": str(server.fileno())},
            pass_fds=[server.fileno()],
        )
    try:
        yield [sys.executable, "-S", str(Path(__file__).parent / "called.py"), str(address), str(program)]
    finally:
        process.kill()
        process.wait()


@pytest.fixture(scope="session", params=["sanitizers", "valgrind"])
def sap_get(
    request: pytest.FixtureRequest, guest_tree: GuestFiles, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[list[str]]:
    """Yield the first words of a command: sap-get under one of the two detectors."""
    watched = request.param == "valgrind"
    to = tmp_path_factory.mktemp("sap-get")
    program = guest_tree.build("sap-get", guest_files.PLAIN if watched else guest_files.SANITIZED) / "sap-get"
    if not watched:
        yield guest_tree.command(program)
        return
    with served(guest_tree, program, to) as command:
        yield command


@pytest.fixture(scope="session")
def peer(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built peer.c."""
    sources = [Path(__file__).parent / "peer.c", *sorted((native.LIBSAP / "src").glob("*.c"))]
    return native.program(tmp_path_factory.mktemp("peer") / "peer", sources, [*native.SANITIZED, *native.WRAPPED])
