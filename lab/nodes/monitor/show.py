# SPDX-License-Identifier: MIT
"""How pictures show nodes of kind ``monitor``."""

NOUN = "monitor"
COLOUR = 4  # in the palette of reports
