# SPDX-License-Identifier: MIT
"""Boots the guest as the lab's own tests do."""

from tests.system.conftest import machine as machine
