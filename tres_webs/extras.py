"""Name the extra that installs a package which is missing."""

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def optional(name: str) -> Iterator[None]:
    """Import what an extra installs; ImportError names the extra if that is missing.

    Examples
    --------
    >>> with optional("bilstm"):
    ...     import no_such_package
    Traceback (most recent call last):
    ImportError: no_such_package is not installed: pip install 'tres_lib[bilstm]'
    """
    try:
        yield
    except ModuleNotFoundError as error:
        remedy = f"pip install 'tres_lib[{name}]'"
        raise ImportError(f"{error.name} is not installed: {remedy}") from error
