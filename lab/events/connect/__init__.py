# SPDX-License-Identifier: MIT
"""The event ``connect``."""
