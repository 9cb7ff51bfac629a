"""A report's content as `collect` makes it, made up, for any number of features."""

from inforest.report.content import (
    Content,
    Fact,
    KCurve,
    Luck,
    Provenance,
    Question,
    RankedFeature,
    Repeats,
    Usage,
)

GRID = (1, 2, 5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10000)


def example(n_features, names=None):
    """Return content with ten associated features; the first five are kept."""
    names = names or [f"feature {i}" for i in range(n_features)]
    total = sum(1 / (j + 1) for j in range(n_features))
    features = tuple(
        RankedFeature(
            name=name,
            importance=1 / (j + 1) / total,
            p_value=0.001 if j < 10 else 0.2,
            adjusted_p_value=0.002 if j < 10 else 0.9,
            frequency=max(0.0, 1 - j / 20),
            split_share=1 / (j + 1) / total,
        )
        for j, name in enumerate(names)
    )
    grid = (*(k for k in GRID if k < n_features), n_features)
    return Content(
        question=Question(
            data="data.csv",
            target="outcome",
            task="classification",
            n_rows=100,
            n_features=n_features,
            classes=(("no", 60), ("yes", 40)),
            notices=("3 rows with missing values were left out",),
        ),
        features=features,
        alpha=0.05,
        provenance=Provenance(
            command="inforest rank data.csv --target outcome --seed 7",
            seed=7,
            created="1 January 2026",
            settings=(("trees", "500"),),
            versions=(("inforest", "1.2.3"),),
        ),
        k=min(5, n_features),
        k_curve=KCurve(
            k=grid,
            mean=tuple(0.95 if k >= 5 else 0.8 for k in grid),
            error=(0.01,) * len(grid),
            chosen=min(5, n_features),
            scoring="balanced accuracy",
            model="logistic regression on standardized features",
            n_folds=5,
            chance=0.5,
        ),
        stability=Repeats(
            "The top 5 is stable.", (Fact("index", "0.8", "1 is best."),), 5, 4.5, "stable"
        ),
        split_usage=Usage(
            "80% of the splits use the top 5.", (Fact("splits", "321", ""),), 321, 100
        ),
        null_check=Luck(
            "9 features matter more than luck explains.",
            importances=tuple((f.name, f.importance / 2) for f in features[:30]),
            threshold=0.02,
            by_luck=(0.01, 0.02, 0.015),
            n_better=9,
        ),
    )
