# SPDX-License-Identifier: MIT
"""The record of a run: everything that a report or a grader needs, in one versioned file next to the raw data.

    record = build(directory, hashes={"kernel": …, "image": …, "series": …})   # after a run; writes record.json
    record = load(directory)                                                  # later
    record = rebuild(directory)                                               # from raw data, with today's parsers

Equal plans on equal kernels and images give equal bytes: nothing here depends on the machine or on wall time, which
are in wall.json.
"""

from lab.record.build import build, rebuild
from lab.record.record import Record, RecordedMetric, load

__all__ = ["Record", "RecordedMetric", "build", "load", "rebuild"]
