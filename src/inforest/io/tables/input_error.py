"""`InputError`: the data or the options are wrong, not the program."""


class InputError(ValueError):
    """What a person can mend; the message says how. The command shows it without a traceback."""
