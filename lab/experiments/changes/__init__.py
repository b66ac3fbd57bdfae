# SPDX-License-Identifier: MIT
"""Which claims of an experiment turn if one thing is changed, and nothing else."""
