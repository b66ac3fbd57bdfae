# SPDX-License-Identifier: MIT
"""Radio waves and bit errors as numbers: propagation, fading and error models, and their tables for the kernel."""
