# SPDX-License-Identifier: MIT
"""``lab exercise``: list, start, run and grade exercises."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Literal

import typer

from lab.numbers import plain

exercise = typer.Typer(
    name="exercise",
    help="Exercises that mark themselves.",
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
    rich_markup_mode=None,
)

Json = Annotated[bool, typer.Option("--json", help="Print JSON instead of text.", show_envvar=False)]
Folder = Annotated[Path, typer.Argument(help="The student's folder.")]
Out = Annotated[
    Path | None, typer.Option(help="Directory for the runs; default: a new one in runs/.", show_envvar=False)
]


def _ids(incomplete: str) -> list[str]:
    """Complete ids of exercises."""
    from lab.grading.exercise import known

    return [name for name in known() if name.startswith(incomplete)]


@exercise.command("list")
def list_(as_json: Json = False) -> None:
    """List the exercises."""
    from rich.table import Table

    from lab.fitted import Fitted
    from lab.grading.exercise import known, load
    from lab.terminal import console

    found = [load(name) for name in known()]
    if as_json:
        listed = [
            {"id": one.id, "name": one.model.name, "about": one.model.about, "minutes": one.model.minutes}
            | {"points": one.points, "goals": one.model.goals}
            for one in found
        ]
        print(json.dumps(listed, indent=2))
        return
    table = Table(box=None, show_header=False)
    for one in found:
        table.add_row(one.id, f"{one.model.minutes} min", one.model.about)
    console().print(Fitted(table))


@exercise.command()
def start(
    name: Annotated[str, typer.Argument(metavar="ID", help="The exercise.", autocompletion=_ids)],
    folder: Annotated[
        Path | None, typer.Argument(help="The folder to make; default: the id of the exercise.", show_default=False)
    ] = None,
    student: Annotated[
        str | None,
        typer.Option(
            help="Your name; it determines the numbers of the task. Default: that of the user.",
            show_envvar=False,
            show_default=False,
        ),
    ] = None,
) -> None:
    """Make a folder with the task and the files to hand in."""
    from lab.grading.exercise import TASK, Student, load
    from lab.grading.student import start as start_
    from lab.grading.student import user
    from lab.terminal import say

    exercise_ = load(name)
    place = folder or Path(exercise_.id)
    start_(exercise_, place, Student(student) if student is not None else user())
    say(f"{place / TASK}: the task; edit {', '.join(exercise_.model.hand_in)}, then: lab exercise run {place}")


@exercise.command()
def new(name: Annotated[str, typer.Argument(metavar="ID", help="The id of the exercise.")]) -> None:
    """Write an exercise: make a folder with a small one that works, to change."""
    from lab.grading import new as template
    from lab.grading.exercise import FILE
    from lab.terminal import say

    folder = template.make(name)
    say(f"{folder}: an exercise to change; then: lab check {folder / FILE}; lab doctor --grade {name}")


@exercise.command()
def handout(
    name: Annotated[str, typer.Argument(metavar="ID", help="The exercise.", autocompletion=_ids)],
    out: Annotated[
        Path | None,
        typer.Argument(
            metavar="[PLACE]", help="The folder or the .zip to write; default: ID-handout.zip.", show_default=False
        ),
    ] = None,
) -> None:
    """Write an exercise for students: without reference, broken twins and hidden checks."""
    from lab.grading import handout as handed_out
    from lab.grading.exercise import load
    from lab.terminal import say

    exercise_ = load(name)
    path = out or Path(f"{exercise_.id}-handout.zip")
    left_out = handed_out.make(exercise_, path)
    say(f"{path}: for students; without the checks {', '.join(left_out)}" if left_out else f"{path}: for students")


@exercise.command()
def autograder(
    name: Annotated[str, typer.Argument(metavar="ID", help="The exercise.", autocompletion=_ids)],
    out: Annotated[
        Path | None, typer.Option(help="The file to write; default: ID.zip.", show_envvar=False, show_default=False)
    ] = None,
    wheel: Annotated[
        Path | None,
        typer.Option(help="The lab as a wheel; default: that of make wheel.", show_envvar=False, show_default=False),
    ] = None,
) -> None:
    """Write the zip of an autograder for Gradescope."""
    from lab.grading import autograder as gradescope
    from lab.grading.exercise import load
    from lab.terminal import say

    exercise_ = load(name)
    path = out or Path(f"{exercise_.id}.zip")
    gradescope.make(exercise_, path, wheel)
    say(f"{path}: upload it as the autograder of a programming assignment")


def _mark(folder: Path, out: Path | None, as_json: bool, hidden: bool) -> None:
    from lab import runs
    from lab.grading import feedback
    from lab.grading.exercise import require_whole
    from lab.grading.hints import late
    from lab.grading.marks import mark
    from lab.grading.student import of
    from lab.terminal import say, unread

    exercise_, student = of(folder)
    if hidden:
        require_whole(exercise_)
    directory = runs.new_directory(f"exercise-{exercise_.id}", out)
    result = late(exercise_, folder, mark(exercise_, folder, student, directory, hidden=hidden))
    with unread():
        if as_json:
            print(json.dumps(result.data(), indent=2))
        else:
            for line in feedback.text(result).splitlines():
                say(line)
    raise typer.Exit(0 if result.passed else 1)


@exercise.command()
def run(folder: Folder = Path(), out: Out = None, as_json: Json = False) -> None:
    """Run what is in a student's folder, and say which public checks pass.

    Exit status 1: one does not.
    """
    _mark(folder, out, as_json, hidden=False)


@exercise.command()
def grade(folder: Folder = Path(), out: Out = None, as_json: Json = False) -> None:
    """Mark what is in a student's folder by all checks.

    Exit status 1: one does not pass.
    """
    _mark(folder, out, as_json, hidden=True)


def grade_many(
    name: Annotated[str, typer.Argument(metavar="ID", help="The exercise.", autocompletion=_ids)],
    submissions: Annotated[list[Path], typer.Argument(metavar="SUBMISSION...", help="Folders of what was handed in.")],
    out: Annotated[
        Path | None,
        typer.Option(
            help="Directory for the results; default: a new one in runs/. What it has already is not run again.",
            show_envvar=False,
        ),
    ] = None,
    jobs: Annotated[int, typer.Option(help="Number of guests to run in parallel.", min=1, show_envvar=False)] = 1,
    format_: Annotated[
        Literal["text", "classroom", "csv", "gradescope", "json", "junit"],
        typer.Option("--format", help="What to print.", show_envvar=False),
    ] = "text",
    student: Annotated[
        str | None,
        typer.Option(
            help="Whose submission it is, whatever its student.yaml says; of one submission.", show_envvar=False
        ),
    ] = None,
    student_from_folder: Annotated[
        bool,
        typer.Option(
            "--student-from-folder",
            help="Take the student's name from the folder of each submission, as in downloads from GitHub Classroom or "
            "Moodle, instead of from student.yaml.",
            show_envvar=False,
        ),
    ] = False,
) -> None:
    """Mark submissions of an exercise by all checks.

    Submissions are treated as hostile: nothing in them is executed outside a guest. Exit status 1: one could not be
    marked, by a fault of the lab.
    """
    from lab import runs
    from lab.errors import InputError
    from lab.grading import alike, many, summary
    from lab.grading.exercise import Student, load
    from lab.grading.formats import FORMATS
    from lab.grading.results import Result
    from lab.grading.student import checked
    from lab.terminal import Bars, console, unread

    exercise_ = load(name)
    if student is not None and len(submissions) != 1:
        raise InputError(f"--student is for one submission, not for {len(submissions)}")
    if student is not None and student_from_folder:
        raise InputError("--student and --student-from-folder both say whose it is", hint="leave one of them out")
    directory = out or runs.new_directory(f"grade-{exercise_.id}", None)
    with Bars([(exercise_.id, len(submissions))]) as bars:

        def done(result: Result, number: int, of: int) -> None:
            bars.show(0, f"{number} of {of}: {result.submission}", number, of)

        results = many.grade(
            exercise_,
            submissions,
            directory,
            jobs,
            done,
            checked(student) if student is not None else None,
            student_from_folder,
        )
    with unread():
        if format_ == "text":
            pairs = alike.find(exercise_, submissions, [Student(result.student) for result in results])
            console().print(summary.tables(results, pairs))
        else:
            print(FORMATS[format_](results), end="")
    raise typer.Exit(1 if any(result.is_unmarked for result in results) else 0)


def print_proofs(names: Sequence[str], jobs: int, as_json: bool) -> int:
    """Mark what comes with exercises (none: all) and print what has come of it; return the exit status."""
    from rich.table import Table

    from lab import runs
    from lab.fitted import Fitted
    from lab.grading import proof
    from lab.grading.exercise import known, load
    from lab.terminal import Bars, console

    chosen = [load(name) for name in names or known()]
    number = sum(len(proof.submissions(one)) for one in chosen)
    with Bars([("exercises", number)]) as bars:

        def done(found: proof.Proof, at: int, of: int) -> None:
            bars.show(0, f"{at} of {of}: {found.exercise.id}/{found.submission}", at, of)

        proofs = proof.prove(chosen, runs.new_directory("doctor-grade", None), jobs, done)
    if as_json:
        listed = [
            {"exercise": one.exercise.id, "submission": one.submission, "points": one.result.points}
            | {"most": one.result.most, "holds": one.holds, "wrong": one.wrong()}
            for one in proofs
        ]
        print(json.dumps(listed, indent=2))
    else:
        table = Table("", "exercise", "submission", "points", "of", "what is wrong", box=None)
        for one in proofs:
            points = plain(one.result.points, 3)
            table.add_row(
                "ok" if one.holds else "WRONG",
                one.exercise.id,
                one.submission,
                points,
                str(one.result.most),
                one.wrong(),
            )
        console().print(Fitted(table))
    return 0 if all(one.holds for one in proofs) else 1


def print_copying(names: Sequence[str], students: int, jobs: int, as_json: bool) -> int:
    """Print how far invented students could copy answers in exercises (none: all); return the exit status."""
    from dataclasses import asdict

    from rich.table import Table

    from lab import runs
    from lab.fitted import Fitted
    from lab.grading import copying
    from lab.grading.exercise import known, load
    from lab.terminal import Bars, console

    chosen = [load(name) for name in names or known()]
    with Bars([("exercises", len(chosen) * students)]) as bars:

        def done(what: str, at: int, of: int) -> None:
            bars.show(0, f"{at} of {of}: {what}", at, of)

        found = copying.find(chosen, students, runs.new_directory("doctor-students", None), jobs, done)
    if as_json:
        listed = [
            {"exercise": one.exercise.id, "students": one.students, "pairs": one.pairs, "share_all": one.all}
            | {"holds": one.holds, "failures": [asdict(failure) for failure in one.failures]}
            | {"share": {shared.answer: shared.pairs for shared in one.each}}
            for one in found
        ]
        print(json.dumps(listed, indent=2))
    else:
        table = Table("", "exercise", "answer", "lowest", "highest", "pairs", "of", box=None)
        for one in found:
            table.add_row("ok" if one.holds else "WRONG", one.exercise.id, "all", "", "", str(one.all), str(one.pairs))
            for shared in one.each:
                table.add_row("", "", shared.answer, str(shared.lowest), str(shared.highest), str(shared.pairs), "")
        console().print(Fitted(table))
        wrong = Table("exercise", "student", "what is wrong", box=None)
        for one in found:
            if one.shares_too_much:
                wrong.add_row(one.exercise.id, "", f"{one.all} of {one.pairs} pairs share all numbers")
            for failure in one.failures:
                wrong.add_row(one.exercise.id, failure.student, failure.reason)
        if wrong.row_count:
            console().print("")
            console().print(Fitted(wrong))
    return 0 if all(one.holds for one in found) else 1
