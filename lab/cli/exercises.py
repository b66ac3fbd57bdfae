# SPDX-License-Identifier: MIT
"""``lab exercise``: list, start, run and grade exercises."""

from __future__ import annotations

import getpass
import json
from pathlib import Path
from typing import Annotated

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
    marks = mark(exercise_, folder, student, directory, hidden=hidden)
    with unread():
        if as_json:
            print(json.dumps(feedback.as_json(marks), indent=2))
        else:
            for line in feedback.text(marks).splitlines():
                say(line)
    full = all(one.share == 1 for one in marks.marks)
    raise typer.Exit(0 if full else 1)


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
