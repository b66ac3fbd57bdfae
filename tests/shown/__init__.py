# SPDX-License-Identifier: MIT
"""Run the commands that the documentation shows again, and compare their output."""
