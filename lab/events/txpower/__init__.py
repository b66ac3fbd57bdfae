# SPDX-License-Identifier: MIT
"""The event ``txpower``."""
