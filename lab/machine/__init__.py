# SPDX-License-Identifier: MIT
"""Boots a guest, watches and ends it; what the host needs for that."""
