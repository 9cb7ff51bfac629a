"""`Suite`: which data sets, methods, seeds and folds belong to an experiment, read from TOML.

name = "mine"
description = "Two forests on two data sets"
datasets = ["wine", "bundled"]              # names or groups
seeds = [0, 1]
folds = 5                                   # 0: rank on the whole data set
ks = "standard"                             # or "high-p", or [5, 10]
learners = ["LR", "SVM"]                    # default: all
steps = ["rank", "score"]
score_folds = 3                             # with folds = 0: how the ranking of all rows is scored
timed_runs = 5                              # the least time of so many; default: 1
budget = { seconds = 600, memory_gb = 8 }
methods = [
"RF",                                     # its selected configuration
{ method = ["CIT", "CIF"], config = "all" },  # or a name, a list, "selected+no_mute"
{ method = "CIF", name = "large", parameters = { n_estimators = 500 } },
]
"""

import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from importlib import resources
from pathlib import Path
from typing import Any

from inforest_study import datasets, methods, revision
from inforest_study.dataset import DatasetInfo, Task
from inforest_study.job import STEPS, Job, Options
from inforest_study.method import Method, one_of
from inforest_study.protocol import LEARNERS
from inforest_study.work import Budget

_FOLDER = resources.files("inforest_study") / "suites"


@dataclass(frozen=True)
class Entry:
    """A method of a suite, with the configurations it runs in.

    Attributes
    ----------
    method : str
        The method's name; "all" stands for every method.
    config : tuple of str
        Names of configurations; "selected", "selected-synthetic" and "all" stand for some. A
        variant may follow: "selected+no_mute". What a task does not have is left out there.
    name : str or None
        What the configuration is called if `parameters` change it.
    parameters : mapping
        Values on top of the configuration's.

    """

    method: str
    config: tuple[str, ...] = ("selected",)
    name: str | None = None
    parameters: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True)
class Suite:
    """An experiment.

    Attributes
    ----------
    name, description : str
        What it is called and what it is for.
    datasets : tuple of str
        Names of data sets or of groups of them.
    methods : tuple of Entry
        The methods and their configurations.
    seeds : tuple of int
        Seeds of the folds, or of the methods if there are no folds.
    options : Options
        Folds, scaling, k and learners.
    regenerate : bool
        Whether generated data sets are made anew with every seed.
    budget : Budget
        What one step of a job may take.

    Examples
    --------
    >>> from inforest_study.suite import read
    >>> suite = read("smoke")
    >>> suite.narrow(methods=["RF"], datasets=["iris"]).jobs()[0].key
    'iris/RF/default/seed0/fold0'

    """

    name: str
    description: str
    datasets: tuple[str, ...]
    methods: tuple[Entry, ...]
    seeds: tuple[int, ...] = (0,)
    options: Options = field(default_factory=Options)
    regenerate: bool = False
    budget: Budget = field(default_factory=Budget)

    def jobs(self) -> list[Job]:
        """Return all jobs: data set by data set, small ones first, and cheap methods first."""
        jobs: dict[Job, Job] = {}  # a configuration may be asked for twice
        infos = sorted(self._infos(), key=lambda info: info.n_samples * info.n_features)
        entries = list(self._entries())
        for info in infos:
            configured = [one for entry in entries for one in _configured(entry, info.task)]
            configured.sort(key=lambda one: cost(one[0], info) or 0.0)
            for method, config, parameters in configured:
                for seed in self.seeds:
                    data = self._member(info, seed)
                    for fold in range(self.options.folds) if self.options.folds else [None]:
                        job = Job(
                            data.name,
                            method.name,
                            config,
                            seed,
                            fold,
                            info.task,
                            parameters,
                            self.options,
                            data.checksum,
                            revision.current(method.name, parameters),
                        )
                        first = jobs.setdefault(job, job)
                        if first.rank_digest != job.rank_digest:
                            raise ValueError(
                                f"methods: {job.method} has two configurations called {config!r} "
                                f"with different parameters; give each a name of its own"
                            )
        return list(jobs)

    def narrow(
        self,
        methods: Sequence[str] | None = None,
        datasets: Sequence[str] | None = None,
        seeds: Sequence[int] | None = None,
    ) -> "Suite":
        """Return the part of the suite with some methods, data sets or seeds.

        Parameters
        ----------
        methods, datasets : sequence of str or None, default=None
            Names; None keeps all.
        seeds : sequence of int or None, default=None
            Seeds; None keeps those of the suite.

        """
        suite = self
        if datasets is not None:
            known = [info.name for info in self._infos()]
            wanted = list(_expand(datasets, self._infos()))
            chosen = [one_of(name, known, f"data set of {self.name}") for name in wanted]
            suite = replace(suite, datasets=tuple(chosen))
        if methods is not None:
            entries = list(self._entries())
            names = [entry.method for entry in entries]
            asked = {one_of(name, names, f"method of {self.name}") for name in methods}
            chosen_entries = tuple(entry for entry in entries if entry.method in asked)
            suite = replace(suite, methods=chosen_entries)
        return suite if seeds is None else replace(suite, seeds=tuple(seeds))

    def _infos(self) -> list[DatasetInfo]:
        known = [datasets.info(name) for name in datasets.names()]
        return [datasets.info(name) for name in dict.fromkeys(_expand(self.datasets, known))]

    def _entries(self) -> Iterator[Entry]:
        for entry in self.methods:
            if entry.method == "all":
                yield from (replace(entry, method=name) for name in methods.names())
            else:
                yield entry

    def _member(self, info: DatasetInfo, seed: int) -> DatasetInfo:
        if not self.regenerate:
            return info
        try:
            return datasets.info(f"{info.name}@{seed}")
        except ValueError:  # not generated
            return info


