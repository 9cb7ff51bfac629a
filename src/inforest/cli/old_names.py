"""Old names of options, which go on working and which help does not show."""

from itertools import takewhile
from typing import Any

from typer.core import TyperCommand

_NEW = {"--ignore": "--drop", "--output": "--out", "--n-jobs": "--jobs", "--sep": "--separator"}


class Command(TyperCommand):
    """A command that takes the old names for the new ones."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse with the new names; what follows ``--`` is no option."""
        options = list(takewhile(lambda argument: argument != "--", args))
        return super().parse_args(ctx, [*map(_renamed, options), *args[len(options) :]])


def _renamed(argument: str) -> str:
    name, equals, value = argument.partition("=")
    return _NEW.get(name, name) + equals + value
