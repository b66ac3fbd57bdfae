# SPDX-License-Identifier: MIT
"""How pictures show nodes of kind ``switch``."""

NOUN = "switch"
COLOUR = 3  # in the palette of reports
