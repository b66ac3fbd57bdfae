# SPDX-License-Identifier: MIT
"""Exercises: folders with a task, files for the student, and checks of what the student hands in.

    exercise + submission -> runs, each with its record -> checks of their values -> marks -> feedback

A submission changes nothing but what its exercise lets it hand in; see lab.grading.submission.
"""
