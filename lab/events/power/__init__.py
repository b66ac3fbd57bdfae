# SPDX-License-Identifier: MIT
"""The event ``power``."""
