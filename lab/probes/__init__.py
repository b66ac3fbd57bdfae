# SPDX-License-Identifier: MIT
"""One tool and the parser of its output in each file; see lab.probes.base."""
