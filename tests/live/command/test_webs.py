"""The laboratory that `tres serve` serves."""

import pytest
import requests
from lxml import html

import tres_live
from tres_lib import web
from tres_lib.web import load_topics
from tres_live.command.webs import Browsable

pytestmark = pytest.mark.network


def test_a_browser_sees_the_laboratory_from_an_index_of_topics():
    lab = Browsable(web.VitalWeb(0, 2_000))
    with tres_live.serve(lab) as served:
        here = f"http://127.0.0.1:{served.port}"
        index = html.fromstring(requests.get(f"{here}/").content)
        (first, *_) = index.xpath("//h2[.='food']/following-sibling::ul[1]//a")
        shown = requests.get(here + first.get("href"))
        page = html.fromstring(shown.content)
        asked = lab.seeds("food", 5, rng=0)[0]
        through = html.fromstring(requests.get(asked, proxies=served.proxies).content)
        gone = requests.get(f"{here}/?url=http://nowhere.example/")
    assert shown.ok and page.findtext(".//title") == through.findtext(".//title")
    links = page.xpath("//a/@href")
    assert links and all(link.startswith("/?url=http") for link in links)
    assert index.xpath("//h2/text()") == list(load_topics()) and gone.status_code == 404
