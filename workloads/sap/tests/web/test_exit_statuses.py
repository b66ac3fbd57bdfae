# SPDX-License-Identifier: MIT
"""Every exit status that web.md promises of sap-get, with what it says, under sanitizers and valgrind."""

from __future__ import annotations

import json
import re
import socket
import subprocess
from pathlib import Path
from typing import Any

import pytest

from workloads.sap.tests.library import native
from workloads.sap.tests.library.in_guest import NEEDS_UDPLITE
from workloads.sap.tests.web.scripted import Script, Server

pytestmark = pytest.mark.guest  # no boot, but the image
MANUAL = native.STACK / "web.md"
OK = "HTTP/1.1 200 OK\nContent-Length: 0\n"
PRECISE = f"{OK}X-SAP-Mode: precise\nX-SAP-Length: "
APPROXIMATE = f"{OK}X-SAP-Mode: approximate\nX-SAP-Length: "
BY_SAP = ["--force-precise"]


def get(sap_get: list[str], *words: str) -> tuple[int, list[dict[str, Any]], str]:
    """Run it; exit status, what --json reported, messages."""
    done = subprocess.run([*sap_get, "--json", *words], capture_output=True, text=True, timeout=120)
    reported = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    assert "==ERROR" not in done.stderr and "runtime error" not in done.stderr
    return done.returncode, reported, done.stderr


# status, what is requested, what comes, what is reported
ANSWERED: dict[str, tuple[int, list[str], Script, str]] = {
    "by TCP": (0, [], Script("HTTP/1.1 200 OK\nContent-Length: 3\n", b"abc"), ""),
    "no HTTP": (1, [], Script("SSH-2.0-x\n"), "Received HTTP/0.9 when not allowed"),
    "cut": (18, [], Script("HTTP/1.1 200 OK\nContent-Length: 9\n", b"abc", closes=True), "6 bytes missing"),
    "error": (22, [], Script("HTTP/1.1 503 Busy\nContent-Length: 0\n"), "the server responded with status 503"),
    "silent": (28, ["--timeout", "0.2"], Script(), "no more data"),
    "slow": (28, ["--max-time", "0.2"], Script(), " s: the response is incomplete"),
    "nothing": (52, [], Script(closes=True), "Empty reply from server"),
    "not asked": (102, [], Script(f"{PRECISE}5\n"), "which was not requested"),
}
BY_UDPLITE: dict[str, tuple[int, list[str], Script, str]] = {
    "precise": (0, BY_SAP, Script(f"{PRECISE}1029\n", datagrams="p1024 p5"), ""),
    "approximate": (0, ["--approx", "*/*"], Script(f"{APPROXIMATE}1029\n", datagrams="a1024 a5"), ""),
    "not one datagram": (0, ["--approx", "*/*"], Script(f"{APPROXIMATE}1029\n", datagrams=""), ""),
    "closed": (0, BY_SAP, Script(f"{PRECISE}5\n", datagrams="p5", closes=True), ""),
    "endless end": (0, [*BY_SAP, "--max-time", "2"], Script(f"{PRECISE}5\n", datagrams="p5 forever"), ""),
    "nobody": (28, [*BY_SAP, "--timeout", "0.2"], Script(f"{PRECISE}5\n"), "no more data"),
    "gone": (28, [*BY_SAP, "--timeout", "0.5"], Script(f"{PRECISE}5\n", datagrams="p5 gone"), "no more data"),
    "stranger": (
        101,
        BY_SAP,
        Script(f"{PRECISE}5\n", datagrams="p5", address="127.0.0.2"),
        "127.0.0.1 connected to port PORT but is not the server",
    ),
    "stranger that says nothing": (
        101,
        BY_SAP,
        Script(f"{PRECISE}5\n", datagrams="gone", address="127.0.0.2"),
        "127.0.0.1 connected to port PORT but is not the server",
    ),
    "first a stranger": (0, BY_SAP, Script(f"{PRECISE}5\n", datagrams="p5", stranger="0"), ""),
    "first a guess": (0, BY_SAP, Script(f"{PRECISE}5\n", datagrams="p5", stranger="near"), ""),
    "server without tokens": (
        28,
        [*BY_SAP, "--timeout", "3"],
        Script(f"{PRECISE}5\n", datagrams="p5", knows_tokens=False),
        "if the server does not know X-SAP-Token, use --no-token",
    ),
    "client without tokens": (0, [*BY_SAP, "--no-token"], Script(f"{PRECISE}5\n", datagrams="p5"), ""),
    "mode": (102, BY_SAP, Script(f"{OK}X-SAP-Mode: fast\n"), 'X-SAP-Mode is "fast"'),
    "no length": (102, BY_SAP, Script(f"{OK}X-SAP-Mode: precise\n"), 'X-SAP-Length is "", not a number of bytes'),
    "bad length": (102, BY_SAP, Script(f"{PRECISE}-5\n"), 'X-SAP-Length is "-5"'),
    "beyond 4 GiB": (102, BY_SAP, Script(f"{PRECISE}4294967297\n"), 'X-SAP-Length is "4294967297"'),
    "too much": (102, BY_SAP, Script(f"{PRECISE}5\n", datagrams="p6"), "6 bytes do not fit a file of 5 bytes"),
    "a hole": (102, BY_SAP, Script(f"{PRECISE}2000\n", datagrams="p1024"), "1 precise datagrams are missing"),
    "mixed": (102, BY_SAP, Script(f"{PRECISE}2048\n", datagrams="p1024 a1024"), "are mixed"),
    "other mode": (102, BY_SAP, Script(f"{PRECISE}5\n", datagrams="a5"), "not of the announced mode"),
}


