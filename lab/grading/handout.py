# SPDX-License-Identifier: MIT
"""A handout: the part of an exercise that students may have, as a folder or a zip.

It has the text, the given files, the starter, and the public checks. It has neither the reference nor broken twins nor
hidden checks, neither in exercise.yaml nor in check.py, and no comments of these two files, which may say too much.
"""

from __future__ import annotations

import ast
import io
import shutil
import tempfile
import zipfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from lab.checks.python import Python
from lab.errors import InputError, writing
from lab.grading.exercise import CHECK, FILE, FOLDER, GIVEN, STARTER, TASK, Exercise, require_whole
from lab.model.document import plain
from lab.model.exercise_check import ExerciseCheck

README = "README.md"
_TIME = (2026, 1, 1, 0, 0, 0)  # equal zips for equal exercises
_KEPT = ("name", "about", "minutes", "goals", "references", "numbers", "hand_in")
_README = """\
# {name}

Unpack this folder where you want to work, and call all commands from this folder. With the lab installed:

```
lab exercise start {id} --student 'YOUR NAME'
lab exercise run {id}
```

The first command makes the folder `{id}`, with the task, `task.md`. Write your name as your teacher has it: the numbers
of the task come from it. The second one runs what you have so far, and says which of the public checks pass.
"""


def make(exercise: Exercise, out: Path) -> list[str]:
    """Write the handout; return the names of the checks that it leaves out.

    Args:
        exercise: what it is made of.
        out: the folder to make, or the zip to write if it ends with .zip.

    Raises:
        InputError: If the exercise has no public check, is a handout itself, or the folder exists.
        HostError: If it cannot be written.
    """
    require_whole(exercise)
    kept = [index for index, check in enumerate(exercise.model.checks) if _is_handed_out(check)]
    if not kept:
        raise InputError(
            f"{exercise.id} has no public check to hand out", hint="give students folders: lab exercise start"
        )
    if out.suffix == ".zip":
        with tempfile.TemporaryDirectory() as place:
            _write(exercise, kept, Path(place, "handout"))
            with writing(out):
                out.write_bytes(_zipped(Path(place, "handout")))
    else:
        if out.exists():
            raise InputError(f"{out} exists already", hint="name another folder, or a .zip")
        _write(exercise, kept, out)
    return [check.name for index, check in enumerate(exercise.model.checks) if index not in kept]


def _is_handed_out(check: ExerciseCheck) -> bool:
    return check.public if check.hand_out is None else check.hand_out


def _write(exercise: Exercise, kept: list[int], out: Path) -> None:
    folder = out / FOLDER / exercise.id
    with writing(out):
        folder.mkdir(parents=True)
        (out / README).write_text(_README.format(name=exercise.model.name, id=exercise.id), encoding="utf-8")
        for part in (GIVEN, STARTER):
            shutil.copytree(exercise.folder / part, folder / part, ignore=shutil.ignore_patterns("__pycache__"))
        shutil.copyfile(exercise.folder / TASK, folder / TASK)
        (folder / FILE).write_text(_exercise_file(exercise, kept), encoding="utf-8")
        checks = [exercise.model.checks[index] for index in kept]
        functions = {check.python for check in checks if isinstance(check, Python)}
        if functions:
            text = (exercise.folder / CHECK).read_text(encoding="utf-8")
            (folder / CHECK).write_text(needed(text, functions), encoding="utf-8")


def _zipped(folder: Path) -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as file:
        for path in sorted(folder.rglob("*")):
            if path.is_file():
                entry = zipfile.ZipInfo(path.relative_to(folder).as_posix(), _TIME)
                file.writestr(entry, path.read_bytes(), zipfile.ZIP_DEFLATED)
    return content.getvalue()


def _exercise_file(exercise: Exercise, kept: list[int]) -> str:
    """Return exercise.yaml with some of its checks, and the runs that these look at."""
    data = plain(exercise.document.data)
    checks = [data["checks"][index] for index in kept]
    runs = {check.get("run", next(iter(data["runs"]))) for check in checks}
    written: dict[str, Any] = {key: data[key] for key in _KEPT if key in data}
    written |= {"runs": {name: run for name, run in data["runs"].items() if name in runs}, "checks": checks}
    return _yaml({**written, "handout": True})


def _yaml(data: Any) -> str:
    from ruamel.yaml import YAML

    yaml, text = YAML(typ="safe"), io.StringIO()
    yaml.default_flow_style, yaml.width = False, 120
    yaml.sort_base_mapping_type_on_output = False  # type: ignore[assignment]
    yaml.dump(data, text)
    return text.getvalue()


def needed(text: str, functions: Iterable[str]) -> str:
    """Return a Python file with these functions, and with what they use of it; without comments."""
    tree = ast.parse(text)
    names = {id(one): _defined(one) for one in tree.body}
    wanted, found = set(functions), set[int]()
    while True:
        more = [one for one in tree.body if id(one) not in found and names[id(one)] & wanted]
        if not more:
            break
        found |= {id(one) for one in more}
        wanted |= {part.id for one in more for part in ast.walk(one) if isinstance(part, ast.Name)}
    tree.body = [one for one in tree.body if id(one) in found or _is_future(one)]
    return ast.unparse(tree) + "\n"


def _is_future(one: ast.stmt) -> bool:
    return isinstance(one, ast.ImportFrom) and one.module == "__future__"


def _defined(one: ast.stmt) -> set[str]:
    """Return the names that a statement of a file defines."""
    if isinstance(one, ast.FunctionDef | ast.ClassDef):
        return {one.name}
    if isinstance(one, ast.Import | ast.ImportFrom):
        return {(alias.asname or alias.name).partition(".")[0] for alias in one.names}
    return {part.id for part in ast.walk(one) if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)}
