"""What options with a fixed set of values accept."""

from enum import StrEnum


class Task(StrEnum):
    """What the target is."""

    auto = "auto"
    classification = "classification"
    regression = "regression"
    ordinal = "ordinal"
    survival = "survival"


class Method(StrEnum):
    """Where p-values come from."""

    permutation = "permutation"
    asymptotic = "asymptotic"
    exact = "exact"


class Adjust(StrEnum):
    """How p-values are adjusted."""

    none = "none"
    bonferroni = "bonferroni"
    holm = "holm"
    sidak = "sidak"
    westfall_young = "westfall-young"
    fdr_bh = "fdr_bh"
    fdr_by = "fdr_by"


class EarlyStopping(StrEnum):
    """When a test may stop."""

    none = "none"
    curtailed = "curtailed"
    adaptive = "adaptive"


class Format(StrEnum):
    """How the result is written."""

    table = "table"
    csv = "csv"
    json = "json"