@pytest.mark.parametrize("case", [*ANSWERED, *(pytest.param(case, marks=NEEDS_UDPLITE) for case in BY_UDPLITE)])
def test_answers(sap_get: list[str], peer: Path, tmp_path: Path, case: str) -> None:
    status, words, script, why = (ANSWERED | BY_UDPLITE)[case]
    with Server(script, peer) as server:
        ended, (reported,), said = get(sap_get, "--output", str(tmp_path / "file"), *words, server.url)
    why = why.replace("PORT", str(reported["port"]))
    assert (ended, reported["exit_code"]) == (status, status), said
    assert (
        why in reported["error"]
        and (f"sap-get: ({status}) {server.url}: {reported['error']}\n" if status else "") == said
    )
    if not status:
        assert (tmp_path / "file").stat().st_size == reported["length"]
    elif "X-SAP-Length is" in why:  # no file of a length that nobody believes
        assert reported["length"] is None and not (tmp_path / "file").stat().st_size


def test_requests_that_reach_nobody(sap_get: list[str], tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # and does not listen
        closed = f"http://127.0.0.1:{taken.getsockname()[1]}/"
        for status, words in {
            1: ["https://127.0.0.1/"],
            3: ["http://127.0.0.1:port/"],
            6: [f"http://{'x' * 64}.invalid/"],  # no name: a label has 63 bytes; so nobody is asked
            7: [closed],
            23: ["--output", str(tmp_path), closed],
        }.items():
            assert get(sap_get, *words)[0] == status, words
        # that of the first one that failed
        assert get(sap_get, closed, "https://127.0.0.1/")[0] == 7
        assert get(sap_get, "--silent", "https://127.0.0.1/", closed)[::2] == (1, "")


def test_standard_output_pipes_and_devices(sap_get: list[str], peer: Path) -> None:
    """As of curl: they need not be files in which one can seek."""
    script = Script("HTTP/1.1 200 OK\nContent-Length: 3\n", b"abc")
    for words, printed in [
        ([], "abc"),
        (["-o", "-"], "abc"),
        (["-o", "/dev/stdout"], "abc"),
        (["-o", "/dev/null"], ""),
    ]:
        with Server(script, peer) as server:
            assert native.run([*sap_get, *words, server.url]) == printed


def test_what_cannot_be_written(sap_get: list[str], peer: Path, tmp_path: Path) -> None:
    """A full disk: /dev/full. What went to a device, and what to standard output."""
    script = Script("HTTP/1.1 200 OK\nContent-Length: 3\n", b"abc")
    with Server(script, peer) as server:
        assert get(sap_get, "--include", "--output", "/dev/full", server.url)[0] == 23
    with Server(script, peer) as server, Path("/dev/full").open("wb") as full:
        done = subprocess.run([*sap_get, server.url], stdout=full, stderr=subprocess.PIPE, text=True, timeout=120)
    assert done.returncode == 23 and "standard output: No space left on device" in done.stderr


@pytest.mark.parametrize(
    ("content", "why"), [(None, "No such file"), (b"ab", "differs in length"), (b"abcd", "differs in length")]
)
def test_what_cannot_be_compared(
    sap_get: list[str], peer: Path, tmp_path: Path, content: bytes | None, why: str
) -> None:
    if content is not None:
        (tmp_path / "other").write_bytes(content)
    with Server(Script("HTTP/1.1 200 OK\nContent-Length: 3\n", b"abc"), peer) as server:
        words = ["--output", str(tmp_path / "file"), "--compare", str(tmp_path / "other"), server.url]
        ended, (reported,), _ = get(sap_get, *words)
    assert ended == reported["exit_code"] == 103 and why in reported["error"]


@pytest.mark.parametrize(
    ("words", "reported"),
    [
        ([], "no URL given; see sap-get --help"),
        (["--fast", "http://x/"], "'--fast'"),
        (["--port", "80", "http://x/"], '--port: "80" is not a number from 1024 to 65535'),
        (["--port", "65535", "http://x/", "http://x/"], "the last port is 65535"),
        (["-o", "a", "-o", "b", "http://x/"], "2 --output options for 1 URLs"),
        (["--timeout", "soon", "http://x/"], '--timeout: "soon" is not a number of seconds'),
        (["-H", "nothing", "http://x/"], "is not a header; write 'Name: value'"),
    ],
)
def test_wrong_usage(sap_get: list[str], words: list[str], reported: str) -> None:
    ended, _, said = get(sap_get, *words)
    assert ended == 2 and reported in said


@NEEDS_UDPLITE
def test_a_port_that_is_taken(sap_get: list[str]) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM, 136) as taken:
        taken.bind(("0.0.0.0", 0))
        port = taken.getsockname()[1]
        ended, (reported,), _ = get(sap_get, *BY_SAP, "--port", str(port), "http://127.0.0.1:1/")
    assert ended == reported["exit_code"] == 100
    assert reported["error"] == f"cannot listen on UDP-Lite port {port}: Address already in use"


def test_the_manual_names_what_is_tested() -> None:
    """web.md: "The exit status is …" and the table below."""
    text = MANUAL.read_text()
    promised = set(re.findall(r"\d+", text.split("The exit status is ")[1].split("\n\n")[0].replace("400", "")))
    promised |= set(re.findall(r"^\| (10\d) \|", text, re.M))
    tested = {str(status) for status, *_ in (ANSWERED | BY_UDPLITE).values()} | {"2", "7", "23", "100", "103"}
    assert promised and promised <= tested
