# SPDX-License-Identifier: MIT
"""Boot, watch and end guests; check what the host needs for that."""
