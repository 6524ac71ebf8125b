"""A small web whose pages take their time, and which notes in a file who was asked for what."""

import os
import time
from collections.abc import Callable
from pathlib import Path

from fakes import DictWeb, orchard

from tres_lib.web import FetchError, domain
from tres_live.shards.shard import owner


class SlowWeb(DictWeb):
    def __init__(self, delay: float, notes: Path, down: Callable[[str], bool] | None = None):
        place = orchard(sites=30, pages=12)
        super().__init__(place.pages, place.truth)
        self.delay, self.notes, self.down = delay, notes, down

    def fetch(self, url):
        time.sleep(self.delay)
        with self.notes.open("a") as file:
            file.write(f"{os.getpid()} {url}\n")
        if self.down is not None and self.down(domain(url)):
            raise FetchError(url, "timeout")
        return super().fetch(url)


def of_shard_1(site):
    return owner(site, 4) == 1


def not_the_first(site):
    return site not in ("site0.example", "site4.example")


def says_apple(texts):
    return [0.9 if "apple" in text.lower() else 0.1 for text in texts]
