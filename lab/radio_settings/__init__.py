# SPDX-License-Identifier: MIT
"""Settings of radios: the table of keys that access points and stations share, a file for each key.

A file has one ``SETTING = RadioSetting(…)``; a stack's are in ``workloads/<stack>/radio_settings``.
"""
