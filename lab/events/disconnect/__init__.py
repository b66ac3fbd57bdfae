# SPDX-License-Identifier: MIT
"""The event ``disconnect``."""
