# SPDX-License-Identifier: MIT
"""The event ``fault``."""
