# SPDX-License-Identifier: MIT
"""The lab's scenarios in ns-3, for comparison with the lab's medium."""
