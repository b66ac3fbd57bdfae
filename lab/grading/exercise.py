# SPDX-License-Identifier: MIT
"""An exercise: ``grading/exercises/<id>``, ``workloads/<stack>/exercises/<id>``, or a folder of that form.

exercise.yaml   what is handed in, the runs, the checks (lab.model.exercise)
task.md         the text for the student; {numbers.NAME} stands for the student's number
given/          topologies, workloads and other files, which students get and cannot change when they are graded
starter/        the files to hand in, to begin with
reference/      a submission that gets every point
broken/<name>/  submissions that are wrong, each in one way
check.py        functions of checks (lab.checks.python), if some need one
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from lab import library
from lab.checkout import DATA
from lab.checks import python
from lab.errors import InputError, unknown
from lab.model.build import build
from lab.model.document import Document
from lab.model.exercise import ExerciseFile
from lab.model.exercise_check import ExerciseCheck
from lab.model.include import read
from lab.plan.problems import Problems, ValidatedFile

FOLDER = Path("grading", library.EXERCISES)
FILE, TASK, GIVEN, STARTER, REFERENCE, BROKEN = "exercise.yaml", "task.md", "given", "starter", "reference", "broken"
CHECK = python.FILE
_NUMBER = re.compile(r"\{numbers\.([A-Za-z0-9_-]+)\}")
SEED = "seed"  # what {numbers.seed} stands for
_SEEDS = 1_000_000


@dataclass(frozen=True)
class Exercise:
    """An exercise, valid as far as it can be seen without its runs."""

    id: str
    folder: Path
    document: Document
    model: ExerciseFile

    @property
    def points(self) -> int:
        """Return what all checks together are worth."""
        return sum(check.points for check in self.model.checks)


@dataclass(frozen=True)
class Student:
    """Whose numbers they are. Names that differ in case and blanks only are the same."""

    name: str

    @property
    def folded(self) -> str:
        """Return the name as it counts: equal for names that are the same."""
        return " ".join(self.name.casefold().split())

    def _drawn(self, exercise: str, what: str) -> int:
        """Return a large number, the same on every machine."""
        text = "\n".join((exercise, what, self.folded))
        return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8])

    def numbers(self, exercise: Exercise) -> dict[str, str]:
        """Return the student's numbers with their units, by name; ``seed`` is that of the student's runs."""
        found = {SEED: str(self.seed(exercise))}
        for name, number in exercise.model.numbers.items():
            possible = number.values()
            found[name] = possible[self._drawn(exercise.id, f"number {name}") % len(possible)]
        return found

    def seed(self, exercise: Exercise) -> int:
        """Return the seed of the student's runs."""
        return 1 + self._drawn(exercise.id, "seed") % _SEEDS


def known() -> dict[str, Path]:
    """Return the folders of the exercises by id; the current directory's take precedence over the lab's own."""
    found: dict[str, Path] = {}
    for place in dict.fromkeys([Path.cwd(), DATA]):
        for folder in (FOLDER, Path(library.FOLDERS["workload"], "*", library.EXERCISES)):  # the lab's, and of stacks
            for path in sorted(place.glob(f"{folder}/*/{FILE}")):
                found.setdefault(path.parent.name, path.parent)
    return dict(sorted(found.items()))


def find(name_or_folder: str) -> Path:
    """Return the folder of the exercise that a user means.

    Raises:
        InputError: If the exercise does not exist; lists the known ones.
    """
    folder = Path(name_or_folder)
    if "/" in name_or_folder:
        if (folder / FILE).is_file():
            return folder
        raise InputError(f"{library.shown(folder)} is not an exercise: it has no {FILE}")
    exercises = known()
    if name_or_folder not in exercises:
        raise InputError(
            unknown("exercise", name_or_folder, exercises),
            hint=f"one of your own is looked for in {FOLDER} of the current directory",
        )
    return exercises[name_or_folder]


def load(name_or_folder: str) -> Exercise:
    """Return an exercise.

    Raises:
        InputError, InputErrors: If it does not exist or has mistakes; with file and line.
    """
    folder = find(name_or_folder)
    document = read(folder / FILE)
    exercise = Exercise(folder.resolve().name, folder, document, build(ExerciseFile, document))
    _check(exercise)
    return exercise


def _check(exercise: Exercise) -> None:
    """Check what parts of the file say about each other, and the files that it needs."""
    model, problems = exercise.model, Problems()
    source = ValidatedFile(exercise.document, model)
    names = [check.name for check in model.checks]
    for index, check in enumerate(model.checks):
        if names.index(check.name) != index:
            problems.add(source, ("checks", index, "name"), f'another check is called "{check.name}"')
        if check.run is None and len(model.runs) > 1:
            problems.add(source, ("checks", index), f"needs run:, one of {', '.join(model.runs)}")
        if check.run is not None and check.run not in model.runs:
            problems.add(source, ("checks", index, "run"), unknown("run", check.run, model.runs))
        for key, mistake in check.mistakes(exercise.folder):
            problems.add(source, ("checks", index, key), mistake)
    for twin, failing in model.broken.items():
        for name in failing:
            if name not in names:
                problems.add(source, ("broken", twin), unknown("check", name, names))
        if not failing:
            problems.add(source, ("broken", twin), "is wrong in no way: name the checks that it does not pass")
    solutions = () if model.handout else (REFERENCE, *(f"{BROKEN}/{twin}" for twin in model.broken))
    for name in (TASK, GIVEN, STARTER, *solutions):
        if not (exercise.folder / name).exists():
            problems.add(source, (), f"needs {name} next to it")
    for name in model.hand_in:
        if Path(name).name != name or (exercise.folder / GIVEN / name).exists():
            problems.add(source, ("hand_in", name), "must be the name of a file, and none of given/")
    texts = [(TASK, (exercise.folder / TASK).read_text(encoding="utf-8"))] if (exercise.folder / TASK).is_file() else []
    texts += [(f"runs.{name}", str(value)) for name, run in model.runs.items() for value in run.set.values()]
    for where, text in texts:
        for name in _NUMBER.findall(text):
            if name not in (SEED, *model.numbers):
                problems.add(source, (), f"{where}: {unknown('number', name, (SEED, *model.numbers))}")
    if SEED in model.numbers:
        problems.add(source, ("numbers", SEED), "is the seed of the student's runs; choose another name")
    problems.raise_all()


def require_whole(exercise: Exercise) -> None:
    """Refuse what lab exercise handout has written: hidden checks are missing, and so is the reference.

    Raises:
        InputError: If it is a handout.
    """
    if exercise.model.handout:
        raise InputError(
            f"{exercise.id} is a handout: it has neither hidden checks nor a reference",
            where=library.shown(exercise.folder / FILE),
            hint="lab exercise run looks at its public checks; mark with the exercise it was made of",
        )


def run_of(exercise: Exercise, check: ExerciseCheck) -> str:
    """Return the name of the run that a check looks at."""
    return check.run or next(iter(exercise.model.runs))


def checks_of(exercise: Exercise, run: str) -> list[ExerciseCheck]:
    """Return the checks that look at a run."""
    return [check for check in exercise.model.checks if run_of(exercise, check) == run]


def with_numbers(text: str, numbers: Mapping[str, str]) -> str:
    """Return a text with a student's numbers for {numbers.NAME}."""
    return _NUMBER.sub(lambda found: numbers[found[1]], text)
