# SPDX-License-Identifier: MIT
"""What the lab was measured to do beside what it should: rows that tests record, docs/validation.md made of them."""
