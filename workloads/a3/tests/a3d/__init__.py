# SPDX-License-Identifier: MIT
"""The logic of a3d, without a guest: packets in, packets out."""
