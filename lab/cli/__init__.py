# SPDX-License-Identifier: MIT
"""The command ``lab``: thin verbs and their terminal output. No other package imports this one."""
