# SPDX-License-Identifier: MIT
"""The event ``approximate``."""
