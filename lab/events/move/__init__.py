# SPDX-License-Identifier: MIT
"""The event ``move``."""
