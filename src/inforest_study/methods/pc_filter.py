"""The filter by absolute Pearson correlation."""

from inforest_study.methods._filter import filter_method

METHOD = filter_method("pc", ("regression",), 5e-8)
