"""The command `inforest bench`: options in, library calls out. Nothing is computed here."""

import logging
import os
import signal
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from inforest_study.errors import INTERRUPTED, NOT_ALL_DONE, notice, one_line_errors, printable
from inforest_study.report_command import report
from inforest_study.show_command import show

if TYPE_CHECKING:
    from inforest_study.job import Job
    from inforest_study.run import Engine, Progress
    from inforest_study.store import Store
    from inforest_study.suite import Suite

app = typer.Typer(
    help="Run the study: data sets, methods and the protocol that compares them.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)


class Retry(StrEnum):
    """Jobs without a result that can be tried again."""

    failed = "failed"
    over_budget = "over-budget"
    skipped = "skipped"


SuiteName = Annotated[str, typer.Argument(help="Name of a suite, or a TOML file.", metavar="SUITE")]
StoreFolder = Annotated[Path, typer.Option("--store", help="Folder of results.")]
DataFolder = Annotated[
    Path | None, typer.Option("--data", help="Folder of local data sets; else INFOREST_DATA.")
]
Methods = Annotated[
    list[str] | None, typer.Option("--methods", help="Only these; repeat, or separate by commas.")
]
Datasets = Annotated[
    list[str] | None, typer.Option("--datasets", help="Only these, or groups of them.")
]
Seeds = Annotated[list[str] | None, typer.Option("--seeds", help="Only these: 0,1,2 or 0-4.")]
Shard = Annotated[
    str | None, typer.Option("--shard", help="Part i/n of the jobs, such as 1/4.", metavar="I/N")
]
RetryOption = Annotated[
    list[Retry] | None, typer.Option("--retry", help="Try these jobs again; repeatable.")
]
Plugins = Annotated[
    list[Path] | None,
    typer.Option("--plugins", help="Folder of further methods and data sets; repeatable."),
]
_STORE = Path("bench-results")


@app.callback()
def main() -> None:
    """Run the study: data sets, methods and the protocol that compares them."""


@app.command("list")
def list_all(plugins: Plugins = None) -> None:
    """Show all suites, methods and data sets."""
    with one_line_errors():
        _load_plugins(plugins)
        from inforest_study import datasets, methods, suite
        from inforest_study.dataset import TASKS
        from inforest_study.plan import unavailability

        _print(
            "suites",
            ["name", "jobs", "description"],
            [
                [one.name, str(len(one.jobs())), one.description]
                for one in map(suite.read, suite.names())
            ],
        )
        _print(
            "methods",
            ["name", *TASKS, "not available"],
            [
                [
                    name,
                    *(", ".join(methods.get(name).configs.get(task, [])) for task in TASKS),
                    unavailability(name),
                ]
                for name in methods.names()
            ],
        )
        infos = [datasets.info(name) for name in datasets.names()]
        _print(
            "data sets",
            ["name", "group", "task", "samples", "features", "classes"],
            [
                [
                    info.name,
                    info.group,
                    info.task,
                    str(info.n_samples),
                    str(info.n_features),
                    "" if info.n_classes is None else str(info.n_classes),
                ]
                for info in infos
            ],
        )


@app.command("plan")
def show_plan(
    suite: SuiteName,
    store: StoreFolder = _STORE,
    data: DataFolder = None,
    methods: Methods = None,
    datasets: Datasets = None,
    seeds: Seeds = None,
    shard: Shard = None,
    retry: RetryOption = None,
    plugins: Plugins = None,
) -> None:
    """Show what `run` would do and about how long it would take. Runs nothing."""
    with one_line_errors():
        _load_plugins(plugins)
        from inforest_study.display import duration
        from inforest_study.plan import plan
        from inforest_study.store import Store

        _, jobs = _jobs(suite, methods, datasets, seeds, shard)
        results = Store(store)
        planned = plan(jobs, results, data, frozenset(one.value for one in retry or []))
        n = len(planned.datasets)
        _print(
            f"{suite}: {planned.todo} of {planned.jobs} jobs to do on {n} data sets",
            ["method", "jobs", "to do", "time on one core", ""],
            [
                [
                    one.method,
                    str(one.jobs),
                    str(one.todo),
                    "" if one.unavailable else duration(one.seconds),
                    one.unavailable
                    or ", ".join(
                        words
                        for n, words in [
                            (one.guessed, f"{one.guessed} guessed"),
                            (one.unknown, f"{one.unknown} unknown"),
                        ]
                        if n
                    ),
                ]
                for one in planned.methods
            ],
        )
        typer.echo(
            f"about {duration(planned.seconds)} on one core, without scoring if none is stored"
        )
        for name, source in planned.absent.items():
            typer.echo(f"{name} is in no local folder and would be got from: {source}")
        _report_damage(results)


@app.command("run")
def run_suite(
    suite: SuiteName,
    store: StoreFolder = _STORE,
    data: DataFolder = None,
    jobs: Annotated[
        int | None, typer.Option("--jobs", min=1, help="Processes; default: all cores.")
    ] = None,
    methods: Methods = None,
    datasets: Datasets = None,
    seeds: Seeds = None,
    shard: Shard = None,
    scheduler: Annotated[
        str | None, typer.Option(help="Address of a Dask scheduler to run on.", metavar="ADDRESS")
    ] = None,
    budget: Annotated[
        float | None,
        typer.Option(
            help="Seconds that a step may take, instead of the suite's.", metavar="SECONDS"
        ),
    ] = None,
    retry: RetryOption = None,
    plugins: Plugins = None,
) -> None:
    """Do all jobs of a suite that have no result yet.

    End it whenever you like; the same command goes on where it was. Several may work on one store.
    Exit code 3: some jobs failed, or the store cannot be written.
    """
    with one_line_errors():
        folders = _load_plugins(plugins)
        from inforest_study.display import display, summary
        from inforest_study.run import Settings, run
        from inforest_study.status import has_failures
        from inforest_study.store import Store

        _check_data(data)
        chosen, todo = _jobs(suite, methods, datasets, seeds, shard)
        results = Store(store)
        settings = Settings(
            chosen.budget if budget is None else replace(chosen.budget, seconds=budget),
            frozenset(one.value for one in retry or []),
            None if data is None else data.resolve(),
            folders,
        )
        _stop_politely()
        try:
            with display() as show:
                told = _tell_warnings(show)
                progress = run(todo, results, _engine(jobs, scheduler), settings, told)
        except KeyboardInterrupt:
            typer.echo("stopped; run the same command again to go on", err=True)
            raise typer.Exit(INTERRUPTED) from None
        for line in results.complaints():
            notice(line)
        typer.echo(summary(progress) if progress.total else "nothing to do: all jobs have ended")
        if progress.elsewhere:
            typer.echo("other runners have the rest; `inforest bench status` shows them")
        if has_failures(results, todo):
            typer.echo(
                "some jobs failed; `inforest bench status` says why, --retry failed tries again",
                err=True,
            )
            raise typer.Exit(NOT_ALL_DONE)


@app.command("status")
def show_status(
    suite: Annotated[
        str | None, typer.Argument(help="Name of a suite, or a TOML file; default: all results.")
    ] = None,
    store: StoreFolder = _STORE,
    plugins: Plugins = None,
) -> None:
    """Show what a store holds, what is being done, and what went wrong."""
    with one_line_errors():
        _load_plugins(plugins)
        from inforest_study.status import COLUMNS, status

        results = _existing(store)
        jobs = None if suite is None else _jobs(suite)[1]
        found = status(results, jobs)
        columns = COLUMNS if suite is not None else COLUMNS[:-1]
        _print(
            f"{store}" if suite is None else f"{suite} in {store}",
            ["method", "step", *columns],
            [
                [method, step, *(str(count[column]) for column in columns)]
                for (method, step), count in sorted(found.counts.items())
            ],
        )
        _report_revisions(found.revisions)
        for key, owner in found.working:
            typer.echo(
                f"running: {printable(key)} (process {owner.pid} on {owner.host.split()[0]})"
            )
        for reason, method, n in found.reasons:
            typer.echo(printable(f"{method}: {n} x {reason}"))
        _report_other_data(found.other_data)
        _report_damage(results)


@app.command("export")
def export_tables(
    out: Annotated[Path, typer.Option(help="Scores, as .parquet or .csv.")],
    runs: Annotated[
        Path | None, typer.Option(help="How each step ended and what it took, too.")
    ] = None,
    suite: Annotated[str | None, typer.Option(help="Only this suite's results.")] = None,
    store: StoreFolder = _STORE,
    plugins: Plugins = None,
) -> None:
    """Gather the results of a store in one table."""
    with one_line_errors():
        _load_plugins(plugins)
        from inforest_study import export

        results = _existing(store)
        jobs = None if suite is None else _jobs(suite)[1]
        table = export.scores(results, jobs)
        export.write_table(table, out)
        typer.echo(f"{table.num_rows} scores in {out}")
        if runs is not None:
            table = export.runs(results, jobs)
            export.write_table(table, runs)
            typer.echo(f"{table.num_rows} runs in {runs}")
        _report_other_data(export.other_data(results, jobs))
        _report_damage(results)


def _jobs(
    name: str,
    methods: list[str] | None = None,
    datasets: list[str] | None = None,
    seeds: list[str] | None = None,
    part: str | None = None,
) -> "tuple[Suite, list[Job]]":
    """Return a suite and those of its jobs that the options ask for."""
    from inforest_study.suite import read, shard

    numbers = None if seeds is None else [n for text in _split(seeds) for n in _range(text)]
    if seeds is not None and not numbers:
        raise ValueError(f"--seeds must name a seed, like 0,1,2 or 0-4; got {', '.join(seeds)!r}")
    suite = read(name).narrow(_names("--methods", methods), _names("--datasets", datasets), numbers)
    jobs = suite.jobs()
    return suite, jobs if part is None else shard(jobs, *_part(part))


def _check_data(data: Path | None) -> None:
    """Refuse a folder that is not there, before it becomes a failed row for every job."""
    folder = data or os.environ.get("INFOREST_DATA")
    if folder and not Path(folder).is_dir():
        name = "--data" if data else "INFOREST_DATA"
        raise ValueError(f"{name} must be a folder of data sets; there is none called {folder}")


def _existing(store: Path) -> "Store":
    """Return a store to look at; a folder that is not there is a slip, not an empty store."""
    from inforest_study.store import Store

    if not store.is_dir():
        raise ValueError(f"--store must be a folder of results; there is none called {store}")
    return Store(store)


def _names(option: str, values: list[str] | None) -> list[str] | None:
    if values is None:
        return None
    names = _split(values)
    if not names:
        raise ValueError(f"{option} must name something; got {', '.join(values)!r}")
    return names


def _split(values: Sequence[str]) -> list[str]:
    return [name.strip() for value in values for name in value.split(",") if name.strip()]


def _range(text: str) -> list[int]:
    first, dash, last = text.partition("-")
    try:
        return list(range(int(first), int(last if dash else first) + 1))
    except ValueError:
        raise ValueError(f"--seeds must be like 0,1,2 or 0-4; got {text!r}") from None


def _part(text: str) -> tuple[int, int]:
    part, _, parts = text.partition("/")
    if not (part.isdecimal() and parts.isdecimal() and 1 <= int(part) <= int(parts)):
        raise ValueError(f"--shard must be i/n with 1 <= i <= n, such as 1/4; got {text!r}")
    return int(part), int(parts)


def _engine(jobs: int | None, scheduler: str | None) -> "Engine":
    if scheduler is not None:
        if jobs is not None:
            raise ValueError("--jobs is for this machine; --scheduler's workers decide themselves")
        from inforest_study.cluster import Cluster

        cluster = Cluster(scheduler)
        for name in ("distributed", "distributed.client"):  # a lost scheduler is told in one line
            logging.getLogger(name).setLevel(logging.CRITICAL)
        return cluster
    from joblib import cpu_count

    from inforest_study.run import Pool

    return Pool(jobs or cpu_count())


def _load_plugins(folders: list[Path] | None) -> tuple[Path, ...]:
    from inforest_study.plugins import folders_from_environment
    from inforest_study.work import load_plugins

    found = tuple(folder.resolve() for folder in (*(folders or []), *folders_from_environment()))
    load_plugins(found)
    return found


def _stop_politely() -> None:
    """Take a batch system's request to end as Ctrl-C."""

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    signal.signal(signal.SIGTERM, interrupt)


def _tell_warnings(show: "Callable[[Progress], None]") -> "Callable[[Progress], None]":
    """Print each warning about a data set as soon as it is known, besides what is shown."""
    n_told = 0

    def tell_and_show(progress: "Progress") -> None:
        nonlocal n_told
        for warning in progress.warnings[n_told:]:
            notice(warning)
        n_told = len(progress.warnings)
        show(progress)

    return tell_and_show


def _report_revisions(counts: Mapping[tuple[str, int], int]) -> None:
    """Tell which revisions of our engine have made the rankings of a store."""
    import inforest

    now = inforest.engine_revision
    for (method, revision), n in sorted(counts.items()):
        older = f", which is {now} now: `run` ranks anew" if revision < now else ""
        typer.echo(f"{method}: {n} x ranked by engine revision {revision}{older}")


def _report_other_data(names: Sequence[str]) -> None:
    for name in names:
        notice(f"results on {name} are of data that differ from the study's copy")


def _report_damage(store: "Store") -> None:
    """Tell what is wrong with files; end with a code of its own if some could not be read."""
    for line in store.complaints():
        notice(line)
    if store.unreadable:
        raise typer.Exit(NOT_ALL_DONE)


def _print(title: str, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print a table: drawn on a terminal, columns separated by tabs otherwise."""
    if not sys.stdout.isatty():
        typer.echo(f"# {title}")
        for row in [columns, *rows]:
            typer.echo("\t".join(row))
        return
    from rich.console import Console
    from rich.table import Table

    table: Any = Table(title=title, title_justify="left")
    for column in columns:
        table.add_column(column)
    for row in rows:
        table.add_row(*row)
    Console().print(table)


app.command("report")(report)
app.command("show")(show)
