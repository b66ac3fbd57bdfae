# SPDX-License-Identifier: MIT
"""One kind of check of exercises in each file, found by its file; see lab.model.exercise_check.

A check looks at what a run has left, on the host: nothing of it is in the guest, whose programs may be a student's.
What a node says about itself can be forged by a program that is root in that node; the air and other nodes cannot.
"""
