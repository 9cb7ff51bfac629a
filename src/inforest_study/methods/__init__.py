"""The ranking methods by name. A module here that defines `METHOD` is a method."""

from functools import cache
from importlib import import_module
from pkgutil import iter_modules

from inforest_study.method import Method, one_of

_added: dict[str, Method] = {}


@cache
def _own() -> dict[str, Method]:
    """Return the methods of this folder. Their libraries are imported when they rank."""
    modules = [
        import_module(f"{__name__}.{module.name}")
        for module in iter_modules(__path__)
        if not module.name.startswith("_")
    ]
    found = [module.METHOD for module in modules]
    return {method.name: method for method in sorted(found, key=lambda one: one.name.lower())}


def names() -> list[str]:
    """Return the names of all methods.

    Returns
    -------
    names : list of str
        The package's own in alphabetical order, then those that were added.

    Examples
    --------
    >>> from inforest_study import methods
    >>> "CIF" in methods.names()
    True

    """
    return [*_own(), *_added]


def get(name: str) -> Method:
    """Return a method.

    Parameters
    ----------
    name : str
        One of `names()`. An unknown one raises a ValueError with near matches.

    Returns
    -------
    method : Method
        The method.

    Examples
    --------
    >>> from inforest_study import methods
    >>> methods.get("RF-RFE").name
    'RF-RFE'

    """
    return {**_own(), **_added}[one_of(name, names(), "method")]


def register(method: Method) -> None:
    """Add a method to the registry; the same one again changes nothing.

    Parameters
    ----------
    method : Method
        Its name must not be taken by another one.

    """
    if method.name in names() and get(method.name) is not method:
        raise ValueError(f"a method named {method.name!r} exists already")
    _added[method.name] = method
