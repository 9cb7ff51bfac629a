"""The filter by the randomized dependence coefficient."""

from inforest_study.methods._filter import filter_method

METHOD = filter_method("rdc", ("classification", "regression"), 1e-6)
