# SPDX-License-Identifier: MIT
"""Where the checkout is that this code belongs to."""

from pathlib import Path

PACKAGE = Path(__file__).resolve().parent
CHECKOUT = PACKAGE.parent  # holds hwsim-patches/, images/, topologies/, workloads/
