"""The API reference: nothing public is without words, and its pages need no network."""

import re
import shutil
import subprocess
import sys
from importlib import import_module
from operator import attrgetter
from pathlib import Path

import pytest

pytest.importorskip("pdoc")

import tres_lib
from tres_book.study import api, notebooks, workspace
from tres_book.study.chapters import Study

pytestmark = pytest.mark.slow
ROOT = workspace.root()


@pytest.fixture(scope="module")
def names() -> dict[str, api.Name]:
    """What is known of each name in `__all__`, without the library's own name."""
    found = api.public_names(ROOT, api.public_modules())
    short = {path.removeprefix("tres_lib."): name for path, name in found.items()}
    inner = {path: name for path, name in short.items() if path.count(".") == 1}
    return {
        path: name for path, name in inner.items() if path.partition(".")[0] in tres_lib.__all__
    }


@pytest.fixture(scope="module")
def pages(tmp_path_factory) -> dict[str, str]:
    """All pages, by their paths. Made by another process, as they are by the driver."""
    folder = tmp_path_factory.mktemp("api")
    code = "import sys; from pathlib import Path; from tres_book.study import api\n"
    code += "api.build(*map(Path, sys.argv[1:]))"
    subprocess.run([sys.executable, "-c", code, str(ROOT), str(folder)], check=True, cwd=ROOT)
    assert api.is_fresh(ROOT, folder)
    files = [path for path in folder.rglob("*") if path.is_file()]
    return {str(path.relative_to(folder)): path.read_text(encoding="utf-8") for path in files}


def packages():
    folders = sorted(Path(tres_lib.__file__).parent.glob("*/__init__.py"))
    return [import_module(f"tres_lib.{folder.parent.name}") for folder in folders]


def test_every_public_name_is_known(names):
    public = {f"{p.__name__[9:]}.{name}" for p in packages() for name in p.__all__}
    modules = {path for path in public if path not in names}
    assert public >= set(names)
    assert all(attrgetter(path)(tres_lib).__name__ in api.public_modules() for path in modules)


def test_every_public_name_has_a_docstring(names):
    assert [path for path, name in names.items() if not name.member.docstring] == []
    assert [m.fullname for m in api.public_modules().values() if not m.docstring] == []


def test_every_public_name_leads_to_an_example_or_a_chapter(names):
    lead = {path for path, n in names.items() if n.has_example or n.chapters or n.through}
    for _ in range(2):  # a name in the signature of one that leads there
        seen = {p: {f"{p.partition('.')[0]}.{other}" for other in names[p].seen_in} for p in names}
        lead |= {path for path in names if seen[path] & lead}
    assert sorted(set(names) - lead) == []


def test_uses_are_found_whatever_the_way_of_import():
    source = "from tres_lib import web, focused as f\nfrom tres_lib.topics import Topic as T\n"
    source += "import tres_lib.refresh\nw = web.VitalWeb(seed=f.crawl)\nT('a'); w.seeds; np.log"
    assert {"tres_lib.web.VitalWeb", "tres_lib.focused.crawl", "tres_lib.topics.Topic"} <= api.uses(
        source
    )
    inside = "from ..web import VitalWeb\nfrom . import tres\nVitalWeb(); tres.course"
    used = api.uses(inside, "tres_book.chapters")
    assert used == {
        "tres_lib.web.VitalWeb", "tres_book.crawls.trial", "tres_book.crawls.trial.course"
    }  # fmt: skip


def test_chapters_are_told(names):
    assert "13-crawl-your-topic" in names["tres_live.Archive"].chapters
    assert names["web.Topic"].chapters == names["topics.Topic"].chapters != set()
    assert "05-crawler-comparison" in names["focused.search_engine"].through
    assert "parse_page" in names["web.Page"].seen_in and names["web.parse_page"].has_example


def test_pages_show_names_where_users_find_them(pages):
    page = pages["tres_lib/focused.html"]
    assert 'id="crawl"' in page and 'id="POLICIES"' in page and 'id="TreeFrontier.pop"' in page
    assert 'href="web.html#Web"' in page or 'href="../tres_lib/web.html#Web"' in page
    assert "../../05-crawler-comparison.html" in page
    assert "tres_lib/focused/crawl.html" not in pages and "tres_lib/web/page.html" not in pages
    assert {f"tres_lib/experiments/{name}.html" for name in ("tres", "webs")} <= set(pages)
    assert 'href="tres_lib/focused.html"' in pages["tres_lib.html"]


def test_pages_ask_for_nothing_from_the_network(pages):
    for path, text in pages.items():
        if path.endswith(".html"):
            loaded = re.findall(r"<(?:script|img|link|iframe)[^>]*(?:src|href)=\"([^\"]*)", text)
            assert all(re.match(r"data:", url) for url in loaded), (path, loaded)
            assert not re.search(r"@import|url\(['\"]?https?:", text), path


def test_every_link_leads_to_a_page_and_a_place(pages):
    for path, text in pages.items():
        if not path.endswith(".html") or path == "index.html":
            continue
        for href in re.findall(r'<a[^>]* href="([^"$]*)"', text):
            if re.match(r"https?:|\.\./(\.\./)*(\d\d-[a-z-]+|index)\.html$", href):
                continue
            target, _, place = href.partition("#")
            there = (Path("/") / path).parent.joinpath(target or Path(path).name).resolve()
            html = pages[str(there)[1:]]
            assert not place or f'id="{place}"' in html, (path, href)


def test_docstrings_leave_no_markup_behind(pages):
    for path, text in pages.items():
        plain = re.sub(r"<(script|style)\b.*?</\1>|<pre>.*?</pre>|<[^>]*>", "", text, flags=re.S)
        if path.endswith(".html"):
            found = re.findall(
                r".*(?:``|-----|:[a-z]+:`|Alias for field|attrgetter\(attr).*", plain
            )
            assert not found, (path, found[:3])
            assert not re.search(r"\):\s*</(p|li)>", text), path


def test_a_fresh_reference_is_left_alone(tmp_path):
    (tmp_path / ".stamp").write_text(api.fingerprint(ROOT))
    api.build(ROOT, tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == [".stamp"]
    (tmp_path / ".stamp").write_text("older")
    assert not api.is_fresh(ROOT, tmp_path)


def test_the_driver_writes_it_along_with_the_reports(tmp_path, monkeypatch):
    for folder in ("notebooks", "params", "tres_lib", "data", "reports/api"):
        (tmp_path / folder).mkdir(parents=True)
    shutil.copytree(ROOT / "templates", tmp_path / "templates")
    (tmp_path / "params" / "smoke.yaml").write_text("{}")
    (tmp_path / "data" / "claims.yaml").write_text((ROOT / "data" / "claims.yaml").read_text())
    stamp = tmp_path / "reports" / "api" / ".stamp"
    stamp.write_text(api.fingerprint(tmp_path))
    (tmp_path / "reports" / "api" / "index.html").write_text("there")
    monkeypatch.setenv("TRES_BUILD", str(tmp_path / "build"))
    assert notebooks.run(Study(tmp_path, "smoke")) == 0
    front = (tmp_path / "reports" / "index.html").read_text(encoding="utf-8")
    assert '<a href="api/index.html">API reference</a>' in front
    assert (tmp_path / "reports" / "api" / "index.html").read_text() == "there"
