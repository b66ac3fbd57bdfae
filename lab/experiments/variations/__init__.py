# SPDX-License-Identifier: MIT
"""How the claims of an experiment fare in other places that are as plausible, and with one thing changed."""
