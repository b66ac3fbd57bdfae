# SPDX-License-Identifier: MIT
"""mod_sap and the image's lighttpd agree about the layout of the server's structures.

Members of these depend on results of lighttpd's configure, which mod_sap/config.h repeats. A plugin with another layout
is loaded without a word and reads and writes the wrong members.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import urllib.request
from contextlib import suppress
from pathlib import Path

import pytest

from workloads.sap.tests.library import native
from workloads.sap.tests.web import guest_files
from workloads.sap.tests.web.guest_files import GuestFiles
from workloads.sap.tests.web.test_programs import free_port

pytestmark = pytest.mark.guest  # no boot, but the image
HERE = Path(__file__).parent
CONFIGURATION = """\
server.document-root = "{root}"
server.bind = "127.0.0.1"
server.port = {port}
server.modules = ("mod_sap")
"""


def sizes(files: GuestFiles, config: str, to: Path) -> dict[str, tuple[int, int]]:
    """Bytes of each structure, as the server makes it and as a plugin with this config.h sees it."""
    preload = native.shared_library(to / "sizes.so", [HERE / "sizes.c"])
    changed = {"mod_sap.c": (HERE / "layout.c").read_text(), "config.h": config}
    built = files.build("mod_sap", guest_files.PLAIN, changed)
    modules = shutil.copytree(files.root / "usr/lib/lighttpd", to / "modules")
    shutil.copy(built / "mod_sap.so", modules)
    (to / "page.html").write_text("a page\n")
    port = free_port()
    (to / "lighttpd.conf").write_text(CONFIGURATION.format(root=to, port=port))
    lighttpd = files.command(files.root / "usr" / "sbin" / "lighttpd", preload)
    argv = [*lighttpd, "-D", "-m", str(modules), "-f", str(to / "lighttpd.conf")]
    with subprocess.Popen(argv, stderr=subprocess.PIPE, text=True) as server:
        try:
            while server.poll() is None:
                with suppress(OSError):
                    urllib.request.urlopen(f"http://127.0.0.1:{port}/page.html").close()
                    break
        finally:
            server.terminate()
        _, said = server.communicate(timeout=60)
    found = re.findall(r"^layout (\w+) (\d+) (\d+)$", said, re.M)
    assert {name for name, *_ in found} == {"plugin", "server", "connection"}, said
    return {name: (int(theirs), int(ours)) for name, theirs, ours in found}


def test_the_layout_is_that_of_the_server(guest_tree: GuestFiles, tmp_path: Path) -> None:
    for name, (theirs, ours) in sizes(guest_tree, (native.MOD_SAP / "config.h").read_text(), tmp_path).items():
        assert theirs == ours, f"struct {name}: see the comment of mod_sap/config.h; configure has found something else"


@pytest.mark.parametrize(("macro", "structure"), [("HAVE_PCRE2_H", "server"), ("HAVE_SYS_UN_H", "connection")])
def test_a_missing_macro_is_found(guest_tree: GuestFiles, tmp_path: Path, macro: str, structure: str) -> None:
    """The detector fires."""
    config = (native.MOD_SAP / "config.h").read_text()
    line = f"#define {macro} 1\n"
    assert line in config
    theirs, ours = sizes(guest_tree, config.replace(line, ""), tmp_path)[structure]
    assert theirs > ours > 0
