# SPDX-License-Identifier: MIT
"""The event ``netem``."""
