"""Comments beside the fields of a class, as their documentation in the API reference."""

import re
from typing import Any

import griffe

BESIDE = re.compile(r"\s{2}# (.+)$")
ALONE = re.compile(r"\s*# (.+)$")


def comment_of(lines: list[str], first: int, last: int) -> str:
    """Return the comment on lines first to last, counted from 1, or else that right above them.

    Examples
    --------
    >>> lines = ["# Fetches,", "# seeds left out.", "budget: int", "rate: float  # a day"]
    >>> comment_of(lines, 3, 3), comment_of(lines, 4, 4)
    ('Fetches, seeds left out.', 'a day')
    """
    beside = [match[1] for line in lines[first - 1 : last] if (match := BESIDE.search(line))]
    above: list[str] = []
    while not beside and first > 1 and (match := ALONE.match(lines[first - 2])):
        above.insert(0, match[1])
        first -= 1
    return " ".join(beside or above)


class FieldComments(griffe.Extension):
    """Give each public field without a docstring the comment that stands with it."""

    def on_attribute(self, *, attr: griffe.Attribute, **_: Any) -> None:
        """Set the docstring of a field."""
        of_class = attr.parent is not None and attr.parent.is_class
        if not of_class or attr.docstring or attr.lineno is None or attr.endlineno is None:
            return
        lines = attr.lines_collection[attr.filepath]
        if text := comment_of(lines, attr.lineno, attr.endlineno):
            attr.docstring = griffe.Docstring(text[0].upper() + text[1:] + "." * (text[-1] != "."))
