# SPDX-License-Identifier: MIT
"""How pictures show nodes of kind ``sta``."""

NOUN = "station"
