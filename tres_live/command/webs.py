"""Commands of webs: to obtain a pinned one, and to serve a laboratory to practise on."""

from contextlib import suppress
from pathlib import Path
from shlex import quote
from threading import Event
from typing import Any

import click

PATH = click.Path(path_type=Path, file_okay=False)
SEEDS_TRIED = 12
WAY_OUT = (
    "Name further roots by --mirror: a snapshot of the archive has versions that are gone, "
    "the security archive has paths in pool/updates. The same command goes on."
)


@click.argument("name", default="debian-docs")
@click.option("--cut", type=click.IntRange(1), help="Only so many sites, by a fixed order.  [all]")
@click.option("--mirror", multiple=True, help="Root of a Debian mirror, or of a snapshot of one.")
@click.option("--folder", type=PATH, help="Of the pages.  [in TRES_DATA, or the user's cache]")
@click.option("--archives", type=PATH, help="Folder of archives to use, and to keep new ones in.")
def fetch_web(
    name: str, cut: int | None, mirror: tuple[str, ...], folder: Path | None, archives: Path | None
) -> None:
    """Obtain a web of real sites, by version and hash; go on where it stopped.

    Archives come by apt-get where it is (after `apt-get update`), or else from the mirrors named.
    Of debian-docs 33 are in the security archive, which is another root than a plain mirror's.
    The exit code is 1 if a site is missing in the end.
    """
    from tres_webs.recorded.manifest import read_manifest
    from tres_webs.recorded.pinned import PinnedWeb
    from tres_webs.recorded.pinning import fetch_web as fetch

    faults = fetch(name, folder, cut, mirror, archives)
    for fault in faults:
        click.echo(fault)
    web = PinnedWeb(name, folder, cut)
    click.echo(f"{len(web):,} pages of {len(web.sites)} sites; {len(faults)} faults")
    if missing := len(read_manifest(name)[:cut]) - len(web.sites):
        raise click.ClickException(f"{missing} sites are missing. {WAY_OUT}")


@click.option("--port", type=int, default=8080, show_default=True)
@click.option("--sites", type=click.IntRange(10), default=20_000, show_default=True)
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True)
@click.option("--topic", default="sports", show_default=True, help="Of the command that it shows.")
def serve(port: int, sites: int, seed: int, topic: str) -> None:
    """Serve a laboratory web to practise on, as a proxy on this machine."""
    import tres_webs as web

    from ..web import server

    topic = web.get_topic(topic.casefold()).name
    click.echo(f"making a web of {sites:,} sites; for 20,000 it takes some 20 seconds")
    lab = web.VitalWeb(seed, sites)
    click.echo(f"choosing seeds by a classifier of {topic!r}; the first time it is trained")
    seeds = " ".join(f"--seeds {quote(url)}" for url in _practice_seeds(lab, topic))
    with server.serve(lab, port) as served:
        proxy = f"--proxy http://127.0.0.1:{served.port} --delay 0.01 --contact me@example.org"
        click.echo(f"A web of {sites:,} sites; Ctrl-C ends it.")
        click.echo("In another terminal:")
        click.echo(f"tres crawl --topic {topic} {seeds} {proxy}")
        with suppress(KeyboardInterrupt):
            Event().wait()
        click.echo("ended")


def _practice_seeds(lab: Any, topic: str) -> list[str]:
    """Return two pages of a laboratory web that the book's classifier takes for relevant."""
    from tres_lib import topics

    urls = lab.seeds(topic, 2, rng=0)
    with suppress(ValueError):  # a small web has fewer
        urls = lab.seeds(topic, SEEDS_TRIED, rng=0)
    p = topics.classifier(topic, "svm").proba([topics.page_text(lab.fetch(url)) for url in urls])
    return [urls[i] for i in (-p).argsort(kind="stable")[:2].tolist()]
