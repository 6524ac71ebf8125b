"""The commands of ``tres``; the flags of ``tres crawl`` and ``tres watch`` stand in `options`."""

import logging
import os
import signal
import sys
from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path
from shlex import quote
from traceback import extract_tb
from typing import Any, NoReturn

import click

from tres_lib.focused.result import Stop
from tres_webs.files import folder_name, open_file
from tres_webs.page import FetchError
from tres_webs.parsing import printable

from .options import BOUNDS, CLUSTER, CrawlOptions, Folder, Texts, TopicOptions, WatchOptions, echo
from .webs import fetch_web, serve

PATH = click.Path(path_type=Path)
FOLDER = click.argument("folder", type=PATH)
SETTINGS = click.argument("settings", type=click.Path(exists=True, dir_okay=False), required=False)
CODE = [
    click.Option([f"--{name}"], help=f"The folder's own {form}, as a sign that you trust it.")
    for name, form in {"classifier": "module:object", "policy": "module:Class"}.items()
]
MORE = click.Option(["--budget"], type=click.IntRange(0), default=0, help="Pages more.")
EXAMPLE = """\b
tres crawl --topic jazz --keywords "jazz, ragtime, trumpet" --contact me@example.org
    --seeds https://a.example/page --seeds https://b.example/other --budget 2000
"""
OURS = str(Path(__file__).parents[2] / "tres_")  # as the files of our packages begin
HELP = {"help_option_names": ["-h", "--help"], "max_content_width": 100}


class Orderly(click.Command):
    """A command whose errors are one line, and that signals end in order."""

    def invoke(self, context: click.Context) -> Any:
        """Run the command."""
        signal.signal(signal.SIGTERM, signal.default_int_handler)
        try:
            return super().invoke(context)
        except KeyboardInterrupt:  # which click turns into exit code 1
            click.echo("interrupted", err=True)
            sys.exit(130)
        except BrokenPipeError:  # `tres status ... | head`
            sys.stderr.close()
        except (click.ClickException, click.exceptions.Exit, click.Abort):
            raise
        except Exception as error:
            named = (context.params.get(name) for name in ("settings", "folder"))
            text = in_a_line(error, [str(place) for place in named if place])
            if text is None:
                raise
            raise click.ClickException(printable(text)) from error


def in_a_line(error: Exception, places: Sequence[str]) -> str | None:
    """Return an error in a line, of a damaged file too; None if it must show where it arose."""
    expected = ValueError, OSError, ImportError, FetchError  # they have words for a reader
    raised = extract_tb(error.__traceback__)[-1].filename
    ours = raised.startswith(OURS) and isinstance(error, (*expected, RuntimeError))
    if ours or not places or isinstance(error, OSError) or os.environ.get("TRES_DEBUG"):
        return str(error) if isinstance(error, expected) else None
    line = " ".join(f"{type(error).__name__}: {error}".split())[:200]
    remedy = "restore a copy, begin anew in another --folder, or remove `classifier` if it is that"
    names = " or ".join(map(repr, places))
    damage = f"{names}, or a file in it, is damaged ({remedy}), or tres has a fault"
    return f"{line}: {damage}; TRES_DEBUG=1 shows where"


@click.group(context_settings=HELP)
@click.version_option(package_name="tres_lib", message="%(version)s")
def main() -> None:
    """Crawl the Web for pages on a topic of your own, politely, and go on where it stopped."""


main.command_class = Orderly
main.command("fetch-web")(fetch_web)
main.command()(serve)


def flags(kind: type[TopicOptions], names: Sequence[str] = ()) -> list[click.Parameter]:
    """Return the options of this kind, or those named, as flags of a command."""
    made: list[click.Parameter] = []
    for each in (one for one in fields(kind) if one.name in names or not names):
        form: dict[str, Any] = {"type": each.type}
        if each.type is bool:
            form = {"is_flag": True, "default": None}
        elif each.type == Texts:
            form = {"multiple": True}
        flag = "--" + each.name.replace("_", "-")
        if each.default is True:
            flag += f"/--no-{flag[2:]}"
        made.append(click.Option([flag], help=each.metadata["help"], **form))
    return made


