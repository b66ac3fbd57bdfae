# SPDX-License-Identifier: MIT
"""How pictures show nodes of kind ``host``."""

NOUN = "host"