def shard(jobs: Sequence[Job], part: int, parts: int) -> list[Job]:
    """Return one of several parts of the jobs, each of about the same size.

    All seeds and folds of a configuration stay together, and all methods are in every part.

    Parameters
    ----------
    jobs : sequence of Job
        All jobs.
    part : int
        Which part, from 1 on.
    parts : int
        How many parts.

    """
    numbers = {siblings: i for i, siblings in enumerate(dict.fromkeys(j.siblings for j in jobs))}
    return [job for job in jobs if numbers[job.siblings] % parts == part - 1]


def cost(method: Method, info: DatasetInfo) -> float | None:
    """Return a method's own guess of its seconds on a data set; None if it has none."""
    if method.cost_hint is None:
        return None
    return float(method.cost_hint(info.n_samples, info.n_features, info.n_classes))


def names() -> list[str]:
    """Return the names of the suites that come with the package.

    Examples
    --------
    >>> from inforest_study import suite
    >>> "smoke" in suite.names()
    True

    """
    found = (Path(str(file)) for file in _FOLDER.iterdir())
    return sorted(file.stem for file in found if file.suffix == ".toml")


def read(name: str) -> Suite:
    """Read a suite.

    Parameters
    ----------
    name : str
        One of `names()`, or the path of a TOML file.

    Returns
    -------
    suite : Suite
        Its names are checked when its jobs are made.

    """
    if name.endswith(".toml"):
        path = Path(name)
        if not path.is_file():
            raise ValueError(f"there is no file {name}")
        text = path.read_text(encoding="utf-8")
    else:
        known = names()
        text = (_FOLDER / f"{one_of(name, known, 'suite')}.toml").read_text(encoding="utf-8")
    try:
        return parse(tomllib.loads(text))
    except (ValueError, TypeError) as error:  # TOMLDecodeError is a ValueError
        raise ValueError(f"suite {name}: {error}") from error


_OPTIONS = ("folds", "scale", "ks", "learners", "steps", "score_folds", "timed_runs")
_KEYS = ("name", "description", "datasets", "methods", "seeds", "regenerate", "budget", *_OPTIONS)


def parse(table: Mapping[str, Any]) -> Suite:
    """Make a suite of what a TOML file says."""
    for key in table:
        one_of(key, _KEYS, "key")
    for key in ("name", "datasets", "methods"):
        if key not in table:
            raise ValueError(f"{key!r} is missing")
    return Suite(
        name=_text(table["name"], "name"),
        description=_text(table.get("description", ""), "description"),
        datasets=_strings(table["datasets"], "datasets"),
        methods=_methods(table["methods"]),
        seeds=_counts(table.get("seeds", [0]), "seeds"),
        options=_options(table),
        regenerate=_switch(table.get("regenerate", False), "regenerate"),
        budget=_budget(table.get("budget", {})),
    )


def _methods(values: Any) -> tuple[Entry, ...]:
    if not isinstance(values, list) or not values:
        raise ValueError(f"methods must be a list of names or tables; got {values!r}")
    return tuple(entry for value in values for entry in _entries(value))


def _entries(value: Any) -> Iterator[Entry]:
    if isinstance(value, str):
        value = {"method": value}
    if not isinstance(value, Mapping):
        raise ValueError(f"methods: each must be a name or a table; got {value!r}")
    for key in value:
        one_of(key, [one.name for one in fields(Entry)], "key of a method")
    if "method" not in value:
        raise ValueError(f"methods: 'method' is missing in {value!r}")
    if bool(value.get("parameters")) != ("name" in value):
        raise ValueError(f"methods: 'name' and 'parameters' go together; got {value!r}")
    parameters = value.get("parameters", {})
    if not isinstance(parameters, Mapping):
        raise ValueError(f"methods: 'parameters' must be a table; got {parameters!r}")
    called = None if "name" not in value else _text(value["name"], "methods: 'name'")
    configs = _listed(value.get("config", "selected"), "methods: 'config'")
    for name in _listed(value["method"], "methods: 'method'"):
        yield Entry(name, configs, called, parameters)


