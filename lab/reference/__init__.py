# SPDX-License-Identifier: MIT
"""docs/reference, generated: JSON Schema and key reference of the files that users write, and the Python reference."""
