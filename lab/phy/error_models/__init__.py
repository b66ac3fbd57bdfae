# SPDX-License-Identifier: MIT
"""Bit error models, one per file; see lab.phy.error_models.base."""

from lab.phy.error_models.base import ErrorModel, known, load

__all__ = ["ErrorModel", "known", "load"]
