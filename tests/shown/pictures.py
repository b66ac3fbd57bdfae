# SPDX-License-Identifier: MIT
"""``make figures``: draw workloads/*/figures/experiment-*.svg again, by ``lab reproduce`` of each experiment.

Stored trials are not run again, so a change of the figures' appearance takes seconds. To draw only some experiments,
give their names: ``python -m tests.shown.pictures handoff/outage``. If a claim does not hold, this is reported, and the
experiment is drawn anyway: the documentation shows where the lab differs from a paper.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path

from lab import library
from lab.errors import suggestion

ROOT = Path(__file__).resolve().parents[2]
LAB = (sys.executable, "-c", "from lab.cli.entry import main; main()")


def experiments() -> dict[str, Path]:
    """Return the experiments that come with the lab, by name."""
    own = ROOT / library.FOLDERS["experiment"]
    return {name: path for name, path in library.known("experiment").items() if path.is_relative_to(own)}


def folder(experiment: str) -> Path:
    """Return the folder of the pictures of an experiment, next to its file's folder."""
    return ROOT / library.FOLDERS["experiment"] / experiment.partition("/")[0] / library.FIGURES


def _stem(experiment: str) -> str:
    return f"experiment-{experiment.partition('/')[2].replace('/', '-')}"


def pictures(experiment: str, count: int) -> list[str]:
    """Return the picture names of an experiment with this many figures: numbered if there are several."""
    stem = _stem(experiment)
    return [f"{stem}.svg"] if count == 1 else [f"{stem}-{number}.svg" for number in range(1, count + 1)]


def take(experiment: str, drawn: Path, images: Path) -> list[str]:
    """Replace the experiment's pictures by the figures in a directory; return their names."""
    found = [drawn / f"figure-{number}.svg" for number in range(1, len(list(drawn.glob("figure-*.svg"))) + 1)]
    names = pictures(experiment, len(found))
    for old in _of(experiment, images):
        old.unlink()
    images.mkdir(exist_ok=True)
    for path, name in zip(found, names, strict=True):
        shutil.copyfile(path, images / name)
    return names


def complete(drawn: Path) -> bool:
    """Return whether all trials behind the figures in a directory succeeded."""
    try:
        trials = json.loads((drawn / "results.json").read_text())["trials"]
    except FileNotFoundError:
        return False
    return all(trial["error"] is None for trial in trials)


def _of(experiment: str, images: Path) -> Iterable[Path]:
    """Yield the existing pictures of an experiment, however many figures it had at the time."""
    stem = _stem(experiment)
    for path in images.glob(f"{stem}*.svg"):
        rest = path.stem.removeprefix(stem)
        if not rest or (rest[0] == "-" and rest[1:].isdigit()):
            yield path


def main() -> int:
    """Return the exit status: 0 if every chosen experiment ran completely and its pictures were replaced."""
    known = experiments()
    parser = argparse.ArgumentParser(prog="python -m tests.shown.pictures", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="EXPERIMENT", help="experiments (default: all)")
    names = parser.parse_args().names or list(known)
    for name in names:
        if name not in known:
            parser.error(f'unknown experiment "{name}"{suggestion(name, known)}; known: {", ".join(known)}')
    return max([_draw(name) for name in names])


def _draw(name: str) -> int:
    """Run an experiment and copy its figures; if a trial fails, its pictures do not change."""
    print(f"lab reproduce {name}", flush=True)
    with tempfile.TemporaryDirectory(prefix="pictures-") as out:
        command = [*LAB, "reproduce", name, "--jobs", str(os.cpu_count() or 1), "--out", out]
        ended = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=False)
        *lines, _ = ended.stdout.splitlines() or [""]  # the last line names the directory, which is temporary
        if ended.returncode:
            print("\n".join(lines))
            if not complete(Path(out)):
                return ended.returncode
        images = folder(name)
        taken = f"{images.relative_to(ROOT)}: {', '.join(take(name, Path(out), images))}"
        print("\n".join([*lines[-2:], taken]), flush=True)
        return 0


if __name__ == "__main__":
    sys.exit(main())
