# SPDX-License-Identifier: MIT
"""What views of things over time share: lines, and the moments that all of them mark."""
