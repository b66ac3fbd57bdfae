# SPDX-License-Identifier: MIT
"""The event ``hack``."""
