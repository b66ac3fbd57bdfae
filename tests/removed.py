# SPDX-License-Identifier: MIT
"""Stacks that were removed from this checkout: the reference names them, and their folders are not here."""

from __future__ import annotations

from lab.checkout import CHECKOUT
from lab.reference.keys import stacks_in

REFERENCE = CHECKOUT / "docs" / "reference" / "files.md"
REMOVED = [name for name in stacks_in(REFERENCE.read_text()) if not (CHECKOUT / "workloads" / name).exists()]
