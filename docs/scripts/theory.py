"""Makes the figures of docs/theory.md and writes its tables between their markers.

Run it from anywhere: python docs/scripts/theory.py. It takes some minutes; seeds are fixed. It
needs matplotlib and `_core_testing`, which `make dev` builds. Every number in the page that is a
measurement or a computation comes from here. Names of tables as arguments write only those:
python docs/scripts/theory.py stopping hasty.
"""

import re
import sys
from pathlib import Path

import matplotlib as mpl
import numpy as np

mpl.use("Agg")
from matplotlib import pyplot as plt
from scipy.stats import binom

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benchmarks"))

from quick_trees import QuickTrees

from inforest import (
    ConditionalInferenceForestClassifier,
    ConditionalInferenceForestRegressor,
    ConditionalInferenceTreeClassifier,
    ConditionalInferenceTreeRegressor,
    _core,
    _core_testing,
)
from inforest.independence.adjustment import adjust_p_values, step_down

DOCS = Path(__file__).resolve().parents[1]
STOP = np.zeros(1, dtype=np.uint8)
#: Selector and number of classes (0: a numeric response).
CASES = [("mc", 2), ("mi", 2), ("rdc", 2), ("pc", 0), ("dc", 0), ("rdc", 0)]
LEVELS = (0.01, 0.05, 0.1, 0.5)
ALPHA = 0.05


def fortran(X):
    return np.asfortranarray(X, dtype=np.float64)


def response(rng, n, n_classes):
    return rng.permutation(np.arange(n) % 2.0) if n_classes else rng.normal(size=n)


def band(n, level, error=1e-3):
    """Two-sided binomial band of a rejection rate."""
    return binom.ppf([error / 2, 1 - error / 2], n, level) / n


# --- Theorem 1: p-values are superuniform ---------------------------------------------------------

N_NULL, N_ROWS, N_DRAWS = 4000, 30, 199
COLUMNS = {
    "continuous": lambda rng, n: rng.normal(size=n),
    "three values": lambda rng, n: rng.permutation(np.arange(n) % 3 / 10),
    "two values": lambda rng, n: rng.permutation(np.arange(n) % 2 / 10),
}


def null_p_values(selector, n_classes, kind):
    """P-values of independent tests, each with data and permutations of its own."""
    rng = np.random.default_rng([len(kind), n_classes, len(selector)])
    counts = np.empty(N_NULL)
    for i in range(N_NULL):
        X = fortran(COLUMNS[kind](rng, N_ROWS)[:, None])
        y = response(rng, N_ROWS, n_classes)
        counts[i] = _core.tally_draws(
            STOP, X, y, n_classes, [selector], np.zeros(1, np.int64), i, None, 0, N_DRAWS
        )[0][0]
    return (1 + counts) / (1 + N_DRAWS)


def superuniform():
    """Draw the ECDF of null p-values of each selector; return the table of rates."""
    figure, axes = plt.subplots(
        2, 3, figsize=(9, 6), sharex=True, sharey=True, layout="constrained"
    )
    styles = {"continuous": "-", "three values": "--", "two values": ":"}
    colours = {"continuous": "#2b6ca3", "three values": "#c9772b", "two values": "#5b8a3a"}
    grid = np.arange(1, N_DRAWS + 2) / (N_DRAWS + 1)
    rows = []
    for ax, (selector, n_classes) in zip(axes.flat, CASES, strict=True):
        ax.plot([0, 1], [0, 1], color="black", linewidth=0.8)
        for kind, style in styles.items():
            p = null_p_values(selector, n_classes, kind)
            share = (p[:, None] <= grid + 1e-12).mean(axis=0)
            ax.step(
                [0, *grid], [0, *share], where="post", linestyle=style, color=colours[kind],
                linewidth=1.4, label=kind,
            )  # fmt: skip
            what = "2 classes" if n_classes else "numbers"
            rates = [f"{(p <= a + 1e-12).mean():.4f}" for a in LEVELS]
            rows.append([f"`{selector}`", what, kind, *rates])
        ax.set_title(
            f"{selector}, {'two classes' if n_classes else 'numeric response'}", fontsize=10
        )
        ax.set_aspect("equal")
    axes[0, 0].legend(fontsize=8, frameon=False, loc="upper left")
    for ax in axes[1]:
        ax.set_xlabel("a")
    for ax in axes[:, 0]:
        ax.set_ylabel("share of p-values <= a")
    save(figure, "theory_ecdf")
    upper = [f"{band(N_NULL, a)[1]:.4f}" for a in LEVELS]
    rows.append(["", "", "upper end of the 99.9 % band", *upper])
    return table(["selector", "response", "feature", *(f"P(p <= {a})" for a in LEVELS)], rows)


