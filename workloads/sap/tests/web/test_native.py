# SPDX-License-Identifier: MIT
"""mod_sap without lighttpd: its headers (../library/fuzz tries them, too), its transfers on this machine's loopback
interface; and how sap-get counts.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from workloads.sap.tests.library import native
from workloads.sap.tests.library.in_guest import NEEDS_UDPLITE

HERE = Path(__file__).parent
MOD_SAP = native.MOD_SAP
SAP_GET = native.STACK / "sap-get"
FLAGS = ["-D_GNU_SOURCE=", "-I", str(MOD_SAP), "-I", str(SAP_GET)]
REQUESTS, ENGINE, DATAGRAMS = HERE / "requests.c", HERE / "engine.c", HERE / "datagrams.c"


def build(to: Path, sources: list[Path], *flags: str) -> Path:
    return native.program(to, [native.HERE / "main.c", *sources], [*native.SANITIZED, *FLAGS, *flags])


@pytest.fixture(scope="module")
def requests(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(tmp_path_factory.mktemp("requests") / "requests", [REQUESTS, MOD_SAP / "request_headers.c"])


@pytest.mark.parametrize("name", native.tests_in(str(REQUESTS)))
def test_requests(requests: Path, name: str) -> None:
    native.run([str(requests), name])


@pytest.fixture(scope="module")
def datagrams(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(tmp_path_factory.mktemp("datagrams") / "datagrams", [DATAGRAMS, SAP_GET / "datagrams.c"])


@pytest.mark.parametrize("name", native.tests_in(str(DATAGRAMS)))
def test_datagrams(datagrams: Path, name: str) -> None:
    native.run([str(datagrams), name])


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Path:
    sources = [ENGINE, MOD_SAP / "engine.c", MOD_SAP / "transfer.c"]
    sources += sorted((native.LIBSAP / "src").glob("*.c"))
    return build(tmp_path_factory.mktemp("engine") / "engine", sources, *native.WRAPPED)


@NEEDS_UDPLITE
@pytest.mark.parametrize("name", native.tests_in(str(ENGINE)))
def test_engine(engine: Path, name: str) -> None:
    native.run([str(engine), name])
