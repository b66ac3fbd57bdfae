# SPDX-License-Identifier: MIT
"""The verbs of ``lab``, thin. Heavy imports are inside the verbs, so that ``lab --help`` answers at once."""

from __future__ import annotations

import json
import os
import shlex
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import click
import typer
import typer.core
from typer._completion_classes import completion_init
from typer._completion_shared import get_completion_script

from lab.cli.exercises import exercise, grade_many
from lab.errors import LabError

if TYPE_CHECKING:
    from lab.runs.script import ScriptOptions

os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")  # or it searches all installed packages for plugins
typer.core.HAS_RICH = False  # plain help: rich would cost 0.1 s of every start, and typer escapes brackets for it

completion_init()  # as typer does if it may edit the start-up files of shells; `lab completion` leaves them alone


def _names_script(words: list[str]) -> bool:
    """Return whether the first word that is neither an option nor its value is a Python file."""
    for before, word in zip(["", *words], words, strict=False):
        if not word.startswith("-") and (word.endswith(".py") or not before.startswith("-")):
            return word.endswith(".py")
    return False


class _Commands(typer.core.TyperGroup):
    """The commands; for another one, all of them are named unless a similar one is."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command that the arguments begin with; ``run SCRIPT.py`` is ``script SCRIPT.py``."""
        if args[:1] == ["run"] and _names_script(args[1:]):
            args = ["script", *args[1:]]
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            if "Did you mean" not in error.message:
                error.message = f"{error.message.rstrip('.')}; the commands are {', '.join(self.commands)}."
            raise


app = typer.Typer(
    name="lab",
    cls=_Commands,
    add_completion=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)

_option = partial(typer.Option, show_envvar=False)  # or click's errors end in "(env var: 'None')"


def _names(file_type: str) -> Callable[[str], list[str]]:
    """Complete names of files of a type (see lab.library)."""

    def complete(incomplete: str) -> list[str]:
        from lab import library

        return [name for name in library.known(file_type) if name.startswith(incomplete)]

    return complete


Topology = Annotated[
    str,
    typer.Argument(help="Name (two-aps-handoff) or path of a topology file.", autocompletion=_names("topology")),
]
Workload = Annotated[
    str, typer.Argument(help="Name (http/download) or path of a workload file.", autocompletion=_names("workload"))
]


