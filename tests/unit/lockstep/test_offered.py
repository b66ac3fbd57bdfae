# SPDX-License-Identifier: MIT
"""``from lab import Lab``: all that lab.lockstep offers, imported only when it is used."""

from __future__ import annotations

import re
import subprocess
import sys
from importlib import import_module

import pytest

import lab
from lab.checkout import PACKAGE


def test_the_lab_offers_what_its_stubs_say() -> None:
    stubs = re.findall(r"from (lab\.lockstep\.\w+) import (\w+) as \2", (PACKAGE / "__init__.pyi").read_text())
    assert lab.__all__ == [name for _, name in stubs]
    assert all(getattr(lab, name) is getattr(import_module(module), name) for module, name in stubs)
    with pytest.raises(AttributeError, match="module lab has no attribute Labb"):
        _ = lab.Labb  # type: ignore[attr-defined]


def test_importing_the_lab_costs_nothing() -> None:
    program = "import lab, sys; print(sorted(name for name in sys.modules if name.startswith('lab')))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "['lab']"
