"""What `inforest test --given-others` and `inforest rank --fdr` say of each column."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from inforest.conditional.result import ConditionalResult


def test_given_others(
    table: Any, *, task: str, alpha: float, adjust: str | None, seed: int | None, jobs: int | None
) -> "ConditionalResult":
    """Test each column of a table that was read."""
    from inforest.cli.errors import of_the_user
    from inforest.cli.writing import is_watched
    from inforest.conditional.conditional_test import conditional_test

    with of_the_user():
        return conditional_test(
            table.X,
            table.y,
            alpha=alpha,
            adjust=adjust,
            task=task,
            groups=table.design.get("groups"),
            feature_names=table.names,
            random_state=seed,
            n_jobs=jobs,
            verbose=int(is_watched()),
        )


def to_rows(result: "ConditionalResult") -> list[dict[str, Any]]:
    """Return a row per column, the smallest p-value first; numbers that do not exist are None."""
    rows = []
    for j in result.ranking:
        explained = float(result.explained[j])
        rows.append(
            {
                "feature": str(result.feature_names[j]),
                "statistic": float(result.statistic[j]),
                "p_value": float(result.p_value[j]),
                "adjusted_p_value": float(result.adjusted_p_value[j]),
                "explained": explained if explained == explained else None,
                "verdict": str(result.verdict[j]),
            }
        )
    if result.adjust is None:
        for row in rows:
            del row["adjusted_p_value"]
    return rows


def as_table(result: "ConditionalResult", rows: Sequence[dict[str, Any]]) -> Any:
    """Return a table for a terminal (a `rich.table.Table`) of the rows to show."""
    from rich.table import Table
    from rich.text import Text

    from inforest._engine.printable import printable

    caption = printable(result.conclusion)
    if len(rows) < len(result):
        caption += f" {len(result) - len(rows)} features not shown."
    table = Table(
        title="What each column says of the target beyond all others", caption=Text(caption)
    )
    table.add_column("rank", justify="right")
    table.add_column("feature", overflow="fold")
    adjusted = [] if result.adjust is None else ["adjusted p"]
    for name in ("statistic", "p", *adjusted, "explained by others"):
        table.add_column(name, justify="right")
    table.add_column("verdict")
    for place, row in enumerate(rows, start=1):
        share = row["explained"]
        table.add_row(
            str(place),
            Text(row["feature"]),  # no markup in names
            f"{row['statistic']:.2f}",
            f"{row['p_value']:.3g}",
            *(f"{row['adjusted_p_value']:.3g}" for _ in adjusted),
            "" if share is None else f"{share:.0%}",
            row["verdict"],
            style="bold" if row["verdict"] == "selected" else "dim",
        )
    return table
