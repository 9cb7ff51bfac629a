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

from inforest import _core, _core_testing
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


# --- Corollary 1: a node rejects with probability at most alpha -----------------------------------

N_NODES, N_FEATURES = 4000, 5


def node_rejects(rng, seed, rule, budget, rows, selector, n_classes):
    """Whether any of the features of a null node is rejected at alpha / n_features."""
    n = 60
    X, y = rng.normal(size=(n, N_FEATURES)), response(rng, n, n_classes)
    if rows == "bootstrap":
        drawn = rng.integers(n, size=n)
    else:
        drawn = rng.permutation(n)[: round(0.632 * n) if rows == "subsample" else n]
    X, y = fortran(X[drawn]), np.ascontiguousarray(y[drawn])
    if n_classes and np.ptp(y) == 0:
        return False
    tau = ALPHA / N_FEATURES
    features = np.arange(N_FEATURES, dtype=np.int64)
    exceedances, draws = _core.test_features(
        STOP, X, y, n_classes, [selector], features, seed, n_resamples=BUDGET[budget], tau=tau,
        early_stopping=None if rule == "fixed" else rule, confidence=0.95,
    )  # fmt: skip
    return bool(((1 + exceedances) / (1 + draws) < tau).any())


#: Permutations of each test at alpha / n_features: two of the trees' budgets.
BUDGET = {name: _core.budget(name, ALPHA, N_FEATURES, True) for name in ("auto", "maximum")}


def nodewise():
    """Draw how often a null node rejects; return the table."""
    settings = [
        ("fixed B, all rows", "fixed", "auto", "all", True),
        ("curtailed, all rows", "curtailed", "auto", "all", True),
        ("fixed B, subsample", "fixed", "auto", "subsample", True),
        ("adaptive, all rows", "adaptive", "auto", "all", False),
        ("adaptive, larger B, all rows", "adaptive", "maximum", "all", False),
        ("fixed B, bootstrap", "fixed", "auto", "bootstrap", False),
        ("adaptive, bootstrap", "adaptive", "auto", "bootstrap", False),
    ]
    cases = [("mc", 2), ("pc", 0), ("rdc", 0)]
    rates = np.empty((len(settings), len(cases)))
    for i, (_, rule, budget, rows, _) in enumerate(settings):
        for j, (selector, n_classes) in enumerate(cases):
            rng = np.random.default_rng([7, j])
            rates[i, j] = np.mean(
                [
                    node_rejects(rng, seed, rule, budget, rows, selector, n_classes)
                    for seed in range(N_NODES)
                ]
            )
    figure, ax = plt.subplots(figsize=(7.5, 4), layout="constrained")
    low, high = band(N_NODES, ALPHA)
    ax.axvspan(low, high, color="#d9dee5", label="99.9 % band around alpha", linewidth=0)
    ax.axvline(ALPHA, color="black", linewidth=1)
    marks = ("o", "s", "^")
    colours = ("#2b6ca3", "#c9772b", "#5b8a3a")
    for j, (selector, n_classes) in enumerate(cases):
        ax.plot(
            rates[:, j], np.arange(len(settings)) + 0.18 * (j - 1), marks[j], color=colours[j],
            label=f"{selector}, {'two classes' if n_classes else 'numbers'}",
        )  # fmt: skip
    ax.axhline(2.5, color="#8895a7", linestyle="--", linewidth=1)
    ax.set_yticks(range(len(settings)), [name for name, *_ in settings])
    ax.invert_yaxis()
    ax.set_xlim(left=0)
    ax.set_xlabel("share of null nodes that reject a feature")
    ax.text(0.99, 0.60, "covered by the theorem", transform=ax.transAxes, ha="right", fontsize=8)
    ax.text(0.99, 0.52, "not covered", transform=ax.transAxes, ha="right", fontsize=8)
    ax.legend(fontsize=8, frameon=False, loc="upper right")
    save(figure, "theory_nodewise")
    rows = [
        [name, "yes" if covered else "no", *(f"{rate:.4f}" for rate in rates[i])]
        for i, (name, *_, covered) in enumerate(settings)
    ]
    rows.append([f"99.9 % band around {ALPHA}", "", *[f"{low:.4f} to {high:.4f}"] * 3])
    return table(["test of the node", "covered", "`mc`", "`pc`", "`rdc`"], rows)


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
        order = np.argsort(_core.statistics(X, y, 0, ["pc"], i), kind="stable").astype(np.int64)
        raw, stepped = _core.tally_draws(STOP, X, y, 0, ["pc"], order, i, np.zeros(999), 0, 999)
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
    ("nodewise",): nodewise,
    ("stopping",): stopping,
    ("hasty",): hasty,
    ("errors", "power"): families,
}


def main():
    path = DOCS / "theory.md"
    (DOCS / "images").mkdir(exist_ok=True)
    page = path.read_text(encoding="utf-8")
    for names, make in TABLES.items():
        if sys.argv[1:] and not set(names) & set(sys.argv[1:]):
            continue
        made = make()
        for name, text in zip(names, made if len(names) > 1 else [made], strict=True):
            page = write(page, name, text)
    path.write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()
