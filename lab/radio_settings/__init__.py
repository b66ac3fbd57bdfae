# SPDX-License-Identifier: MIT
"""Settings of radios: the keys that access points and stations share, a file for each (lab.model.radio_setting)."""
