# SPDX-License-Identifier: MIT
"""How pictures show nodes of kind ``sta``."""

NOUN = "station"
COLOUR = 2  # in the palette of reports
