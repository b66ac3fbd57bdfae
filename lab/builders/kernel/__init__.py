# SPDX-License-Identifier: MIT
"""The guest's kernel: Debian's source, our series of patches, its configuration."""
