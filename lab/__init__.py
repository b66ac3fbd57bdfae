# SPDX-License-Identifier: MIT
"""hwsim-lab: a Wi-Fi network emulation lab in a box."""
