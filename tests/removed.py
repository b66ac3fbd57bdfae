# SPDX-License-Identifier: MIT
"""Stacks that were removed from this checkout: the reference names them, and their folders are not here."""

from __future__ import annotations

from lab.checkout import CHECKOUT
from lab.reference.keys import removed

REMOVED = removed(CHECKOUT / "docs" / "reference" / "files.md")
