"""What permutations cost, said before budgets are begun that cannot end."""

import warnings
from typing import Any

from inforest import _core
from inforest._engine.notices import CostWarning

#: Additions per second of a core, and seconds that nobody waits for by chance.
_RATE, _LONG = 1e9, 60.0
_UNITS = ((3.15e7, "years"), (86400.0, "days"), (3600.0, "hours"), (60.0, "minutes"))


def warn_of_draws(parameter: str, n_draws: int, n_rows: int, n_features: int) -> None:
    """Warn if so many permutations of so many rows take minutes or more.

    `n_features` are those that get all draws for certain: one, if tests may stop earlier.
    """
    seconds = float(n_draws) * n_rows * n_features / _RATE
    if seconds < _LONG:
        return
    size, unit = next((size, unit) for size, unit in _UNITS if seconds >= size)
    warnings.warn(
        f"{parameter} asks for {n_draws:.3g} permutations of {n_rows:,} rows, about"
        f" {seconds / size:.2g} {unit} on one core: a larger level or a smaller number of"
        " permutations ends sooner",
        CostWarning,
        stacklevel=5,
    )


def warn_of_budgets(params: dict[str, Any], n_rows: int) -> None:
    """Warn if a single test of a tree may take so many permutations that it does not end."""
    for stage in ("selector", "splitter"):
        budget = params[f"n_resamples_{stage}"]
        if stage == "splitter" and params["splitter_test"] is None:
            continue
        if budget is None or budget == "asymptotic":
            continue
        if isinstance(budget, str):
            n_draws = _core.budget(budget, params[f"alpha_{stage}"], 1, False)
            name = f"alpha_{stage}={params[f'alpha_{stage}']:g}"
        else:
            n_draws, name = int(budget), f"n_resamples_{stage}"
        warn_of_draws(name, n_draws, n_rows, 1)
