# SPDX-License-Identifier: MIT
"""What recorded the corpus of the observers."""
