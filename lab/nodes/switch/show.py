# SPDX-License-Identifier: MIT
"""How pictures show nodes of kind ``switch``."""

NOUN = "switch"
