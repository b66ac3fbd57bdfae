# SPDX-License-Identifier: MIT
"""Transaction prediction, without a guest: streams of SMB in, streams out."""
