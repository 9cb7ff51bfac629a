"""The study's published and archived numbers, as data: facts to compare with.

Each CSV file is one table of the study (see `TABLES`). Only `main` (its first columns) and the
tables named after a table of the paper are published; the others come from the archived result
tables of the study's code. All numbers of CIT and CIF there were made with an unweighted Stage B
statistic, and those of ctree and cforest suffer from two errors in reading R's output.
"""

from importlib.resources import files

import pandas as pd

#: Name of a table -> where it stands in the paper, or what it is.
TABLES = {
    "main": "Table 'Main real-data comparison', with complete-case and selection columns",
    "dataset_scores": "mean score of each method on each data set (archive)",
    "cif_positions": "CIF's position on each data set (archive)",
    "ranks_by_k": "Figures 'mean rank by number of selected features'",
    "cif_minus_by_cell": "Figures 'CIF margins by downstream learner and k'",
    "cif_minus": "Tables 'Direct CIF comparisons' and 'Complete-case CIF differences'",
    "recovery": "Table 'Synthetic feature recovery', all methods and k (archive)",
    "recovery_by_design": "the same for each design (archive)",
    "feature_sampling": "Figures 'forest feature sampling by feature dimension' (archive)",
    "cif_runtime_ablation": "Table 'CIF runtime ablations', all variants (archive)",
    "threshold_ablation": "Table 'CIF runtime ablations', threshold search (archive)",
    "cit_runtime_ablation": "Table 'CIT runtime ablations', all variants (archive)",
    "ranking_ablation": "Table 'CIF ablations on the real-data benchmark', all variants",
    "high_p": "Figure 'Where CIF's scores peak as k increases'",
    "lodo": "Table 'LODO configuration sensitivity'",
    "learner_k": "Tables 'sensitivity by downstream learner and value of k'",
    "seeds": "Tables 'seed sensitivity'",
}

#: The paper's panels of data sets with every method, config and cell.
COMPLETE_CASE = {
    "classification": (
        "ALLAML",
        "CLL_SUB_111",
        "ORL",
        "TOX_171",
        "Yale",
        "arcene",
        "gisette",
        "isolet",
        "madelon",
        "musk",
        "orlraws10P",
        "pixraw10P",
        "warpAR10P",
        "warpPIE10P",
    ),
    "regression": (
        "coepra1",
        "coepra2",
        "coepra3",
        "comm_violence",
        "community_crime",
        "residential",
    ),
}

#: Friedman's chi-square, its p-value and Kendall's W on the complete-case panels.
FRIEDMAN = {
    "classification": (141.3245, 3.97e-22, 0.6309),
    "regression": (33.7895, 0.00894, 0.3313),
}

#: Data sets of the comparison by learner and k, at k = 5, 10, 25, 50 and 100.
DATASETS_BY_K = {"classification": "22, 21, 15, 15, 14", "regression": "8, 8, 7, 7, 6"}


def table(name: str) -> pd.DataFrame:
    """Return one of the `TABLES` as a data frame.

    Examples
    --------
    >>> from inforest_study import published
    >>> published.table("main").loc[0, "method"]
    'LightGBM'

    """
    if name not in TABLES:
        raise ValueError(f"name must be one of {', '.join(TABLES)}; got {name!r}")
    with (files(__name__) / f"{name}.csv").open(encoding="utf-8") as file:
        return pd.read_csv(file)
