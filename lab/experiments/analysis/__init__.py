# SPDX-License-Identifier: MIT
"""From trials to numbers: metrics, their means with confidence, claims, and what differs between two results."""