@main.command(epilog=EXAMPLE, params=flags(CrawlOptions))
@SETTINGS
@click.option(
    "--ask", is_flag=True, help="Ask about pages before the crawl: 10 to 20 answers are enough."
)
@click.option("--folder", type=PATH, help="Of results.  [crawls/TOPIC]")
def crawl(settings: str | None, folder: Path | None, ask: bool, **given: Any) -> None:
    """Begin a crawl; options may also stand in SETTINGS, a TOML file or another's crawl.json."""
    from . import crawling

    options = CrawlOptions.read(given, settings)
    path = folder or Path("crawls") / folder_name(options.topic)
    made = Folder.create(path, options, ask)
    crawling.name_code(made, given["classifier"], given["policy"])
    _crawl(made)


@main.command(params=flags(WatchOptions))
@SETTINGS
@click.option("--folder", type=PATH, help="Of results.  [watches/TOPIC]")
def watch(settings: str | None, folder: Path | None, **given: Any) -> None:
    """Watch a topic for weeks: new pages and changed ones, with a digest a day."""
    from . import crawling

    options = WatchOptions.read(given, settings)
    made = Folder.create(folder or Path("watches") / folder_name(options.topic), options)
    crawling.name_code(made, given["classifier"])
    _watch(made)


@main.command(params=CODE[:])
@FOLDER
def resume(folder: Path, classifier: str | None, policy: str | None) -> None:
    """Go on with a crawl or a watch that was stopped or killed."""
    from . import crawling

    chosen = crawling.opened(folder)
    crawling.name_code(chosen, classifier, policy)
    if chosen.kind == "watch":
        _watch(chosen)
    elif chosen.ending and chosen.ending.stop is Stop.SPENT:
        echo(f"It is finished. For more: tres extend {folder} --budget 1000")
    else:
        _crawl(chosen)


@main.command(params=[MORE, *flags(CrawlOptions, [*BOUNDS, *CLUSTER]), *CODE])
@FOLDER
def extend(
    folder: Path, budget: int, classifier: str | None, policy: str | None, **bounds: Any
) -> None:
    """Give a crawl more budget, other bounds or another cluster, and go on."""
    from . import crawling

    changed = {name: value for name, value in bounds.items() if value not in (None, ())}
    if not budget and not changed:
        raise ValueError("budget=0: give pages more, or a bound such as --max-per-domain 200")
    chosen = crawling.opened(folder, "crawl")
    crawling.name_code(chosen, classifier, policy)
    _crawl(chosen, more=budget, **changed)


@main.command()
@FOLDER
def status(folder: Path) -> None:
    """Show how a crawl or a watch stands, also while it runs."""
    from .. import reporting
    from . import crawling

    chosen = crawling.opened(folder)
    if chosen.kind == "watch":
        from .watching import status

        echo(status(chosen))
    else:
        echo(reporting.report(crawling.so_far(chosen)))


@main.command()
@FOLDER
@click.option("--to", type=PATH, help="Another folder.  [FOLDER]")
@click.option(
    "--format",
    "formats",
    multiple=True,
    help="csv, parquet, html, jsonl, markdown, warc, urls.  [all]",
)
def export(folder: Path, to: Path | None, formats: tuple[str, ...]) -> None:
    """Write a crawl as it stands: log, relevant pages with texts, WARC, links left (urls).

    Of a watch: its looks and known pages, as csv, parquet or jsonl.
    """
    names = [name.strip() for item in formats for name in item.split(",")]
    from . import crawling

    chosen = crawling.opened(folder)
    if chosen.kind == "watch":
        from .watching import write_watch

        files = write_watch(chosen, to or folder, names)
    else:
        from .extracts import write_crawl

        files = write_crawl(crawling.so_far(chosen), to or folder, names)
    for file in files:
        echo(file)


