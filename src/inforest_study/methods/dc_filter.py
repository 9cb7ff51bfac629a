"""The filter by distance correlation."""

from inforest_study.methods._filter import filter_method

METHOD = filter_method("dc", ("regression",), 2e-6)
