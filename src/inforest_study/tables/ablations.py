"""One change at a time: what each idea of CIT and CIF costs, saves, and does to rankings."""

import numpy as np
import pandas as pd

from inforest_study import published
from inforest_study.analysis import FOCUS, Analysis, kinds, real
from inforest_study.panel import one_protocol
from inforest_study.protocol import STANDARD_K
from inforest_study.summary.ablation import changes, time_ratios
from inforest_study.summary.cells import CELL, cell_means, standard
from inforest_study.summary.recovery import precision
from inforest_study.table import Column, Table
from inforest_study.tables.words import beside, counted

#: What variants are called here -> in the paper's archive.
_CIT = {
    "default": "cit_default",
    "no_adaptive": "cit_no_adaptive",
    "no_scan": "cit_no_feature_scan",
    "no_threshold_scan": "cit_no_threshold_scan",
    "no_mute": "cit_no_feature_mute",
    "exact": "cit_exact_thresholds",
    "no_bonferroni": "cit_no_bonferroni",
}
_NO_FITS = (
    "There are no fits of whole data sets of {method}: `inforest bench run ablation-runtime`."
)
_GROUP = ["task", "group"]


def cit_runtime(analysis: Analysis) -> Table:
    """Compare CIT's variants: time, and F1 of the first 10 features on synthetic data."""
    fits = analysis.ablation_fits
    fits = fits[fits["method"] == "CIT"]
    columns = _runtime_columns() + [
        Column("f1_change", "change of F1", "+.4f", "of the first 10, synthetic data", "ours"),
        Column("paper_f1_change", "paper's F1", "+.4f", "", "published"),
        Column("depth", "depth", ".1f", "mean", "ours"),
        Column("paper_depth", "paper's depth", ".1f", "", "published"),
        Column("features_used", "features", ".1f", "used by a tree", "ours"),
        Column("paper_features_used", "paper's features", ".1f", "", "published"),
    ]
    if fits.empty:
        return _empty("cit-runtime", "CIT", columns)
    table = time_ratios(fits, "default")
    table = table.merge(_means(fits, "f1_change", _f1_changes(fits)), how="left")
    paper = published.table("cit_runtime_ablation")
    names = {theirs: ours for ours, theirs in _CIT.items()}
    paper = paper.replace({"variant": names})
    return _runtime_table("cit-runtime", "CIT", columns, table, paper, fits["dataset"].nunique())


def cif_runtime(analysis: Analysis) -> Table:
    """Compare CIF's variants: time, and precision of the ranking on synthetic data."""
    fits = analysis.ablation_fits
    fits = fits[fits["method"].isin([FOCUS, "RF", "ExtraTrees", "CIT"])]
    # The others stand beside the forest's variants as they are.
    is_other = fits["method"] != FOCUS
    fits = fits[~is_other | (fits["variant"] == "default")]
    fits = fits.assign(variant=np.where(fits["method"] == FOCUS, fits["variant"], fits["method"]))
    columns = _runtime_columns() + [
        Column(
            "score_change",
            "score change",
            "+.4f",
            "changed minus default: learners over standard k; thresholds: the first 10 features",
            "ours",
        ),
        Column("paper_score_change", "paper's change", "+.4f", "", "published"),
        Column("precision", "precision", ".3f", "mean over standard k, synthetic data", "ours"),
        Column("paper_precision", "paper's precision", ".3f", "", "published"),
        Column("depth", "depth", ".1f", "mean", "ours"),
        Column("paper_depth", "paper's depth", ".1f", "", "published"),
        Column("features_used", "features", ".1f", "used by a tree", "ours"),
        Column("paper_features_used", "paper's features", ".1f", "", "published"),
        Column("splits", "splits", ".1f", "of a tree", "ours"),
        Column("draws_a", "draws A", ".2f", "permutations of Stage A; 1 is the default", "ours"),
        Column("draws_b", "draws B", ".2f", "permutations of Stage B; 1 is the default", "ours"),
    ]
    if fits.empty or is_other.all():
        return _empty("cif-runtime", FOCUS, columns)
    by = [*_GROUP, "dataset", "variant"]
    of_datasets = fits.groupby(by, as_index=False)["seconds"].mean().assign(seed=0)
    table = time_ratios(of_datasets, "default")
    table = table.merge(_means(fits, "precision", _precisions(fits, STANDARD_K)), how="left")
    table = table.merge(_mean_by_variant(fits, "score_change", _score_changes(fits)), how="left")
    table = table.merge(_mean_by_variant(fits, "splits", fits["splits"]), how="left")
    for draws in ("draws_a", "draws_b"):
        work = time_ratios(fits.assign(seconds=fits[draws]), "default")
        medians = work[[*_GROUP, "variant", "median"]].rename(columns={"median": draws})
        table = table.merge(medians, how="left")
    n = fits["dataset"].nunique()
    return _runtime_table("cif-runtime", FOCUS, columns, table, _paper_cif(), n)


