"""The filter by multiple correlation: how much of a feature the classes explain."""

from inforest_study.methods._filter import filter_method

METHOD = filter_method("mc", ("classification",), 5e-8)
