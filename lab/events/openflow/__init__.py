# SPDX-License-Identifier: MIT
"""The event ``openflow``."""
