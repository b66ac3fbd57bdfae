# SPDX-License-Identifier: MIT
"""The lab's scenarios in ns-3, to hold the lab's medium against."""
