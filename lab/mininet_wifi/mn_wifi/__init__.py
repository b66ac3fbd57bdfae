# SPDX-License-Identifier: MIT
"""The names that scripts of Mininet-WiFi import."""
