# SPDX-License-Identifier: MIT
"""The event ``link``."""
