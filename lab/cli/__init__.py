# SPDX-License-Identifier: MIT
"""The command ``lab``: thin verbs, and how they speak to a terminal. Nothing imports this room."""
