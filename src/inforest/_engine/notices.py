"""Warnings: what the owner of a table should know about how it was read, and what a call costs."""


class TableWarning(UserWarning):
    """Something was read from a table in a way that its owner should know about.

    Dates and durations that became numbers, and categories in which hardly any level comes back.

    Examples
    --------
    >>> import warnings
    >>> from inforest import TableWarning
    >>> warnings.simplefilter("ignore", TableWarning)  # where nobody wants to know

    """


class CostWarning(UserWarning):
    """A call takes long, or may never end: about how long, and why."""
