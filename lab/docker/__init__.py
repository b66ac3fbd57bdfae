# SPDX-License-Identifier: MIT
"""Docker images: how a topology names them, and what skopeo reads of them."""
