# SPDX-License-Identifier: MIT
"""Dissect captures with tshark and the dissector of this stack."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.system.test_tshark import COMPLAINTS

SCRIPT = Path(__file__).parents[1] / "wireshark" / "hack.lua"


class Dissector:
    """tshark, with nobody's settings. It does not run as root, for whom Wireshark 4.4 loads no scripts."""

    def __init__(self, home: Path) -> None:
        """Copy the script to where anyone may read it."""
        if shutil.which("tshark") is None:
            pytest.fail("tshark is missing; make test installs it: apt-get install --no-install-recommends tshark")
        home.chmod(0o755)
        self.script = Path(shutil.copy(SCRIPT, home))
        self._environment = {"PATH": os.environ["PATH"], "HOME": str(home), "LC_ALL": "C.UTF-8"}

    def fields(self, capture: Path, *names: str, only: str = "") -> list[list[str]]:
        """Fields of each frame, or of those that a display filter lets through; with commas if there are several."""
        reported = self._run(capture, "-Y", only, "-T", "fields", *(word for name in names for word in ("-e", name)))
        return [line.split("\t") for line in reported.splitlines()]

    def summaries(self, capture: Path) -> list[str]:
        """The line about each frame; -T fields of Wireshark 4.4 does not have what scripts add to it."""
        return self._run(capture).splitlines()

    def complaints(self, capture: Path) -> list[list[str]]:
        """Each frame that makes the script fail, and each control frame with a warning or an error, and what about it.

        TCP's warnings are about losses.
        """
        only = f"_ws.lua.error || (wlan.fc.type == 1 && ({COMPLAINTS}))"
        return self.fields(capture, "frame.number", "_ws.expert.message", only=only)

    def _run(self, capture: Path, *options: str) -> str:
        argv = ["tshark", "-n", "-X", f"lua_script:{self.script}", "-r", "-", *options]
        is_root = os.geteuid() == 0
        with capture.open("rb") as frames:
            done = subprocess.run(
                argv,
                env=self._environment,
                stdin=frames,
                capture_output=True,
                text=True,
                user="nobody" if is_root else None,
                group="nogroup" if is_root else None,
                extra_groups=[] if is_root else None,
            )
        assert done.returncode == 0 and "Lua" not in done.stderr, done.stderr
        return done.stdout
