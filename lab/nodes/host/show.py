# SPDX-License-Identifier: MIT
"""How pictures show nodes of kind ``host``."""

NOUN = "host"
COLOUR = 0  # in the palette of reports
