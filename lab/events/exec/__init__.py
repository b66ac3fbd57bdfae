# SPDX-License-Identifier: MIT
"""The event ``exec``."""
