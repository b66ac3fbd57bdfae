# SPDX-License-Identifier: MIT
"""What an experiment leaves: tables, report.html, results.json, CSV, junit.xml, pictures."""
