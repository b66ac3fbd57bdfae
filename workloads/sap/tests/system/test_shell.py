# SPDX-License-Identifier: MIT
"""``lab shell --stack sap``."""

from __future__ import annotations

import pytest

from lab import runs
from tests.system.test_shell import PROMPT, Terminal

pytestmark = pytest.mark.guest


def test_a_session_with_the_programs_of_a_stack(machine: runs.Machine) -> None:
    terminal = Terminal("approximate-link", "--stack", "sap")
    try:
        terminal.until(PROMPT)
        assert "usage: sap-streamer" in terminal.ask("sta1 sap-streamer --help")
        assert "SAP_ERR_TIMEDOUT" in terminal.ask(
            "sta1 python3 -c 'import sap; sap.connect(\"10.0.0.2\", 9, timeout_ms=100)'"
        )
        assert terminal.end() == 0
    finally:
        if terminal.process.poll() is None:
            terminal.process.kill()