def _paper_cif() -> pd.DataFrame:
    """Return the archive's two tables of CIF as one, under our names."""
    knobs = published.table("cif_runtime_ablation").rename(
        columns={"max_depth": "depth", "features_per_tree": "features_used"}
    )
    plain = {"rf": "RF", "et": "ExtraTrees", "cit": "CIT"}
    knobs["variant"] = [plain.get(name, name.removeprefix("cif_")) for name in knobs["variant"]]
    knobs = _with_change(knobs, "default")
    thresholds = published.table("threshold_ablation")
    thresholds["variant"] = thresholds["variant"].replace({"exact_all": "exact"})
    thresholds = _with_change(thresholds, "histogram_256")
    # Its precision is that of the first 10 features only, which is another quantity.
    thresholds = thresholds[~thresholds["variant"].isin([*plain, "histogram_256"])]
    kept = ["task", "group", "variant", "time_ratio", "score_change"]
    return pd.concat([knobs, thresholds[kept]])


def _with_change(table: pd.DataFrame, default: str) -> pd.DataFrame:
    """Add the difference of each mean downstream score from the default's."""
    base = table[table["variant"] == default].set_index(_GROUP)["downstream"].rename("base")
    joined = table.join(base, on=_GROUP)
    return joined.assign(score_change=joined["downstream"] - joined["base"])


def _runtime_columns() -> list[Column]:
    return [
        Column("task", "task"),
        Column("group", "data"),
        Column("variant", "changed"),
        Column("median", "time ratio", ".2f", "median over pairs; 1 is the default", "ours"),
        Column("p25", "quarter", ".2f", "a quarter of the ratios is below", "ours"),
        Column("p75", "three quarters", ".2f", "three quarters are below", "ours"),
        Column("paper_time_ratio", "paper's ratio", ".2f", "", "published"),
        Column("factor", "ours / paper's", ".2f", "quotient of the ratios", "difference"),
        Column("n", "pairs", "g", "of a data set, or of a data set and a seed"),
    ]


def _runtime_table(
    key: str,
    method: str,
    columns: list[Column],
    table: pd.DataFrame,
    paper: pd.DataFrame,
    n_datasets: int,
) -> Table:
    by = [*_GROUP, "variant"]
    paper = paper.rename(columns=lambda name: name if name in by else f"paper_{name}")
    table = beside(table, paper, by)
    table["factor"] = table["median"] / table["paper_time_ratio"]
    table = table.reindex(columns=[column.key for column in columns])
    found = table.groupby(_GROUP).size()
    absent = [
        f"{task} {group}"
        for task in ("classification", "regression")
        for group in ("real", "synthetic")
        if (task, group) not in found.index
    ]
    return Table.from_frame(
        key,
        f"{method}: one thing changed at a time, time and ranking",
        columns,
        table,
        note=(
            f"Fits of {n_datasets} data sets, each as a whole; times are divided by those of the"
            " default on the same data. The paper's code has slow and fast paths that its switches"
            " choose between, so its ratios measure the program as well as the idea; ours measure"
            " this program."
        ),
        missing=f"No fits on {', '.join(absent)} data." if absent else "",
        source=(
            "runs: task == '{task}' and fold.isna() and step == 'rank', of the change '{variant}'"
        ),
    )


def _score_changes(fits: pd.DataFrame) -> pd.Series:
    """Return each fit's mean score minus that of the default on the same data and seed."""
    is_threshold = fits["variant"].isin(["exact"]) | fits["variant"].str.startswith("histogram")
    pair = ["task", "member", "seed"]
    base = fits[fits["variant"] == "default"].set_index(pair)[["score", "score_10"]]
    joined = fits[pair].join(base, on=pair)
    change = fits[["score", "score_10"]] - joined[["score", "score_10"]]
    return change["score_10"].where(is_threshold, change["score"])


def _mean_by_variant(fits: pd.DataFrame, name: str, values: pd.Series) -> pd.DataFrame:
    """Average over the fits of a data set, then over data sets."""
    own = fits.assign(**{name: values})
    of_datasets = own.groupby([*_GROUP, "variant", "dataset"], as_index=False)[name].mean()
    return of_datasets.groupby([*_GROUP, "variant"], as_index=False)[name].mean()


def _means(fits: pd.DataFrame, name: str, values: pd.Series) -> pd.DataFrame:
    by = fits.assign(**{name: values}).groupby([*_GROUP, "variant"])
    return by[[name, "depth", "features_used"]].mean().reset_index()


def _precisions(fits: pd.DataFrame, ks: tuple[int, ...]) -> pd.Series:
    """Return the mean precision of each fit on synthetic data; not a number on real data."""
    values = [
        np.mean([precision(order, kinds(member) == "informative", k) for k in ks])
        if group == "synthetic"
        else np.nan
        for order, member, group in zip(fits["order"], fits["member"], fits["group"], strict=True)
    ]
    return pd.Series(values, index=fits.index, dtype=float)


