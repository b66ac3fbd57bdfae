# SPDX-License-Identifier: MIT
"""What a user writes: topology and workload files, as frozen models whose errors name file and line.

``lab.library`` finds files, ``lab.model.document`` reads them, ``lab.model.build`` makes models of them.
Nothing is imported here, so that ``lab --help`` stays quick.
"""
