"""Data sets with censored and ordered responses, from a folder that INFOREST_DATA_MORE names."""

import os
from dataclasses import dataclass
from pathlib import Path

FOLDER = os.environ.get("INFOREST_DATA_MORE")


@dataclass(frozen=True)
class Columns:
    """Which columns hold the response; other columns of numbers, or of two words, are features."""

    time: str
    event: str | None = None


#: Of an ordered response, `time` is the column of classes.
SETS = {
    "veteran": Columns("time", "status"),
    "ovarian": Columns("futime", "fustat"),
    "mgus2": Columns("futime", "death"),
    "flchain": Columns("futime", "death"),
    "wvs_poverty": Columns("poverty"),
}


def read(name):
    """Return the complete rows: features as numbers, and the response."""
    import pandas as pd

    columns = SETS[name]
    data = pd.read_parquet(Path(FOLDER) / f"{name}.parquet").dropna()
    features = {}
    for column in data.columns.drop([one for one in (columns.time, columns.event) if one]):
        values = data[column]
        if values.dtype == "category":
            if len(values.cat.categories) > 2:
                continue  # a test of its own, with more degrees of freedom
            values = values.cat.codes
        features[column] = values.astype(float)
    X = pd.DataFrame(features)
    if columns.event is None:
        return X, data[columns.time]
    y = pd.DataFrame({"event": data[columns.event] == 1, "time": data[columns.time].astype(float)})
    return X, y