def _f1_changes(fits: pd.DataFrame) -> pd.Series:
    """Return each fit's F1 of its first 10 features minus the default's."""
    found = 10 * _precisions(fits, (10,))
    wanted = [
        np.count_nonzero(kinds(member) == "informative") if group == "synthetic" else np.nan
        for member, group in zip(fits["member"], fits["group"], strict=True)
    ]
    f1 = 2 * found / (10 + np.asarray(wanted, dtype=float))
    pair = ["task", "member", "seed"]
    base = fits.assign(base_f1=f1)[fits["variant"] == "default"]
    joined = fits[pair].merge(base[[*pair, "base_f1"]], on=pair, how="left")
    return f1 - joined["base_f1"].to_numpy()


def _empty(key: str, method: str, columns: list[Column]) -> Table:
    title = f"{method}: one thing changed at a time, time and ranking"
    return Table(key, title, tuple(columns), (), missing=_NO_FITS.format(method=method))


def ranking_changes(analysis: Analysis) -> Table:
    """Compare CIF's variants by the scores of their rankings on real data."""
    parts = []
    for task, panel in analysis.panels.items():
        if FOCUS not in panel.methods:
            continue
        own = analysis.scores
        own = own[
            (own["task"] == task) & (own["method"] == FOCUS) & own["dataset"].isin(real(task))
        ]
        base = panel.config(FOCUS)
        own = own[(own["config"] == base) | own["config"].str.startswith(f"{base}+")]
        cells = standard(cell_means(one_protocol(own)))
        wide = cells.pivot(index=CELL, columns="config", values="value")
        for config in wide.columns.drop(base):
            both = wide[[base, config]].dropna().groupby(level=["task", "dataset"]).mean()
            long = both.rename(columns={base: "default"}).melt(
                var_name="variant", ignore_index=False
            )
            parts.append(changes(long.reset_index(), "default").assign(config=config))
    keys = ["task", "variant", "n_datasets", "mean_difference", "low", "high", "wins", "losses"]
    table = pd.concat([pd.DataFrame(columns=[*keys, "ties", "config"]), *parts])
    # changes() calls the variant by its configuration; what follows the plus sign is the change.
    table["variant"] = [variant.partition("+")[2] for variant in table["variant"]]
    table = beside(table, _paper_ranking(), ["task", "variant"])
    table["change"] = table["mean_difference"] - table["paper_mean_difference"]
    columns = [
        Column("task", "task"),
        Column("variant", "changed"),
        Column("n_datasets", "data sets", "g", "", "ours"),
        Column("mean_difference", "mean difference", "+.4f", "changed minus default", "ours"),
        Column("low", "from", "+.4f", "95 % bootstrap interval over data sets", "ours"),
        Column("high", "to", "+.4f", "95 % bootstrap interval over data sets", "ours"),
        Column("wins", "won", "g", "data sets", "ours"),
        Column("losses", "lost", "g", "data sets", "ours"),
        Column("paper_mean_difference", "paper's difference", "+.4f", "", "published"),
        Column("paper_low", "paper's from", "+.4f", "", "published"),
        Column("paper_high", "paper's to", "+.4f", "", "published"),
        Column("change", "change", "+.4f", "ours minus the paper's", "difference"),
    ]
    return Table.from_frame(
        "cif-ranking",
        f"{FOCUS}: one thing changed at a time, scores on real data",
        columns,
        table,
        note=(
            f"{_everywhere(analysis)}; cells that both have. The paper breaks ties of zero"
            " importance differently here than in its main comparison, which moves its scores."
        ),
        missing=""
        if len(table)
        else f"There are no scores of changed {FOCUS}: `inforest bench run ablation-ranking`.",
        source=(
            "scores: task == '{task}' and method == 'CIF' and config in ['{config}',"
            " '{config}'.partition('+')[0]]"
        ),
    )


def _everywhere(analysis: Analysis) -> str:
    said = [f"{counted(panel.datasets)} in {task}" for task, panel in analysis.panels.items()]
    return f"At most {' and '.join(said)}" if said else "No data sets"


def _paper_ranking() -> pd.DataFrame:
    """Return the archive's table under our names of the changes."""
    paper = published.table("ranking_ablation")
    model = [name.removeprefix("cif_") for name in paper["variant"]]
    counts = ["split_count" if readout == "split_count" else "" for readout in paper["readout"]]
    joined = [
        "+".join(part for part in (one if one != "default" else "", count) if part)
        for one, count in zip(model, counts, strict=True)
    ]
    paper = paper.assign(variant=joined).drop(columns="readout")
    return paper.rename(
        columns=lambda name: name if name in ("task", "variant") else f"paper_{name}"
    )
