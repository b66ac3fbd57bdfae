# SPDX-License-Identifier: MIT
"""A paper's figure from one file: an experiment's grid is run, summed up, compared with what was claimed, and drawn."""