# --- Ties: counted, or decided by lot -------------------------------------------------------------


def root_p_values(kind, selector, n_classes, ties):
    """The p-values at the roots of trees with one feature and 199 permutations."""
    grow = QuickTrees(
        TREES[n_classes > 0](
            selector=selector, ties=ties, n_resamples_selector=N_DRAWS,
            early_stopping_selector=None, max_depth=1,
        )
    )  # fmt: skip
    rng = np.random.default_rng([5, n_classes, len(selector)])
    p = np.empty(N_NULL)
    for seed in range(N_NULL):
        X = COLUMNS[kind](rng, N_ROWS)[:, None]
        p[seed] = grow(X, response(rng, N_ROWS, n_classes), seed).p_value_feature[0]
    return p


def tied():
    """Return the table of rates with ties counted and decided by lot, at the roots of trees."""
    rows = []
    for selector, n_classes in CASES:
        for kind in ("three values", "two values"):
            rates = []
            for ties in ("count", "random"):
                p = root_p_values(kind, selector, n_classes, ties)
                rates += [f"{(p <= a + 1e-12).mean():.4f}" for a in LEVELS[:3]]
            what = "2 classes" if n_classes else "numbers"
            rows.append([f"`{selector}`", what, kind, *rates])
    heads = [f"{how}: P(p <= {a})" for how in ("counted", "by lot") for a in LEVELS[:3]]
    bands = [f"{low:.4f} to {high:.4f}" for low, high in (band(N_NULL, a) for a in LEVELS[:3])]
    rows.append(["", "", "99.9 % band", "", "", "", *bands])
    return table(["selector", "response", "feature", *heads], rows)


# --- Corollary 1: a node rejects with probability at most alpha -----------------------------------

N_NODES, N_FEATURES = 4000, 5
TREES = {True: ConditionalInferenceTreeClassifier, False: ConditionalInferenceTreeRegressor}
FORESTS = {True: ConditionalInferenceForestClassifier, False: ConditionalInferenceForestRegressor}


def share_rejecting(j, make, selector, n_classes):
    """How often the root of a tree on noise finds a feature."""
    model = make(n_classes > 0)
    model.set_params(selector=selector, splitter_test=None, max_depth=1)
    model.set_params(alpha_selector=ALPHA, max_features=None)
    grow = QuickTrees(model)
    rng = np.random.default_rng([7, j])
    n_rejected = 0
    for seed in range(N_NODES):
        X, y = rng.normal(size=(60, N_FEATURES)), response(rng, 60, n_classes)
        n_rejected += grow(X, y, seed).feature[0] >= 0
    return n_rejected / N_NODES


#: What is fitted, whether its rejections are covered, and how it is made.
NODES = [
    ("tree, default (curtailed)", True, lambda c: TREES[c]()),
    ("tree, all permutations", True, lambda c: TREES[c](early_stopping_selector=None)),
    ("tree, adaptive stopping", True, lambda c: TREES[c](early_stopping_selector="adaptive")),
    ("tree, maxT", True, lambda c: TREES[c](adjust_alpha_selector="maxt")),
    ("tree, `.paper()`", True, lambda c: TREES[c].paper()),
    ("tree of a forest, subsample", True, lambda c: FORESTS[c](1)),
    ("tree of a forest, bootstrap", False, lambda c: FORESTS[c](1, replace=True)),
    ("tree of a forest, `.paper()`", False, lambda c: FORESTS[c].paper(n_estimators=1)),
]


