# SPDX-License-Identifier: MIT
"""What an experiment leaves: tables, charts of its figures, report.html, results.json, CSV, junit.xml."""
