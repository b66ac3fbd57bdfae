# SPDX-License-Identifier: MIT
"""Shows a plan as tables on a terminal."""
