# SPDX-License-Identifier: MIT
"""The event ``steer``."""
