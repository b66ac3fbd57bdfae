# SPDX-License-Identifier: MIT
"""The event ``roam``."""
