"""The filter by absolute Pearson correlation; of censored times, by log-rank tests."""

from inforest_study.methods._filter import filter_method

METHOD = filter_method("pc", ("regression", "survival"), 5e-8)