def _listed(value: Any, key: str) -> tuple[str, ...]:
    return (value,) if isinstance(value, str) else _strings(value, key)


def _options(table: Mapping[str, Any]) -> Options:
    given: dict[str, Any] = {key: table[key] for key in _OPTIONS if key in table}
    lists = {key: tuple(value) for key, value in given.items() if isinstance(value, list)}
    options = Options(**{**given, **lists})
    if not isinstance(options.folds, int) or options.folds in (1, True) or options.folds < 0:
        raise ValueError(f"folds must be 0 or at least 2; got {options.folds!r}")
    _switch(options.scale, "scale")
    if isinstance(options.ks, str):
        one_of(options.ks, ("standard", "high-p"), "ks")
    else:
        _counts(options.ks, "ks", least=1)
    for step in _strings(options.steps, "steps"):
        one_of(step, STEPS, "step")
    for learner in () if options.learners is None else _strings(options.learners, "learners"):
        one_of(learner, [name for known in LEARNERS.values() for name in known], "learner")
    for name, least in (("score_folds", 0), ("timed_runs", 1)):
        number = getattr(options, name)
        if type(number) is not int or number < least or (name, number) == ("score_folds", 1):
            raise ValueError(
                f"{name} must be a whole number of at least {least or '2, or 0'}; got {number!r}"
            )
    if options.folds and options.score_folds:
        raise ValueError("score_folds is for rankings of whole data sets; set folds = 0")
    if options.folds == 0 and options.score_folds == 0 and "score" in options.steps:
        raise ValueError(
            "folds = 0 leaves no rows to score on; set steps = ['rank'], or score_folds"
        )
    return options


def _budget(table: Any) -> Budget:
    if not isinstance(table, Mapping):
        raise ValueError(f"budget must be a table, like {{ seconds = 600 }}; got {table!r}")
    for key in table:
        one_of(key, [one.name for one in fields(Budget)], "key of budget")
    budget = Budget(**table)
    _switch(budget.every_fold, "budget: every_fold")
    return budget


def _text(value: Any, key: str) -> str:
    if not isinstance(value, str):
        raise ValueError(f"{key} must be text; got {value!r}")
    return value


def _switch(value: Any, key: str) -> bool:
    if not isinstance(value, bool):
        raise ValueError(f"{key} must be true or false; got {value!r}")
    return value


def _strings(values: Any, key: str) -> tuple[str, ...]:
    is_list = isinstance(values, list | tuple) and len(values) > 0
    if not is_list or not all(isinstance(value, str) for value in values):
        raise ValueError(f"{key} must be a list of names; got {values!r}")
    return tuple(values)


def _counts(values: Any, key: str, least: int = 0) -> tuple[int, ...]:
    is_list = isinstance(values, list | tuple) and len(values) > 0
    if not is_list or not all(type(number) is int and number >= least for number in values):
        raise ValueError(
            f"{key} must be a list of whole numbers of at least {least}; got {values!r}"
        )
    return tuple(values)


def _expand(names: Iterable[str], infos: Iterable[DatasetInfo]) -> Iterator[str]:
    """Put the names of a group's data sets in its place."""
    known = list(infos)
    for name in names:
        group = [info.name for info in known if info.group == name]
        yield from group or [name]


def _configured(entry: Entry, task: Task) -> Iterator[tuple[Method, str, Mapping[str, object]]]:
    """Yield a method with the names and parameters of the configurations that an entry asks for."""
    method = methods.get(entry.method)
    if task not in method.tasks:
        return
    for wanted in entry.config:
        for config in _configs(method, task, wanted):
            parameters = dict(method.parameters(task, config)) | dict(entry.parameters)
            yield method, entry.name or config, parameters


def _configs(method: Method, task: Task, wanted: str) -> list[str]:
    """Return the names that a configuration's name or nickname stands for."""
    first, plus, variants = wanted.partition("+")
    selected = method.selected[task]
    if first == "all":
        names = list(method.configs[task])
    elif first == "selected":
        names = [selected]
    elif first == "selected-synthetic":
        names = [method.selected_synthetic.get(task, selected)]
    elif first in method.configs[task]:
        names = [first]
    elif any(first in configs for configs in method.configs.values()):
        names = []  # of the other task
    elif first in method.variants:
        return [f"{selected}+{wanted}"]
    else:
        known = [*method.configs[task], *method.variants, "selected", "selected-synthetic", "all"]
        one_of(first, known, f"{method.name} configuration")
    return [f"{name}{plus}{variants}" for name in names]
