"""The tables of docs/ranking.md: how good our default ranking is, from results of `inforest bench`.

`--real` holds results of the suites ranking-tuned and ranking-held-out (and paper-lite, for the
other methods), `--fresh` those of ranking-fresh: a store, or a folder of compact results.
"""

import argparse

from inforest.ranking.ranker import N_TREES
from inforest_study import datasets, methods
from inforest_study.protocol import STANDARD_K
from inforest_study.study import Study
from inforest_study.suite import read
from inforest_study.summary.cells import cell_means, standard
from inforest_study.summary.comparisons import (
    bootstrap_first,
    bootstrap_interval,
    complete_case,
)
from inforest_study.summary.ranks import dataset_ranks, mean_ranks
from inforest_study.summary.recovery import recovery, recovery_means

OURS = "inforest"
HALVES = {"tuned": "ranking-tuned", "held out": "ranking-held-out"}
#: Methods without which there is nothing to compare.
CORE = [OURS, "CIF", "RF", "ExtraTrees", "LightGBM", "XGBoost"]
#: Configurations of the suite partykit; the selected ones take minutes on a few hundred rows.
QUICK = {"ctree": "bonferroni", "cforest": "bonferroni-replace"}
CORE_OF_RECOVERY = [OURS, "RF", "ExtraTrees", "LightGBM"]


def labelled(frame):
    """Name each method by its selected configuration, or with the variants on top of it."""
    parts = frame["config"].str.split("+", n=1).str
    variants = parts[1].fillna("")
    is_selected = [
        base == QUICK[method.name]
        if method.name in QUICK
        else base in (method.selected[task], method.selected_synthetic.get(task))
        for method, task, base in zip(
            map(methods.get, frame["method"]), frame["task"], parts[0], strict=True
        )
    ]
    names = frame["method"].where(variants == "", frame["method"] + " " + variants)
    return frame.assign(method=names)[is_selected]


def table(rows, columns):
    lines = ["| " + " | ".join(columns) + " |", "|" + " --- |" * len(columns)]
    return "\n".join(lines + ["| " + " | ".join(map(str, row)) + " |" for row in rows]) + "\n"


def common(cells, wanted):
    """Keep the data sets that all wanted methods have, and the methods that have all of these."""
    there = cells.groupby("dataset")["method"].agg(set)
    names = [name for name, found in there.items() if set(wanted) <= found]
    cells = cells[cells["dataset"].isin(names)]
    counts = cells.groupby("method")["dataset"].nunique()
    return cells[cells["method"].isin(counts.index[counts == len(names)])]


def main_comparison(cells, task, half):
    """Print mean ranks of all methods on the data sets of one half."""
    plain = cells[cells["method"].isin(methods.names())]
    print_ranks(common(plain, CORE), f"{half}, {task}")
    for name in ("CatBoost", "ctree", "cforest", "Boruta", "RF-RFE"):
        print_ranks(common(plain, [*CORE, name]), f"{half}, {task}, where {name} has results")


def print_ranks(cells, title):
    ranks = dataset_ranks(cells)
    if ranks.empty or OURS not in set(ranks["method"]):
        print(f"### {title}: nothing to compare\n")
        return
    means = mean_ranks(cells)
    own = ranks[ranks["method"] == OURS]["rank"].to_numpy()
    low, high = bootstrap_interval(own)
    first = bootstrap_first(ranks, OURS)
    print(
        f"### {title}: {len(own)} data sets, {len(means)} methods\n\n"
        f"Ours: mean rank {own.mean():.2f}, 95 % interval over data sets [{low:.2f}, {high:.2f}]; "
        f"first in {first:.0%} of redrawn panels.\n"
    )
    rows = [
        (f"{r.position:g}", r.method, f"{r.mean_rank:.2f}", f"{r.mean_score:.4f}")
        for r in means.itertuples()
    ]
    print(table(rows, ["place", "method", "mean rank", "mean score"]))


