"""The options that the commands of ``tres`` share."""

from collections.abc import Callable
from typing import Any

import click

from .options import CrawlOptions


def told(what: str, option: str) -> str:
    """Return an option's help with its default."""
    return f"{what}  [{getattr(CrawlOptions, option)}]"


SHARED = [  # options that tell what, where and how politely
    click.option("--topic", help="Its name. One of the book's (sports, ...) needs no keywords."),
    click.option(
        "--keywords", multiple=True, help="Words of the topic: 'jazz, ragtime', or a file."
    ),
    click.option(
        "--seeds", multiple=True, help="URL to start from, or a file of URLs; may be repeated."
    ),
    click.option("--contact", help="Your mail address or page, for the hosts that you visit."),
    click.option(
        "--examples",
        multiple=True,
        help="URL or text of a relevant page, or a file of them.  [seeds]",
    ),
    click.option(
        "--rules", multiple=True, help="Regular expression for titles of relevant articles."
    ),
    click.option("--labels", help="File of your answers to --ask.  [FOLDER/labels.jsonl]"),
    click.option(
        "--classifier", help=told("svm (seconds of training) or kwbilstm (minutes).", "classifier")
    ),
    click.option("--delay", type=float, help=told("Seconds between requests to a host.", "delay")),
    click.option("--allow-domain", multiple=True, help="Follow links only to this host and below."),
    click.option("--deny-domain", multiple=True, help="Follow no links to this host and below."),
    click.option("--include", multiple=True, help="Regular expression that a URL must match."),
    click.option("--exclude", multiple=True, help="Regular expression that a URL must not match."),
    click.option(
        "--intranet", multiple=True, help="Host or network that is not public and may be crawled."
    ),
    click.option("--proxy", help="Address of an HTTP proxy, such as that of `tres serve`."),
    click.option("--user-agent", help="Name and version of your crawler."),
    click.option("--rng", type=int, help=told("Seed of the crawl's randomness.", "rng")),
]


def with_shared(command: Callable[..., Any]) -> Callable[..., Any]:
    """Return the command with the shared options, the first on top."""
    for option in reversed(SHARED):
        command = option(command)
    return command
