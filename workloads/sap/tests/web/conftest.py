# SPDX-License-Identifier: MIT
"""Runs sap-get and lighttpd of the guest on this machine: under the sanitizers, and in valgrind."""

from __future__ import annotations

from pathlib import Path

import pytest

from lab.build.image.image import ensure_image
from lab.build.report import SilentReport
from workloads.sap.tests.library import native
from workloads.sap.tests.web import guest_files
from workloads.sap.tests.web.guest_files import GuestFiles


@pytest.fixture(scope="session")
def guest_tree(tmp_path_factory: pytest.TempPathFactory) -> GuestFiles:
    """The image's lighttpd and libraries; valgrind knows them."""
    files = guest_files.unpack(ensure_image(SilentReport()), tmp_path_factory.mktemp("guest") / "root")
    guest_files.let_valgrind_see(files)
    return files


@pytest.fixture(scope="session", params=["sanitizers", "valgrind"])
def sap_get(
    request: pytest.FixtureRequest, guest_tree: GuestFiles, tmp_path_factory: pytest.TempPathFactory
) -> list[str]:
    """Return the first words of a command: sap-get under one of the two detectors."""
    watched = request.param == "valgrind"
    flags = guest_files.PLAIN if watched else guest_files.SANITIZED
    program = guest_tree.build(tmp_path_factory.mktemp("sap-get"), "sap-get", flags) / "build" / "sap-get"
    return [*(native.valgrind() if watched else []), *guest_tree.command(program)]


@pytest.fixture(scope="session")
def peer(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built peer.c."""
    sources = [Path(__file__).parent / "peer.c", *sorted((native.LIBSAP / "src").glob("*.c"))]
    return native.program(tmp_path_factory.mktemp("peer") / "peer", sources, native.SANITIZED)