def controls(cells, task, half):
    """Print the same with and without re-ranking, and the gate."""
    variants = [f"{OURS} not_reranked", f"{OURS} no_gate"]
    wanted = [*variants, *(one for name in CORE for one in (name, f"{name} reranked"))]
    some = common(cells[cells["method"].isin(wanted)], [*CORE, *variants])
    print_ranks(some, f"{half}, {task}, controls")
    against = complete_case(some, OURS)
    rows = [
        (
            r.comparator,
            f"{r.mean_difference:+.4f}",
            f"[{r.low:+.4f}, {r.high:+.4f}]",
            f"{r.median_difference:+.4f}",
            f"{r.wins}-{r.losses}",
        )
        for r in against.itertuples()
    ]
    print(table(rows, ["ours minus", "mean", "95 % interval", "median", "won-lost"]))


def fresh_recovery(study):
    """Print the recovery of informative features on fresh draws of the designs."""
    rankings = labelled(study.rankings)
    kinds = {name: datasets.load(name, None).kinds for name in rankings["dataset"].unique()}
    for task, some in rankings.groupby("task"):
        print_recovery(common(some, CORE_OF_RECOVERY), kinds, task)
        for name in ("CatBoost", "Boruta"):
            has_results = common(some, [*CORE_OF_RECOVERY, name])
            print_recovery(has_results, kinds, f"{task}, where {name} has results")


def print_recovery(rankings, kinds, title):
    names = rankings["dataset"].unique()
    if not len(names):
        return
    found = recovery(rankings, kinds).assign(config="")
    means = recovery_means(found).sort_values("mean", ascending=False)
    n_designs = len({name.split("@")[0] for name in names})
    print(f"### recovery, {title}: {len(names)} draws of {n_designs} designs\n")
    rows = [
        (
            place,
            r.method,
            f"{r.mean:.4f}",
            f"{r.top_1:.2f}",
            f"{r.precision_at_5:.3f}",
            f"{r.precision_at_10:.3f}",
        )
        for place, r in enumerate(means.itertuples(), start=1)
    ]
    print(table(rows, ["place", "method", "mean precision", "first", "of 5", "of 10"]))
    print(table(paired(found), ["ours minus", "mean precision", "standard error"]))


def paired(found):
    """Yield the mean difference of precision on the same draws, and its error within designs.

    All designs share one variance, because a design may have a single draw.
    """
    wide = found[found["k"].isin(STANDARD_K)].pivot_table(
        index="dataset", columns="method", values="precision"
    )
    design = wide.index.str.split("@").str[0]
    for method in wide.columns.drop(OURS):
        by = (wide[OURS] - wide[method]).groupby(design)
        free = by.size() - 1
        variance = (by.var().fillna(0) * free).sum() / free.sum()
        error = (variance * (1 / by.size()).sum()) ** 0.5 / by.ngroups
        yield method, f"{by.mean().mean():+.4f}", f"{error:.4f}"


def cost(study):
    """Print our time beside that of RF, scaled to as many trees."""
    runs = labelled(study.runs.query("step == 'rank' and status == 'done'"))
    real = [name for suite in HALVES.values() for name in read(suite).datasets]
    runs = runs[runs["dataset"].isin(real)]
    seconds = runs.pivot_table(index="dataset", columns="method", values="cpu_seconds")
    both = seconds[[OURS, "RF"]].dropna()
    rf = methods.get("RF")
    n_trees = rf.configs["classification"][rf.selected["classification"]]["n_estimators"]
    ratio = both[OURS] / (both["RF"] * N_TREES / n_trees)
    print(f"### cost: CPU time against RF with as many trees, {len(ratio)} data sets\n")
    print(f"median {ratio.median():.2f}, largest {ratio.max():.2f} ({ratio.idxmax()})\n")
    rows = [(name, f"{both.loc[name, OURS]:.2f}", f"{r:.2f}") for name, r in ratio.items()]
    print(table(rows, ["data set", "seconds", "times RF"]))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--real")
    parser.add_argument("--fresh")
    options = parser.parse_args()
    if options.real:
        study = Study.read(options.real)
        scores = labelled(study.scores)
        cells = standard(cell_means(scores.assign(config="")))
        for half, suite in HALVES.items():
            names = set(read(suite).datasets)
            for task in ("classification", "regression"):
                part = cells[(cells["task"] == task) & cells["dataset"].isin(names)]
                main_comparison(part, task, half)
                controls(part, task, half)
        cost(study)
    if options.fresh:
        fresh_recovery(Study.read(options.fresh))


if __name__ == "__main__":
    main()