class AtLeast(click.IntRange):
    """Whole numbers from ``least`` on; click calls them integer ranges. ``meaning`` says what they are for."""

    def __init__(self, least: int, meaning: str = "") -> None:
        super().__init__(min=least)
        self._meaning = meaning

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Refuse other text."""
        try:
            int(value)
        except ValueError:
            self.fail(f'"{value}" is not a whole number{self._meaning}', param, ctx)
        return super().convert(value, param, ctx)


_SEEDS = "; write one, such as 7: it determines all random numbers of a run, so that the same seed gives the same run"
Seed = Annotated[int, _option(help="Seed for all random numbers of the run.", click_type=AtLeast(0, _SEEDS))]
Overrides = Annotated[
    list[str] | None, _option("--set", metavar="KEY=VALUE", help="Override a key: links.0.delay=20ms. Repeatable.")
]
Out = Annotated[Path | None, _option(help="Directory for the run; default: a new one in runs/.")]
Json = Annotated[bool, _option("--json", help="Print JSON instead of tables.")]
Source = Annotated[
    Path | None,
    _option(help="Kernel source to use instead of Debian's package: tree, archive, or what make kernel-edit made."),
]
Built = Annotated[
    str | None,
    _option("--kernel", metavar="HASH|PATH", help="Kernel that has been built: beginning of its hash, or its path."),
]


class _RunCommand(typer.core.TyperCommand):
    """A command whose --junit also receives mistakes in its options: no earlier result must stay there.

    A missing value is answered with the possible ones.
    """

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any
    ) -> click.Context:
        """Parse the arguments."""
        words = [*args]  # parsing empties the list
        try:
            return super().make_context(info_name, args, parent, **extra)
        except click.UsageError as error:
            if isinstance(error, click.BadOptionUsage):
                option = next(one for one in self.params if error.option_name in one.opts)
                if isinstance(option.type, click.Choice):
                    values = " or ".join(map(str, option.type.choices))
                    error.message = f"{error.message.rstrip('.')}: {error.option_name} {values}."
            lenient = {"resilient_parsing": True, "ignore_unknown_options": True, "allow_extra_args": True}
            options = super().make_context(info_name, [*words], parent, **lenient).params
            if options["junit"]:
                from lab.report.junit import failed, write

                command = shlex.join(["lab", info_name or "", *words])
                try:
                    write(Path(options["junit"]), failed(command, error.format_message()))
                except LabError as problem:
                    print(f"lab: {problem}", file=sys.stderr)
            raise


def _print_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        print(f"lab {version('hwsim-lab')}")
        raise typer.Exit


@app.callback(help="A Wi-Fi network emulation lab in a box: real stacks over emulated radios, in virtual time.")
def options(
    version: Annotated[
        bool, _option("--version", is_eager=True, callback=_print_version, help="Print the lab's version.")
    ] = False,
) -> None:
    """Take the options that precede a command."""


@app.command(cls=_RunCommand)
def run(
    topology: Topology,
    workload: Workload,
    seed: Seed = 1,
    overrides: Overrides = None,
    out: Out = None,
    repeat: Annotated[int, _option(help="Run N times, with seeds SEED, SEED+1, …", click_type=AtLeast(1))] = 1,
    jobs: Annotated[int, _option(help="Number of guests to run in parallel.", click_type=AtLeast(1))] = 1,
    pcap: Annotated[
        Literal["air"] | None,
        _option(help="Capture every frame on the medium, with ACKs and collisions: raw/air-<MHz>.pcapng."),
    ] = None,
    dry_run: Annotated[bool, _option("--dry-run", help="Print every command instead of running it.")] = False,
    timeout: Annotated[
        str | None,
        _option(
            metavar="DURATION", help="End a run, or the drawing of reports, that takes longer in wall time: 10 min."
        ),
    ] = None,
    as_json: Json = False,
    junit: Annotated[
        Path | None, _option(metavar="FILE", help="Also write the result of each check as JUnit's XML.")
    ] = None,
    kernel_source: Source = None,
    kernel: Built = None,
) -> None:
    """Run a workload on a topology; record and report it.

    It runs in virtual time. Exit status 1: a check failed, or the run did.
    """
    overrides = overrides or []
    if dry_run:
        from lab.library import code_of
        from lab.plan.load import load
        from lab.runs.dry_run import commands

        plan = load(topology, workload, seed, overrides, pcap=pcap)
        found = commands(plan, code_of(workload, plan.stack))
        print(json.dumps(found, indent=2) if as_json else "\n".join(found))
        return
    from lab.cli.results import print_failure_json, print_runs
    from lab.runs import command
    from lab.runs.limits import ending_after, wall_s
    from lab.terminal import unread

    options = command.RunOptions(
        topology=topology,
        workload=workload,
        seed=seed,
        overrides=overrides,
        out=out,
        repeat=repeat,
        jobs=jobs,
        pcap=pcap,
        timeout=timeout,
        junit=junit,
        source=kernel_source,
        kernel=kernel,
    )
    with print_failure_json(as_json):
        ended = command.run(options)
        with ending_after(wall_s("--timeout", timeout), "drawing the report"), unread():
            print_runs(ended, as_json)
    raise typer.Exit(0 if ended.passed else 1)


@app.command()
def shell(
    topology: Topology,
    seed: Seed = 1,
    overrides: Overrides = None,
    stack: Annotated[str | None, _option(metavar="NAME", help="Stack whose programs every node gets.")] = None,
    timeout: Annotated[
        str | None, _option(metavar="DURATION", help="End a session that takes longer than this in wall time: 10 min.")
    ] = None,
    kernel_source: Source = None,
    kernel: Built = None,
) -> None:
    """Open a prompt on a topology, in real time.

    The prompt is like mininet>. If standard input is a pipe or file, its commands are run instead, in virtual time.
    """
    from lab.runs.shell import ShellOptions, interact

    options = ShellOptions(
        topology=topology,
        seed=seed,
        overrides=overrides or (),
        stack=stack,
        timeout=timeout,
        source=kernel_source,
        kernel=kernel,
    )
    raise typer.Exit(interact(options))


Script = Annotated[Path, typer.Argument(metavar="SCRIPT.py", help="Script of Mininet-WiFi.")]
Arguments = Annotated[list[str] | None, typer.Argument(metavar="[ARGUMENT]...", help="Arguments of the script.")]
_OF_SCRIPT = {"allow_interspersed_args": False}  # what follows the script is the script's


def _script_options(
    script: Path, arguments: list[str] | None, seed: int, overrides: list[str] | None, **others: Any
) -> ScriptOptions:
    """Return the options that both commands on scripts have, with those of one of them."""
    from lab.runs.script import ScriptOptions

    return ScriptOptions(script=script, arguments=arguments or (), seed=seed, overrides=overrides or (), **others)


@app.command(context_settings=_OF_SCRIPT)
def script(
    script: Script,
    arguments: Arguments = None,
    seed: Seed = 1,
    overrides: Overrides = None,
    out: Out = None,
    real: Annotated[
        bool | None,
        _option(
            "--real/--virtual",
            help="Real or virtual time; default: virtual, but real if the script opens a prompt on a terminal.",
        ),
    ] = None,
    timeout: Annotated[
        str | None, _option(metavar="DURATION", help="End a script that takes longer than this in wall time: 10 min.")
    ] = None,
    kernel_source: Source = None,
    kernel: Built = None,
) -> None:
    """Run a script of Mininet-WiFi; also written lab run SCRIPT.py.

    The exit status is the script's.
    """
    from lab.runs.script import run

    own = {"out": out, "real": real, "timeout": timeout, "source": kernel_source, "kernel": kernel}
    raise typer.Exit(run(_script_options(script, arguments, seed, overrides, **own)))


@app.command(context_settings=_OF_SCRIPT)
def convert(
    script: Script,
    arguments: Arguments = None,
    out: Annotated[
        Path | None, _option(metavar="FILE", help="Write it there instead of printing it.", show_default=False)
    ] = None,
    seed: Seed = 1,
    overrides: Overrides = None,
    kernel_source: Source = None,
    kernel: Built = None,
) -> None:
    """Print the topology that a script of Mininet-WiFi builds.

    The script runs up to net.build().
    """
    from lab.errors import writing
    from lab.runs.script import convert as convert_

    options = _script_options(script, arguments, seed, overrides, source=kernel_source, kernel=kernel)
    text = convert_(options, out or script.with_suffix(".yaml"))
    if out is None:
        print(text, end="")
        return
    with writing(out):
        out.write_text(text, encoding="utf-8")


@app.command()
def show(
    topology: Topology,
    workload: Workload = "idle",
    seed: Seed = 1,
    overrides: Overrides = None,
    svg: Annotated[
        Path | None, _option("--svg", metavar="FILE", help="Draw the topology, as in a report; print nothing.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Print the plan: addresses, links, timeline, processes."""
    from lab.plan.load import load

    plan = load(topology, workload, seed, overrides or [])
    if svg is not None:
        from lab.report.topology import write

        write(plan, svg)
        return
    if as_json:
        print(plan.to_json(), end="")
        return
    from lab.machine.memory import memory_text
    from lab.show.plan import render
    from lab.terminal import console

    console().print(render(plan))
    if (note := memory_text(plan)) is not None:
        console().print(f"\n{note}")


