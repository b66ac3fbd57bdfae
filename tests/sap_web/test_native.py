# SPDX-License-Identifier: MIT
"""mod_sap without lighttpd: its headers, its transfers on this machine's loopback interface; and how sap-get counts."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.sap import native

HERE = Path(__file__).parent
MOD_SAP = native.PROJECT / "workloads" / "sap" / "mod_sap"
SAP_GET = native.PROJECT / "workloads" / "sap" / "sap-get"
FLAGS = ["-D_GNU_SOURCE=", "-I", str(MOD_SAP), "-I", str(SAP_GET)]
REQUESTS, ENGINE, FUZZ = HERE / "requests.c", HERE / "engine.c", HERE / "fuzz_requests.c"
DATAGRAMS = HERE / "datagrams.c"
INPUTS = 200_000


def build(to: Path, sources: list[Path]) -> Path:
    return native.program(to, sources, [*native.SANITIZED, *FLAGS])


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


def test_fuzz_requests(tmp_path: Path) -> None:
    fuzz = build(tmp_path / "fuzz", [FUZZ, MOD_SAP / "request_headers.c"])
    native.run([str(fuzz), str(INPUTS), "1"])


def test_the_sanitizers_see(tmp_path: Path) -> None:
    """The detector fires: a parser that reads one byte behind the header is caught."""
    text = (MOD_SAP / "request_headers.c").read_text()
    wrong = text.replace("while (text.length && is_space(text.bytes[0]))", "while (is_space(text.bytes[0]))")
    assert wrong != text
    (tmp_path / "wrong.c").write_text(wrong)
    fuzz = build(tmp_path / "fuzz", [FUZZ, tmp_path / "wrong.c"])
    with pytest.raises(AssertionError, match="heap-buffer-overflow"):
        native.run([str(fuzz), str(INPUTS), "1"])


if native.host_has_udplite():  # else the guest is where transfers are tried: tests/system/test_sap_web.py

    @pytest.fixture(scope="module")
    def engine(tmp_path_factory: pytest.TempPathFactory) -> Path:
        sources = [ENGINE, MOD_SAP / "engine.c", MOD_SAP / "transfer.c"]
        sources += sorted((native.LIBSAP / "src").glob("*.c"))
        return build(tmp_path_factory.mktemp("engine") / "engine", sources)

    @pytest.mark.parametrize("name", native.tests_in(str(ENGINE)))
    def test_engine(engine: Path, name: str) -> None:
        native.run([str(engine), name])