@main.command(params=CODE[:1])
@click.argument("page")
@click.option("--folder", type=PATH, required=True, help="Of a crawl or watch.")
@click.option("--words", type=click.IntRange(1), default=10, show_default=True)
def judge(page: str, folder: Path, words: int, classifier: str | None) -> None:
    """Say whether a crawl or watch would take PAGE, a URL or an HTML file, and by which words."""
    from tres_lib import topics
    from tres_webs.parsing import parse_page

    from ..topic.own import word_weights
    from . import crawling

    chosen = crawling.opened(folder)
    crawling.name_code(chosen, classifier)
    judges = crawling.classifier(chosen)
    if Path(page).is_file():
        read = parse_page("http://file.invalid/", Path(page).read_bytes())
    elif "://" in page:
        web = chosen.options.open_web()
        web.ask_only(lambda url: True)  # a person names it
        read = web.fetch(page)
    else:
        raise ValueError(f"page={page!r}: neither a URL, http://..., nor a file here")
    text = topics.page_text(read)
    p = float(judges.proba([text])[0])
    echo(f"{'relevant' if p >= 0.5 else 'irrelevant'}: probability {p:.2f}")
    for row in word_weights(judges, text, words).itertuples():
        echo(f"{row.weight:+7.3f}  {row.word}")


@main.command()
@FOLDER
@click.option(
    "--audit",
    type=click.IntRange(1),
    help="Ask about so many at random, only to tell how many of all are relevant.",
)
def review(folder: Path, audit: int | None) -> None:
    """Ask whether pages that a crawl took are relevant, and judge all again by the answers."""
    from .. import reporting
    from . import reviewing
    from .crawling import opened

    chosen = opened(folder, "crawl")
    if audit:
        now = reviewing.audit(chosen, audit, input, echo)
    else:
        now = reviewing.review(chosen, input, echo)
    echo("\n".join([*reporting.what_next(now), reporting.claim(now)]))


def _crawl(chosen: Folder, **extension: Any) -> None:
    """Run a crawl, show how it goes, and say at its end what comes next."""
    from .. import reporting
    from . import crawling

    _log_to(chosen.log)
    echo(f"{chosen.options.topic}: {chosen.options.policy}, results in {chosen.path}")
    try:
        ended = crawling.run(chosen, echo, **extension)
    except KeyboardInterrupt:
        now = crawling.so_far(chosen)
        crawling.tabulate(now)
        echo("\n".join(["", *(f"look: {line}" for line in reporting.warnings(now.result))]))
        n_pages = (now.result.log["step"] > 0).sum()
        started = chosen.ending is None or chosen.ending.stop is Stop.INTERRUPTED
        _stopped(chosen, f" after {n_pages:,} pages; all are kept", started)
    echo(reporting.report(ended, at_end=True))


def _watch(chosen: Folder) -> None:
    """Run a watch, and say at its end what comes next."""
    from . import watching

    _log_to(chosen.log)
    echo(f"{chosen.options.topic}: a digest a day in {chosen.digests}; Ctrl-C stops it")
    try:
        stopped = watching.run(chosen, echo)
    except KeyboardInterrupt:  # in its first look
        stopped = True
    echo(watching.status(chosen))
    if stopped:
        _stopped(chosen, "; all is kept")


def _stopped(chosen: Folder, how_far: str, started: bool = True) -> NoReturn:
    same = f"tres resume {quote(str(chosen.path))}" if started else "the same command again"
    echo(f"Stopped{how_far}. To go on:\n{same}")
    sys.exit(130)


def _log_to(file: Path) -> None:
    """Send warnings to the terminal, and all that the packages log to a file."""
    screen = logging.StreamHandler()
    screen.addFilter(lambda record: not hasattr(record, "at_end"))  # the command says it then
    screen.addFilter(lambda record: record.levelno > logging.INFO or hasattr(record, "at_once"))
    before: dict[str, logging.LogRecord] = {}  # of the first hundred none comes twice
    screen.addFilter(lambda r: len(before) > 99 or before.setdefault(r.getMessage(), r) is r)
    screen.setFormatter(logging.Formatter("%(levelname)s: %(message)s"))
    whole = logging.StreamHandler(open_file(file, "a", encoding="utf-8"))
    whole.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    for package in ("tres_webs", "tres_lib", "tres_live"):
        logger = logging.getLogger(package)
        logger.setLevel(logging.INFO)
        logger.handlers = [screen, whole]
