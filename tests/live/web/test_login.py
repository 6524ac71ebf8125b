"""Cookies and headers of a login: for the hosts that they name, at every hop, and for no other."""

from __future__ import annotations

import json
import time

import pytest
from click.testing import CliRunner
from loopback import Loopback, live, reply

from tres_live.command.app import main
from tres_live.web.http import Logins
from tres_webs import FetchError

HEAD = "# Netscape HTTP Cookie File\n"
LATER = int(time.time()) + 10_000
OTHER = "127.0.0.2"


def cookie_file(tmp_path, *lines):
    file = tmp_path / "cookies.txt"
    file.write_text(HEAD + "".join("\t".join(map(str, line)) + "\n" for line in lines))
    return file


def line(domain, value, *, below="FALSE", path="/", secure="FALSE", until=LATER):
    return domain, below, path, secure, until, "session", value


@pytest.mark.network
def test_a_login_is_for_its_host_and_robots_txt_and_not_for_where_a_redirect_leads(tmp_path):
    with Loopback({"/": reply("<p>out")}, address=OTHER) as other:
        away = reply(status=302, Location=other.url("/"))
        with Loopback({"/in": reply("<p>in"), "/out": away, "/": reply()}) as host:
            crawler = live(
                cookies=cookie_file(tmp_path, line("127.0.0.1", "secret")),
                headers={host.url().upper(): {"Authorization": "Bearer t", "user-agent": "x"}},
            )
            assert crawler.fetch(host.url("/in")).text == "in"
            assert crawler.fetch(host.url("/out")).text == "out"
            crawler.fetch(other.url("/"))
    assert host.paths() == ["/robots.txt", "/in", "/out"]
    for asked in host.asked:
        assert asked.headers["cookie"] == "session=secret"
        assert asked.headers["authorization"] == "Bearer t"
    assert other.paths() == ["/robots.txt", "/", "/"]
    for asked in (*host.asked, *other.asked):
        assert asked.headers["user-agent"].startswith("test-crawler/1.0 (+")
    assert not any({"cookie", "authorization"} & set(asked.headers) for asked in other.asked)


@pytest.mark.network
def test_a_header_is_for_one_port_and_what_hosts_set_is_not_kept():
    with Loopback({"/": reply("<p>x", Set_Cookie="a=b; Path=/")}) as one, Loopback({}) as two:
        crawler = live(headers={one.url(): {"X-Key": "k"}})
        for _ in range(2):
            crawler.fetch(one.url())
        with pytest.raises(FetchError, match="404"):
            crawler.fetch(two.url())
    assert {asked.headers.get("x-key") for asked in one.asked} == {"k"}
    assert not any("x-key" in asked.headers for asked in two.asked)
    assert not any("cookie" in asked.headers for asked in (*one.asked, *two.asked))


@pytest.mark.parametrize(
    ("lines", "sent"),
    [
        ([line("a.example", 1)], "1 - - -"),
        ([line(".a.example", 1, below="TRUE")], "1 1 - -"),
        ([line("a.example", 1, path="/in")], "- - - -"),
        ([line("a.example", 1, secure="TRUE")], "- - - 1"),
        ([line("a.example", 1, until=0)], "1 - - -"),  # of the browser's session
        ([line("a.example", 1, until=5), line("wiki", 1)], "- - 1 -"),
        ([line("#HttpOnly_a.example", 1)], "1 - - -"),
    ],
)
def test_which_host_a_cookie_is_for(tmp_path, lines, sent):
    logins = Logins(cookie_file(tmp_path, *lines))
    hosts = "http://a.example/", "http://b.a.example/", "http://wiki/", "https://a.example/"
    sent = sent.replace("1 - - -", "1 - - 1").replace("1 1 - -", "1 1 - 1")  # https as well
    given = [logins.headers(url).get("Cookie", "-").removeprefix("session=") for url in hosts]
    assert " ".join(given) == sent
    assert not Logins(None).headers("http://a.example/")
    for other in ("http://xa.example/", "http://a.example.org/", "http://example/"):
        assert not logins.headers(other)


@pytest.mark.parametrize(
    ("lines", "told"),
    [
        ([line("a.example", "secret", until=5)], "has no cookie that still holds; log in"),
        ([("a.example", "secret")], "not readable; give a file in Netscape's format"),
        ([line("a.example", "secret", below="TRUE")], "not readable"),
        ([line(".co.uk", "secret", below="TRUE")], "'.co.uk' is no site"),
    ],
)
def test_a_bad_file_is_told_without_its_secrets(tmp_path, lines, told, recwarn):
    with pytest.raises(ValueError, match=told) as caught:
        live(cookies=cookie_file(tmp_path, *lines))
    assert "secret" not in str(caught.value) and not recwarn.list
    with pytest.raises(ValueError, match="cookies='nowhere': No such file"):
        live(cookies="nowhere")


@pytest.mark.slow
@pytest.mark.network
def test_a_crawl_logs_in_and_stores_no_secret(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TQDM_DISABLE", "1")
    monkeypatch.setenv("WIKI_TOKEN", "hush-hush")
    cookie_file(tmp_path, line("127.0.0.1", "secret"))
    words = "<p>An apple tree is a tree with an apple in this orchard. <a href=/b>apple</a>"
    with Loopback({"/": reply(words), "/b": reply(f"{words} again and more")}) as host:
        header = f"{host.url('')} Authorization: Bearer $WIKI_TOKEN"
        given = ["--topic", "fruit", "--keywords", "apple, tree", "--contact", "me@a.example"]
        given += ["--seeds", host.url(), "--intranet", "127.0.0.1", "--delay", "0.01"]
        given += ["--cookies", "cookies.txt", "--header", header, "--folder", "one"]
        found = CliRunner().invoke(main, ["crawl", *given, "--budget", "1"])
        assert found.exit_code == 0, found.output
    assert {asked.headers.get("cookie") for asked in host.asked} == {"session=secret"}
    assert {asked.headers.get("authorization") for asked in host.asked} == {"Bearer hush-hush"}
    stored = json.loads((tmp_path / "one" / "crawl.json").read_text())["options"]
    assert (stored["cookies"], stored["header"]) == (str(tmp_path / "cookies.txt"), [header])
    for file in (tmp_path / "one").rglob("*.*"):
        content = file.read_bytes() if file.is_file() else b""
        assert b"secret" not in content and b"hush-hush" not in content, file
    monkeypatch.delenv("WIKI_TOKEN")
    found = CliRunner().invoke(main, ["extend", "one", "--budget", "1"])
    assert found.exit_code == 1 and "no variable is named 'WIKI_TOKEN'" in found.output
    given[given.index(header)] = f"{host.url('')} Authorization: Bearer open-secret"
    found = CliRunner().invoke(main, ["crawl", *given, "--folder", "two"])
    assert "header: its value would be stored; put it into a variable" in found.output
    assert "open-secret" not in found.output and not (tmp_path / "two").exists()


def test_a_bad_header_is_told_without_its_value():
    with pytest.raises(ValueError, match="'X' for https://wiki.example: no sound") as caught:
        live(headers={"https://wiki.example": {"X": "secret\nY: 1"}})
    assert "secret" not in str(caught.value)
