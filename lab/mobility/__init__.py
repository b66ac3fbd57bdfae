# SPDX-License-Identifier: MIT
"""Models of mobility, one per file, found by their files (``lab.model.mobility.MOBILITY``).

Definitions of the random ones: T. Camp, J. Boleng, V. Davies, "A survey of mobility models for ad hoc network
research", Wireless Communications and Mobile Computing 2(5), 2002. Names are Mininet-WiFi's.

Standard library only. Of ``random.Random``, only ``random()`` is used: it is the same in every version of Python.

Not modelled: acceleration, except in GaussMarkov; obstacles: nodes walk through walls; floors: the height of a node
stays what it is, except on the ways and traces that give it.
"""
