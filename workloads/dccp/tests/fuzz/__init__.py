# SPDX-License-Identifier: MIT
"""Malformed DCCP packets against the guest's kernel."""
