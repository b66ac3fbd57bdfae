# SPDX-License-Identifier: MIT
"""sap-get and the image's lighttpd with mod_sap, both whole: the server in valgrind, the client under either detector.

What they do to data in virtual time, over links that lose and damage, is in tests/system/test_web.py.
"""

from __future__ import annotations

import json
import shutil
import signal
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from workloads.sap.tests.library import native
from workloads.sap.tests.library.in_guest import NEEDS_UDPLITE
from workloads.sap.tests.web import guest_files
from workloads.sap.tests.web.guest_files import GuestFiles

pytestmark = pytest.mark.guest  # no boot, but the image
PICTURE = bytes(i * 7 & 0xFF for i in range(200_001))
FILES = {"picture.jpg": PICTURE, "nothing.jpg": b"", "page.html": b"a page\n", "large.jpg": PICTURE * 20}
CONFIGURATION = """\
server.document-root = "{root}"
server.bind = "127.0.0.1"
server.port = {port}
server.modules = ("mod_sap")
mimetype.assign = (".jpg" => "image/jpeg", ".html" => "text/html")
sap.activate = "enable"
sap.control = "window"
sap.max-transfers = 16
sap.max-transfers-per-address = 12
"""


def free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return int(taken.getsockname()[1])


@pytest.fixture(scope="module")
def modules(guest_tree: GuestFiles, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory of lighttpd's modules and ours."""
    to = tmp_path_factory.mktemp("modules")
    built = guest_tree.build("mod_sap", guest_files.PLAIN)
    for module in [*(guest_tree.root / "usr/lib/lighttpd").glob("*.so"), built / "mod_sap.so"]:
        shutil.copy(module, to)
    return to


@pytest.fixture
def url(guest_tree: GuestFiles, modules: Path, tmp_path: Path) -> Iterator[str]:
    """A server, which has to end without an error of memory and without a word of a transfer that failed."""
    (tmp_path / "www").mkdir()
    for name, content in FILES.items():
        (tmp_path / "www" / name).write_bytes(content)
    with (tmp_path / "www" / "longer.jpg").open("wb") as longer:
        longer.truncate(2**32 + 1)
    port = free_port()
    (tmp_path / "lighttpd.conf").write_text(CONFIGURATION.format(root=tmp_path / "www", port=port))
    lighttpd = guest_tree.command(guest_tree.root / "usr" / "sbin" / "lighttpd")
    argv = [*native.valgrind(), *lighttpd, "-D", "-m", str(modules), "-f", str(tmp_path / "lighttpd.conf")]
    with subprocess.Popen(argv, stderr=subprocess.PIPE, text=True) as server:
        try:
            while server.poll() is None:
                with socket.socket() as channel:
                    if not channel.connect_ex(("127.0.0.1", port)):
                        break
            yield f"http://127.0.0.1:{port}"
            server.send_signal(signal.SIGINT)  # graceful: SIGTERM is status 1 if it has not seen a client go
            _, said = server.communicate(timeout=60)
        finally:
            server.kill()
    assert server.returncode == 0 and "SAP" not in said, said


def get(sap_get: list[str], *words: str) -> list[dict[str, Any]]:
    """Fetch; what --json reported."""
    return [json.loads(line) for line in native.run([*sap_get, "--json", *words]).splitlines()]


def fetch(sap_get: list[str], url: str, to: Path, *words: str) -> list[dict[str, Any]]:
    """All files, into a directory; what --json reported."""
    outputs = [word for name in FILES for word in ("-o", str(to / name))]
    return get(sap_get, *words, *outputs, *(f"{url}/{name}" for name in FILES))


def check(reported: list[dict[str, Any]], to: Path, transport: str) -> None:
    """Each file is what the server has, and came as it should."""
    by_name = {one["url"].rpartition("/")[2]: one for one in reported}  # with -Z they are reported as they end
    assert len(reported) == len(FILES)
    for name, content in FILES.items():
        one = by_name[name]
        assert (to / name).read_bytes() == content
        assert (one["bytes"], one["exit_code"]) == (len(content), 0)
        assert one["transport"] == (transport if content else "tcp")  # of nothing there is nothing to send


def test_by_tcp(sap_get: list[str], url: str, tmp_path: Path) -> None:
    for words in (["--tcp"], ["--tcp", "-Z"]):  # one after the other, and all at once
        check(fetch(sap_get, url, tmp_path, *words), tmp_path, "tcp")
    get(sap_get, "--tcp", "-i", "-o", str(tmp_path / "both"), f"{url}/page.html")
    assert (tmp_path / "both").read_bytes().endswith(b"\r\n\r\na page\n")
    done = subprocess.run([*sap_get, "--tcp", f"{url}/none.jpg"], capture_output=True, text=True)
    assert done.returncode == 22 and "the server responded with status 404" in done.stderr


@NEEDS_UDPLITE
def test_by_sap(sap_get: list[str], url: str, tmp_path: Path) -> None:
    for words in (["--force-precise"], ["--force-precise", "-Z"]):
        check(fetch(sap_get, url, tmp_path, *words), tmp_path, "sap-precise")
    check(fetch(sap_get, url, tmp_path, "--approx", "*/*", "--tcp", "-Z"), tmp_path, "tcp")
    # with errors, some of them three times: a busy machine loses datagrams
    reported_all = fetch(sap_get, url, tmp_path, "--approx", "image/*", "-Z", "--count", "3")
    assert len(reported_all) == 3 * len(FILES)
    for one in reported_all:
        wanted = "sap-approximate" if one["url"].endswith(("picture.jpg", "large.jpg")) else "tcp"
        assert (one["transport"], one["exit_code"]) == (wanted, 0)
    for name, content in FILES.items():
        assert (tmp_path / name).stat().st_size == len(content)
    pictures = [one for one in reported_all if one["url"].endswith("picture.jpg")]
    assert all(one["datagrams"] + one["datagrams_lost"] == 196 for one in pictures)
    # headers only, and what is too long
    (head,) = get(sap_get, "--force-precise", "--head", "-o", str(tmp_path / "head"), f"{url}/picture.jpg")
    assert (head["transport"], head["length"], head["bytes"]) == ("sap-precise", len(PICTURE), 0)
    assert b"\r\nX-SAP-Mode: precise\r\n" in (tmp_path / "head").read_bytes()
    (head,) = get(sap_get, "--force-precise", "--head", "-o", "/dev/null", f"{url}/longer.jpg")
    assert (head["transport"], head["refused"]) == ("tcp", "the file is longer than 4 GiB")
    get(sap_get, "--force-precise", "-i", "-o", str(tmp_path / "both"), f"{url}/page.html")
    assert (tmp_path / "both").read_bytes().endswith(b"\r\n\r\na page\n")
    done = subprocess.run([*sap_get, "--force-precise", f"{url}/none.jpg"], capture_output=True, text=True)
    assert done.returncode == 22 and "the server responded with status 404" in done.stderr


@NEEDS_UDPLITE
def test_many_at_once(sap_get: list[str], url: str) -> None:
    """More than the server takes: the others go over TCP, and it says why."""
    reported = get(sap_get, "--force-precise", "-Z", *(word for _ in range(70) for word in ("-o", "/dev/null")),
               *([f"{url}/picture.jpg"] * 70))  # fmt: skip
    assert [one["exit_code"] for one in reported] == [0] * 70
    refused = {one["refused"] for one in reported if one["transport"] == "tcp"}
    assert refused == {"this client has reached its limit of transfers (sap.max-transfers-per-address)"}
    assert {one["bytes"] for one in reported} == {len(PICTURE)}
    assert len({one["port"] for one in reported}) == 70
