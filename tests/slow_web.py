"""A small web whose pages take their time, and which notes in a file who was asked for what."""

import os
import time
from pathlib import Path

from fakes import DictWeb, orchard


class SlowWeb(DictWeb):
    def __init__(self, delay: float, notes: Path):
        place = orchard(sites=30, pages=12)
        super().__init__(place.pages, place.truth)
        self.delay, self.notes = delay, notes

    def fetch(self, url):
        time.sleep(self.delay)
        with self.notes.open("a") as file:
            file.write(f"{os.getpid()} {url}\n")
        return super().fetch(url)


def says_apple(texts):
    return [0.9 if "apple" in text.lower() else 0.1 for text in texts]