@app.command("list")
def list_(
    what: Annotated[
        Literal["topologies", "workloads", "experiments", "images", "probes", "metrics"] | None,
        typer.Argument(
            metavar="[WHAT]",
            help="List only topologies, workloads, experiments, images, probes or metrics.",
            show_default=False,
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """List topologies, workloads, experiments and what they use."""
    from lab.cli.lists import print_list

    print_list(as_json, what)


@app.command()
def check(
    files: Annotated[list[Path], typer.Argument(help="Topology, workload, experiment and exercise files.")],
) -> None:
    """Check files without running them."""
    from lab.cli.check import check as check_file
    from lab.terminal import say

    for path in files:
        say(f"{path}: a valid {check_file(path)}")


@app.command()
def report(
    directory: Annotated[Path, typer.Argument(help="Directory of a run.")] = Path("runs/latest"),
    png: Annotated[bool, _option("--png", help="Also draw the plots as PNG.")] = False,
    pdf: Annotated[bool, _option("--pdf", help="Also draw the plots as PDF.")] = False,
    as_json: Json = False,
) -> None:
    """Rebuild a run's report from its raw files; print its tables."""
    from lab.cli.results import redraw

    wanted = {"svg": True, "png": png, "pdf": pdf}
    formats = [name for name, drawn in wanted.items() if drawn]
    raise typer.Exit(redraw(directory, formats=formats, as_json=as_json))


@app.command()
def reproduce(
    experiment: Annotated[
        str,
        typer.Argument(
            help="Name (handoff/outage) or path of an experiment file.", autocompletion=_names("experiment")
        ),
    ],
    out: Annotated[Path | None, _option(help="Directory for the results; default: a new one in runs/.")] = None,
    jobs: Annotated[
        int, _option(help="Number of guests to run in parallel on this machine.", click_type=AtLeast(1))
    ] = 1,
    dask: Annotated[
        str | None,
        _option(metavar="ADDRESS", help="dask.distributed scheduler whose workers run the trials: tcp://…"),
    ] = None,
    only: Annotated[
        list[str] | None, _option(metavar="AXIS=VALUE", help="Run only these points of the grid. Repeatable.")
    ] = None,
    reps: Annotated[int | None, _option(metavar="N", help="Repeat each point N times.", click_type=AtLeast(1))] = None,
    sensitivity: Annotated[
        int | None,
        _option(
            metavar="N",
            help="Also run it in N places drawn from the ranges of its uncertain parameters.",
            click_type=AtLeast(2),
        ),
    ] = None,
    one_at_a_time: Annotated[
        bool,
        _option(
            "--one-at-a-time",
            help="Also run it with one thing changed: each uncertain parameter at the ends of its range, and each "
            "entry of what_if.",
        ),
    ] = False,
    two_at_a_time: Annotated[
        bool,
        _option("--two-at-a-time", help="As --one-at-a-time, and once more with each two of these changes together."),
    ] = False,
    vary: Annotated[
        list[str] | None,
        _option(metavar="NAME", help="With one of these three: vary or change only this. Repeatable."),
    ] = None,
    place_reps: Annotated[
        int,
        _option(
            metavar="N", help="With --sensitivity: repeat each point N times in each place.", click_type=AtLeast(1)
        ),
    ] = 1,
    fresh: Annotated[bool, _option("--fresh", help="Also run trials that are stored.")] = False,
    limit: Annotated[
        int, _option(metavar="N", help="A grid of more trials requires --yes.", click_type=AtLeast(1))
    ] = 1000,
    yes: Annotated[bool, _option("--yes", help="Run all trials, however many there are.")] = False,
    kernel: Annotated[
        str | None,
        _option("--kernel", metavar="HASH", help="Kernel that has been built: beginning of its hash."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Run the trials of an experiment; compare it with the paper.

    Stored trials are not run again. Exit status 1: a claim fails.
    """
    from lab.cli.results import print_reproduced
    from lab.experiments.command import ReproduceOptions
    from lab.experiments.command import reproduce as reproduce_
    from lab.terminal import unread

    options = ReproduceOptions(
        experiment=experiment,
        out=out,
        jobs=jobs,
        scheduler=dask,
        only=only or (),
        reps=reps,
        sensitivity=sensitivity,
        changed_at_a_time=2 if two_at_a_time else int(one_at_a_time),
        vary=tuple(vary or ()),
        place_reps=place_reps,
        fresh=fresh,
        most=None if yes else limit,
        kernel=kernel,
        command=shlex.join(["lab", *sys.argv[1:]]),
    )
    done = reproduce_(options)
    with unread():
        print_reproduced(done, as_json)
    raise typer.Exit(0 if done.results.passed else 1)


def _session_names(incomplete: str) -> list[str]:
    """Complete names of sessions that run."""
    from lab.runs.sessions import sessions

    return [name for name in sessions() if name.startswith(incomplete)]


@app.command(context_settings={"ignore_unknown_options": True})
def attach(
    words: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[NAME] NODE [COMMAND]...",
            help="Session, node, and what to run; default: bash.",
            autocompletion=_session_names,
            show_default=False,
        ),
    ] = None,
) -> None:
    """Open a terminal on a node of a running session.

    The session is a prompt at another terminal, of `lab shell` or of a script. NAME is that of its topology or script;
    it can be left out if only one session runs. Exit status: that of the command.
    """
    from lab.runs.attach import attach as attach_

    raise typer.Exit(attach_(words or []))


@app.command()
def compare(
    first: Annotated[
        Path, typer.Argument(metavar="RUN-A", help="Directory of a run, or of results of `lab reproduce`.")
    ],
    second: Annotated[Path, typer.Argument(metavar="RUN-B", help="Another one, of the same workload or experiment.")],
    as_json: Json = False,
) -> None:
    """Compare two runs, or two results of an experiment.

    Of runs: keys that differ, metrics with difference and ratio, checks that changed. Of results of an experiment,
    made with two builds: the difference of each metric, with a confidence interval.
    """
    from lab.cli.results import print_differences

    print_differences(first, second, as_json)


app.add_typer(exercise, name="exercise")
app.command("grade")(grade_many)


@app.command()
def doctor(
    as_json: Json = False,
    packages: Annotated[
        bool, _option("--packages", help="Print only the names of missing Debian packages, for apt-get install.")
    ] = False,
    grade: Annotated[
        bool,
        _option(
            "--grade",
            help="Mark what comes with the exercises: each reference must get every point, each broken "
            "twin fail the checks that it is to fail.",
        ),
    ] = False,
    exercises: Annotated[
        list[str] | None, typer.Argument(metavar="[EXERCISE]...", help="With --grade: which ones.", show_default="all")
    ] = None,
    students: Annotated[
        int | None,
        _option(
            "--students",
            help="With --grade: instead, run each reference for so many invented students, and list how many pairs of "
            "them could take their numbers from each other.",
            min=2,
        ),
    ] = None,
    jobs: Annotated[int, _option("--jobs", help="With --grade: guests in parallel.", min=1)] = 1,
) -> None:
    """Check whether this machine has what the lab needs."""
    from lab.cli.lists import print_doctor, print_missing_packages

    if grade:
        from lab.cli.exercises import print_copying, print_proofs

        if students is not None:
            raise typer.Exit(print_copying(exercises or [], students, jobs, as_json))
        raise typer.Exit(print_proofs(exercises or [], jobs, as_json))
    if exercises:
        from lab.errors import InputError

        raise InputError(
            f"{exercises[0]}: names of exercises go with --grade", hint="lab doctor --grade " + exercises[0]
        )

    if packages:
        print_missing_packages(as_json)
        return
    raise typer.Exit(print_doctor(as_json))


@app.command()
def kernel(
    kernel_source: Source = None,
    refresh: Annotated[bool, _option("--refresh", help="Fetch Debian's source again, to use a newer version.")] = False,
    debug: Annotated[bool, _option("--debug", help="With lockdep, KASAN, UBSAN and kmemleak; slower.")] = False,
    as_json: Json = False,
) -> None:
    """Build the guest's kernel unless it is cached; describe it."""
    from lab.builders.kernel.kernel import ensure_kernel
    from lab.builders.kernel.series import PatchSeries
    from lab.cli.lists import print_facts
    from lab.terminal import reporter

    with reporter() as report_:
        built = ensure_kernel(report_, source=kernel_source, refresh=refresh, series=PatchSeries(debug=debug))
    print_facts(built, as_json)


@app.command()
def rootfs(
    refresh: Annotated[bool, _option("--refresh", help="Build again, with today's packages.")] = False,
    as_json: Json = False,
) -> None:
    """Build the guest's file system unless cached; describe it."""
    from lab.builders.image.image import ensure_image
    from lab.cli.lists import print_facts
    from lab.terminal import reporter

    with reporter() as report_:
        built = ensure_image(report_, refresh=refresh)
    print_facts(built, as_json)


@app.command()
def cache(
    what: Annotated[
        Literal["key", "directory"] | None,
        typer.Argument(metavar="[WHAT]", help="Print only the key or the directory.", show_default=False),
    ] = None,
    images: Annotated[
        list[str] | None,
        typer.Argument(metavar="[IMAGE]...", help="Images of nodes that it is to have, too.", show_default=False),
    ] = None,
    as_json: Json = False,
) -> None:
    """Print the directory of the cache, and its key for CI.

    With another key, kernel, image, initrd or one of those images of nodes have to be built again.
    """
    from lab.builders.everything import cache as describe
    from lab.cli.lists import print_facts
    from lab.library import image_called

    found = describe([image_called(name) for name in images or []])
    if what is None:
        print_facts(found, as_json)
    else:
        print(json.dumps(getattr(found, what)) if as_json else getattr(found, what))


@app.command()
def images(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="[NAME]...", help="Which ones, or their folders; default: all.")
    ] = None,
    refresh: Annotated[bool, _option("--refresh", help="Build again, with today's packages.")] = False,
    docker: Annotated[
        bool, _option("--docker", help="Also as Docker images with the base, if a Docker engine answers.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Build images of nodes unless they are cached; describe them."""
    from lab.builders.everything import ensure_images
    from lab.cli.lists import print_images
    from lab.terminal import reporter

    with reporter() as report_:
        base, built = ensure_images(report_, names or (), refresh=refresh)
    print_images([image for _, image in built], as_json)
    if docker:
        from lab.builders.image.engine import engine_problem, import_images

        if problem := engine_problem():
            typer.echo(f"no Docker images: no Docker engine can build them ({problem})", err=True)
            return
        with reporter() as report_:
            names = import_images(report_, base, built)
        typer.echo(f"Docker images: {', '.join(names)}", err=True)


@app.command()
def clean() -> None:
    """Empty the cache; remove what killed labs left behind.

    The cache has kernels, images, code of stacks and stored trials of experiments.
    """
    from lab.cache.store import clean as clean_cache
    from lab.machine.scratch import clean_stale

    stale = clean_stale()
    freed = clean_cache()
    largest = sorted((size, shelf) for shelf, size in freed.items() if size >= 1_000_000)[::-1]
    listed = f" ({', '.join(f'{size / 1e6:.0f} MB of {shelf}' for size, shelf in largest)})" if largest else ""
    print(f"removed {sum(freed.values()) / 1e6:.0f} MB of cache{listed} and the remains of {stale} killed guests")


def _verbs(incomplete: str) -> list[str]:
    """Complete names of commands."""
    names = typer.main.get_group(app).commands
    return [name for name in names if name.startswith(incomplete)]


@app.command("help")
def help_(
    command: Annotated[
        str | None, typer.Argument(help="Show the help of this command.", autocompletion=_verbs, show_default=False)
    ] = None,
) -> None:
    """Show this help, or that of a command."""
    app([*([command] if command else []), "--help"], prog_name="lab", standalone_mode=False)


@app.command()
def completion(
    shell: Annotated[Literal["bash", "zsh", "fish"], typer.Argument(metavar="SHELL", help="bash, zsh or fish.")],
) -> None:
    """Print the script with which a shell completes this command.

    Bash and zsh: eval "$(lab completion bash)". Fish: lab completion fish | source.
    """
    print(get_completion_script(prog_name="lab", complete_var="_LAB_COMPLETE", shell=shell))
