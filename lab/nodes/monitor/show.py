# SPDX-License-Identifier: MIT
"""How pictures show nodes of kind ``monitor``."""

NOUN = "monitor"
