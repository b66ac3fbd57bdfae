# SPDX-License-Identifier: MIT
"""How a report shows a metric, one file per kind of metric; see lab.views.base."""
