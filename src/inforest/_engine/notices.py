"""`TableWarning`: what the owner of a table should know about how it was read."""


class TableWarning(UserWarning):
    """Something was read from a table in a way that its owner should know about.

    Dates and durations that became numbers, and categories in which hardly any level comes back.
    """