def nodewise():
    """Draw how often a null node rejects; return the table."""
    cases = [("mc", 2), ("quad", 2), ("pc", 0), ("rdc", 0)]
    rates = np.empty((len(NODES), len(cases)))
    for i, (_, _, make) in enumerate(NODES):
        for j, (selector, n_classes) in enumerate(cases):
            rates[i, j] = share_rejecting(j, make, selector, n_classes)
    figure, ax = plt.subplots(figsize=(7.5, 4), layout="constrained")
    low, high = band(N_NODES, ALPHA)
    ax.axvspan(low, high, color="#d9dee5", label="99.9 % band around alpha", linewidth=0)
    ax.axvline(ALPHA, color="black", linewidth=1)
    marks = ("o", "D", "s", "^")
    colours = ("#2b6ca3", "#7a5195", "#c9772b", "#5b8a3a")
    for j, (selector, n_classes) in enumerate(cases):
        ax.plot(
            rates[:, j], np.arange(len(NODES)) + 0.15 * (j - 1.5), marks[j], color=colours[j],
            label=f"{selector}, {'two classes' if n_classes else 'numbers'}",
        )  # fmt: skip
    n_covered = sum(covered for _, covered, _ in NODES)
    ax.axhline(n_covered - 0.5, color="#8895a7", linestyle="--", linewidth=1)
    ax.set_yticks(range(len(NODES)), [name.replace("`", "") for name, *_ in NODES])
    ax.invert_yaxis()
    ax.set_xlim(left=0)
    ax.set_xlabel("share of null nodes that reject a feature")
    for where, text in ((-0.6, "covered by the theorem"), (-0.4, "not covered")):
        align = "bottom" if where == -0.6 else "top"
        ax.text(high + 0.02, n_covered + where, text, va=align, fontsize=8)
    ax.legend(fontsize=8, frameon=False, loc="upper right")
    save(figure, "theory_nodewise")
    rows = [
        [name, "yes" if covered else "no", *(f"{rate:.4f}" for rate in rates[i])]
        for i, (name, covered, _) in enumerate(NODES)
    ]
    rows.append([f"99.9 % band around {ALPHA}", "", *[f"{low:.4f} to {high:.4f}"] * len(cases)])
    heads = [f"`{selector}`, {'classes' if n else 'numbers'}" for selector, n in cases]
    return table(["root of a", "covered", *heads], rows)


# --- Early stopping: the exact level of a sequential rule -----------------------------------------

CONFIDENCES = (0.9, 0.95, 0.99)


#: A little above tau: the strict rule p < tau becomes p <= tau, and nothing else changes.
INCLUSIVE = 1 + 1e-9


def attained(tau, n_draws, early_stopping, confidence=0.95, rule=1.0):
    """The largest null probability of a rejection, as a share of tau."""
    level = _core_testing.attained_level(
        n_resamples=n_draws, tau=tau * rule, early_stopping=early_stopping, confidence=confidence
    )
    return level / tau


def worst(tau, confidence):
    """The largest share over all budgets up to 500 and both rules."""
    return max(
        attained(tau, n_draws, "adaptive", confidence, rule)
        for n_draws in range(1, 501)
        for rule in (1.0, INCLUSIVE)
    )


def stopping():
    """Return the table of levels of the budgets that trees have."""
    rows = []
    for alpha, n_candidates in ((0.5, 1), (0.05, 1), (0.05, 10), (0.05, 100), (0.05, 1000)):
        tau = alpha / n_candidates
        for budget in ("minimum", "auto", "maximum", 199, 999):
            n_draws = _core.budget(budget, alpha, n_candidates, True)
            if n_draws > 2e6:  # nobody has them
                continue
            cells = [attained(tau, n_draws, "curtailed")]
            cells += [attained(tau, n_draws, "adaptive", one) for one in CONFIDENCES]
            said = f"`{budget}`" if isinstance(budget, int) else f'`"{budget}"`'
            rows.append([f"{tau:g}", said, f"{n_draws:,}", *(f"{cell:.4f}" for cell in cells)])
    heads = [f"adaptive, {one}" for one in CONFIDENCES]
    return table(["tau", "budget", "B", "fixed B, curtailed", *heads], rows)


