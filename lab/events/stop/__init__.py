# SPDX-License-Identifier: MIT
"""The event ``stop``."""
