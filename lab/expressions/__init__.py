# SPDX-License-Identifier: MIT
"""The language of checks, metrics and claims: text to a tree, and what a tree comes to."""
