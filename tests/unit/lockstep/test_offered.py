# SPDX-License-Identifier: MIT
"""``from lab import Lab``: all that lab.lockstep offers, imported only when it is used."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

import lab
from lab import lockstep
from lab.checkout import PACKAGE


def test_the_lab_offers_what_lockstep_offers() -> None:
    assert lab.__all__ == lockstep.__all__
    stubs = re.findall(r"import (\w+) as \1", (PACKAGE / "__init__.pyi").read_text())
    assert stubs == lockstep.__all__
    assert all(getattr(lab, name) is getattr(lockstep, name) for name in lockstep.__all__)
    with pytest.raises(AttributeError, match="module lab has no attribute Labb"):
        _ = lab.Labb  # type: ignore[attr-defined]


def test_importing_the_lab_costs_nothing() -> None:
    program = "import lab, sys; print(sorted(name for name in sys.modules if name.startswith('lab')))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "['lab']"
