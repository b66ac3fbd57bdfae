# SPDX-License-Identifier: MIT
"""``lab exercise``: list, start, run and grade exercises."""

from __future__ import annotations

import getpass
import json
from pathlib import Path
from typing import Annotated, Literal

import typer

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
        str | None, typer.Option(help="Your name; it determines the numbers of the task.", show_envvar=False)
    ] = None,
) -> None:
    """Make a folder with the task and the files to hand in."""
    from lab.grading.exercise import TASK, Student, load
    from lab.grading.student import start as start_
    from lab.terminal import say

    exercise_ = load(name)
    place = folder or Path(exercise_.id)
    start_(exercise_, place, Student(student or getpass.getuser()))
    say(f"{place / TASK}: the task; edit {', '.join(exercise_.model.hand_in)}, then: lab exercise run {place}")


def _mark(folder: Path, out: Path | None, as_json: bool, hidden: bool) -> None:
    from lab import runs
    from lab.grading import feedback
    from lab.grading.marks import mark
    from lab.grading.student import of
    from lab.terminal import say, unread

    exercise_, student = of(folder)
    directory = runs.new_directory(f"exercise-{exercise_.id}", out)
    result = mark(exercise_, folder, student, directory, hidden=hidden)
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
) -> None:
    """Mark submissions of an exercise by all checks.

    Submissions are treated as hostile: nothing in them is executed outside a guest. Exit status 1: one could not be
    marked, by a fault of the lab.
    """
    from lab import runs
    from lab.grading import many, summary
    from lab.grading.exercise import load
    from lab.grading.formats import FORMATS
    from lab.grading.results import Result
    from lab.terminal import Bars, console, unread

    exercise_ = load(name)
    directory = out or runs.new_directory(f"grade-{exercise_.id}", None)
    with Bars([(exercise_.id, len(submissions))]) as bars:

        def done(result: Result, number: int, of: int) -> None:
            bars.show(0, f"{number} of {of}: {result.submission}", number, of)

        results = many.grade(exercise_, submissions, directory, jobs, done)
    with unread():
        if format_ == "text":
            console().print(summary.tables(results))
        else:
            print(FORMATS[format_](results), end="")
    raise typer.Exit(1 if any(result.is_unmarked for result in results) else 0)
