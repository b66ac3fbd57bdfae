# SPDX-License-Identifier: MIT
"""The observers of a3d, without a guest: bytes in, events out."""
