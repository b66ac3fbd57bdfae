# SPDX-License-Identifier: MIT
"""Scripts of Mininet-WiFi, in the guest: they collect a network, which the host checks and the agent then makes.

``mn_wifi`` has the names that scripts import. This is the third way to say a network, after topology files and
``lab.Lab``: what scripts say becomes the words of a topology file (``words``), and from there on all is the same.
Mininet-WiFi's names, parameters and defaults are those of version 2.7.

Not modelled: what ``unsupported`` lists, each with what to use instead.
"""
