# SPDX-License-Identifier: MIT
"""How a report shows metrics, one file per kind of metric; see lab.views.base."""
