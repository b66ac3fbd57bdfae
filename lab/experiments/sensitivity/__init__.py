# SPDX-License-Identifier: MIT
"""In which share of the plausible places the claims of an experiment hold, and what that depends on."""
