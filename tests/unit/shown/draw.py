# SPDX-License-Identifier: MIT
"""Draws the picture of test_main's page: ``python -m tests.unit.shown.draw FILE``."""

import sys
from pathlib import Path

if __name__ == "__main__":
    Path(sys.argv[1]).write_text("drawn")
