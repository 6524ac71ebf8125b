"""Where the links of a folder of pages lead, and a page as a browser shows it."""

import re
import shutil
import subprocess
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote

import pytest

FOLLOWED = {"href", "src", "srcset", "poster", "action", "data"}


class _Page(HTMLParser):
    """The places in a page, and its links with their tags."""

    def __init__(self, file: Path) -> None:
        super().__init__()
        self.places, self.links = {"", "__skip"}, []  # the docs' theme writes the second by script
        text = file.read_text(encoding="utf-8")
        styles = re.findall(r"<style.*?</style>|style=\"[^\"]*\"", text, re.DOTALL)
        loaded = re.findall(
            r"(?:url\(|@import)[\s\"']*([^\"')\s]+)", text if file.suffix == ".css" else str(styles)
        )
        self.links += [("style", link) for link in loaded]
        if file.suffix == ".html":
            self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.places |= {value for name, value in attrs if name == "id"}
        self.links += [(tag, value or "") for name, value in attrs if name in FOLLOWED]


def outward(folder: Path) -> Iterator[tuple[str, str, str]]:
    """Yield page, tag and link of each link that leads to no file, or no place of a page, in it."""
    files = {file.resolve() for file in folder.rglob("*") if file.is_file()}
    pages = {file: _Page(file) for file in files if file.suffix in (".html", ".css")}
    for file, page in pages.items():
        for tag, link in page.links:
            target, _, place = unquote(link).partition("#")
            there = (file.parent / target).resolve() if target else file
            found = there in files and (there not in pages or place in pages[there].places)
            if not found and not link.startswith(("data:", "javascript:")):
                yield file.relative_to(folder.resolve()).as_posix(), tag, link


def in_browser(page: str, script: str, folder: Path) -> str:
    """Return a page as Chromium shows it after one more script; skip without Chromium."""
    browser = shutil.which("chromium") or shutil.which("google-chrome")
    if not browser:
        pytest.skip("no Chromium is at hand")
    file = folder / "page.html"
    file.write_text(page.replace("</body>", f"<script>{script}</script></body>"))
    options = ["--headless", "--no-sandbox", "--disable-gpu", "--dump-dom"]
    done = subprocess.run([browser, *options, file.as_uri()], capture_output=True, timeout=120)
    return done.stdout.decode()
