# SPDX-License-Identifier: MIT
"""The code of a stack, compiled for the guest."""
