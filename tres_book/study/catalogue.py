"""All studies whose runs are stored, as the chapters' modules plan them."""

import pkgutil
from functools import cache

from tres_book import chapters

from .plan import Study


@cache
def all_studies() -> dict[str, Study]:
    """Return the studies of all chapters by name, with the sizes that are stored."""
    studies: dict[str, Study] = {}
    for part in pkgutil.walk_packages(chapters.__path__, f"{chapters.__name__}."):
        plan = getattr(pkgutil.resolve_name(part.name), "studies", None)
        studies |= {study.name: study for study in plan().values()} if plan else {}
    return studies
