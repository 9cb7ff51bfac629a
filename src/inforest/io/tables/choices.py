"""What may be done about missing values."""

from enum import StrEnum


class Missing(StrEnum):
    """What missing values are, as the library calls it."""

    incorporate = "incorporate"
    ignore = "ignore"
    error = "error"
