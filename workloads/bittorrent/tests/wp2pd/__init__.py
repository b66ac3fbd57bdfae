# SPDX-License-Identifier: MIT
"""The logic of wp2pd, without a guest: packets in, packets out."""
