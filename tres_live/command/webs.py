"""The command ``tres fetch-web``, which obtains a pinned web."""

from pathlib import Path

import click

from .damage import Orderly, PlaceType, echo

PATH = PlaceType(path_type=Path, file_okay=False)


@click.command("fetch-web", cls=Orderly)
@click.argument("name", default="debian-docs")
@click.option("--cut", type=click.IntRange(1), help="Only so many sites, by a fixed order.  [all]")
@click.option("--mirror", multiple=True, help="Root of a Debian mirror or snapshot, without apt.")
@click.option("--folder", type=PATH, help="Of the pages.  [the user's cache]")
@click.option("--archives", type=PATH, help="Folder of archives to use, and to keep new ones in.")
def fetch_web(
    name: str, cut: int | None, mirror: tuple[str, ...], folder: Path | None, archives: Path | None
) -> None:
    """Obtain a web of real sites, by version and hash; go on where it stopped.

    Archives come by apt-get where it is (after `apt-get update`), or else from the mirrors named.
    """
    from tres_lib.web.recorded.pinned import PinnedWeb
    from tres_lib.web.recorded.pinning import fetch_web as fetch

    faults = fetch(name, folder, cut, mirror, archives)
    for fault in faults:
        echo(fault)
    web = PinnedWeb(name, folder, cut)
    echo(f"{len(web):,} pages of {len(web.sites)} sites; {len(faults)} faults")
