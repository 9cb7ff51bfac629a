"""What may be done about columns that are not plain numbers."""

from enum import StrEnum
from typing import TypeVar

from inforest.io.tables.input_error import InputError


class Missing(StrEnum):
    """What is done about missing values."""

    error = "error"
    drop_rows = "drop-rows"
    drop_columns = "drop-columns"
    median = "median"


class Categories(StrEnum):
    """What is done about columns of words."""

    one_hot = "one-hot"
    ordinal = "ordinal"
    drop = "drop"
    error = "error"


_Choice = TypeVar("_Choice", Missing, Categories)


def checked(kind: type[_Choice], parameter: str, value: str) -> _Choice:
    """Return the choice that a parameter names.

    Parameters
    ----------
    kind : type
        What there is to choose from.
    parameter : str
        What to call the parameter in an error.
    value : str
        The choice as text.

    Returns
    -------
    choice : Missing or Categories
        A member of `kind`.

    Examples
    --------
    >>> from inforest.io.tables.choices import Missing, checked
    >>> checked(Missing, "missing", "drop-rows").value
    'drop-rows'

    """
    try:
        return kind(value)
    except ValueError:
        accepted = ", ".join(repr(choice.value) for choice in kind)
        raise InputError(f"{parameter} must be one of {accepted}; got {value!r}") from None
