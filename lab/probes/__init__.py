# SPDX-License-Identifier: MIT
"""One tool and the parser of its output per file; see lab.probes.base."""
