# SPDX-License-Identifier: MIT
"""The commands that the documentation shows, run again, and what they print held against what is shown."""
