# SPDX-License-Identifier: MIT
"""How pictures show nodes of kind ``ap``."""

NOUN = "access point"