def hasty():
    """Return the table of the largest level of adaptive tests."""
    levels = (0.01, 0.05, 0.1, 0.25, 1 / 3, 0.4, 0.45, 0.5, 0.75)
    rows = [
        [f"{confidence}", *(f"{worst(tau, confidence):.3f}" for tau in levels)]
        for confidence in (0.6, 0.7, 0.8, *CONFIDENCES)
    ]
    return table(["confidence", *(f"tau {tau:.3g}" for tau in levels)], rows)


# --- Families: error and power of the adjustments -------------------------------------------------

METHODS = ("none", "bonferroni", "holm", "westfall-young", "fdr_bh")
N_DATA, N_TESTED, N_SIGNALS = 2000, 20, 4


def family(correlation, n_signals):
    """Return each method's family-wise error and power at alpha = 0.05, n = 40, B = 999."""
    rng = np.random.default_rng([11, round(100 * correlation), n_signals])
    wrong = dict.fromkeys(METHODS, 0)
    found = dict.fromkeys(METHODS, 0.0)
    for i in range(N_DATA):
        common = rng.normal(size=(40, 1))
        own = rng.normal(size=(40, N_TESTED))
        X = np.sqrt(correlation) * common + np.sqrt(1 - correlation) * own
        y = rng.normal(size=40)
        X[:, :n_signals] += 0.6 * y[:, None]
        X = fortran(X)
        score, mean, variance = _core.tail_scores(X, y, 0, ["pc"], i)
        order = np.argsort(score, kind="stable").astype(np.int64)
        maxima = np.full(999, -np.inf), mean[order], variance[order]
        raw, stepped = _core.tally_draws(STOP, X, y, 0, ["pc"], order, i, maxima, 0, 999)
        p = np.empty(N_TESTED)
        p[order] = (1 + raw) / 1000
        for method in METHODS:
            if method == "none":
                adjusted = p
            elif method == "westfall-young":
                adjusted = step_down((1 + stepped[::-1]) / 1000, order[::-1])
            else:
                adjusted = adjust_p_values(p, method)
            rejected = adjusted < ALPHA
            wrong[method] += rejected[n_signals:].any()
            found[method] += rejected[:n_signals].mean() if n_signals else 0.0
    return {m: (wrong[m] / N_DATA, found[m] / N_DATA) for m in METHODS}


def families():
    """Return the tables of family-wise error and of power."""
    correlations = (0.0, 0.5, 0.9)
    null = [family(r, 0) for r in correlations]
    partial = [family(r, N_SIGNALS) for r in correlations]
    head = ["adjustment", *(f"correlation {r}" for r in correlations)]
    errors = [
        [f"{m}, {name}", *(f"{result[m][0]:.3f}" for result in results)]
        for name, results in (("complete null", null), ("partial null", partial))
        for m in METHODS
    ]
    power = [[m, *(f"{result[m][1]:.3f}" for result in partial)] for m in METHODS]
    return table(head, errors), table(head, power)


# --- Output ---------------------------------------------------------------------------------------


def table(head, rows):
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def save(figure, name):
    figure.savefig(DOCS / "images" / f"{name}.png", dpi=110, metadata={"Software": None})
    plt.close(figure)


def write(page, name, text):
    """Put the text between the page's two markers of that name."""
    pattern = rf"(<!-- {name} -->\n).*?(\n<!-- end {name} -->)"
    new, count = re.subn(pattern, lambda m: m[1] + text + m[2], page, flags=re.DOTALL)
    if count != 1:
        raise SystemExit(f"docs/theory.md has no place for {name!r}")
    return new


#: What makes the tables of each name.
TABLES = {
    ("superuniform",): superuniform,
    ("tied",): tied,
    ("nodewise",): nodewise,
    ("stopping",): stopping,
    ("hasty",): hasty,
    ("errors", "power"): families,
}


def main():
    path = DOCS / "theory.md"
    (DOCS / "images").mkdir(exist_ok=True)
    for names, make in TABLES.items():
        if sys.argv[1:] and not set(names) & set(sys.argv[1:]):
            continue
        made = make()
        page = path.read_text(encoding="utf-8")
        for name, text in zip(names, made if len(names) > 1 else [made], strict=True):
            page = write(page, name, text)
        path.write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()
