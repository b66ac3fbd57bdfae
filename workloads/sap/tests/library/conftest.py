# SPDX-License-Identifier: MIT
"""Programs that several tests of libsap use, built once."""

from __future__ import annotations

from pathlib import Path

import pytest

from workloads.sap.tests.library import native


@pytest.fixture(scope="session")
def unit(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Tests of the core, with AddressSanitizer and UndefinedBehaviorSanitizer."""
    to = tmp_path_factory.mktemp("sap") / "unit"
    return native.program(to, [*native.UNIT, *native.core_sources()], native.SANITIZED)


@pytest.fixture(scope="session")
def plain_unit(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same without sanitizers, for valgrind."""
    to = tmp_path_factory.mktemp("sap") / "unit"
    return native.program(to, [*native.UNIT, *native.core_sources()], ["-O2"])


@pytest.fixture(scope="session")
def sockets(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Tests of the sockets, with the sanitizers."""
    sources = [native.HERE / "main.c", *native.SOCKETS]
    return native.program(tmp_path_factory.mktemp("sap") / "sockets", sources, [*native.SANITIZED, *native.WRAPPED])


@pytest.fixture(scope="session")
def plain_sockets(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same without sanitizers, for valgrind."""
    sources = [native.HERE / "main.c", *native.SOCKETS]
    return native.program(tmp_path_factory.mktemp("sap") / "sockets", sources, ["-O2", *native.WRAPPED])


@pytest.fixture(scope="session")
def libsap(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The directory of libsap.a and libsap.so."""
    return native.library(tmp_path_factory.mktemp("libsap"))
