# SPDX-License-Identifier: MIT
"""What the lab was measured to do, and what it should do: rows that tests record, docs/validation.md made of them."""
