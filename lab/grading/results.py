# SPDX-License-Identifier: MIT
"""The result of a submission, as students, graders and files of results have it."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True)
class CheckResult:
    """A check: ``points`` out of ``most``; ``seen``: the values behind it; ``where``: the directory of its run."""

    name: str
    about: str
    points: float
    most: int
    public: bool
    seen: str
    hint: str | None
    where: str
    about_answers: bool  # ``seen`` gives the right answer away

    @property
    def passed(self) -> bool:
        """Return whether it holds in full."""
        return self.points == self.most


@dataclass(frozen=True)
class Result:
    """A submission. ``refused``: why it could not be run at all, else empty; ``invalid``: why answers do not count."""

    exercise: str
    name: str  # of the exercise, for people
    submission: str  # its folder
    student: str
    refused: str
    checks: tuple[CheckResult, ...]
    invalid: tuple[str, ...] = ()

    @property
    def points(self) -> float:
        """Return the sum."""
        return sum(check.points for check in self.checks)

    @property
    def most(self) -> int:
        """Return the sum that could be reached."""
        return sum(check.most for check in self.checks)

    @property
    def is_unmarked(self) -> bool:
        """Return whether the lab failed to mark it; ``refused`` says where to look."""
        return not self.checks

    @property
    def passed(self) -> bool:
        """Return whether all checks hold in full."""
        return all(check.passed for check in self.checks)

    def data(self) -> dict[str, Any]:
        """Return it for JSON."""
        return {**asdict(self), "points": self.points, "most": self.most}


def from_data(data: dict[str, Any]) -> Result:
    """Return a result that was stored; KeyError or TypeError if it is none."""
    given = {key: value for key, value in data.items() if key not in ("points", "most")}
    checks = tuple(CheckResult(**check) for check in data["checks"])
    return Result(**{**given, "checks": checks, "invalid": tuple(data["invalid"])})
