# SPDX-License-Identifier: MIT
"""The event ``wps``."""
