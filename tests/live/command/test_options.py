"""Options of a crawl: from flags, TOML and files; bad ones fail before anything slow begins."""

from __future__ import annotations

import socket
from dataclasses import asdict

import pytest

from tres_live.command.options import CrawlOptions, Folder
from tres_live.web.connections import read_networks

GIVEN = {
    "topic": "jazz",
    "keywords": ["jazz, ragtime"],
    "seeds": ["http://a.example/jazz"],
    "contact": "me@a.example",
}


def read(file=None, **changed):
    return CrawlOptions.read(GIVEN | changed, file)


def test_a_toml_file_and_flags_that_overrule_it(tmp_path):
    file = tmp_path / "jazz.toml"
    file.write_text('topic = "blues"\nbudget = 30\ndeny-domain = ["a.example"]\nmax_depth = 4\n')
    options = read(file, budget=40)
    assert (options.topic, options.budget, options.max_depth) == ("jazz", 40, 4)
    assert not options.scope()("http://www.a.example/", 1)


def test_lists_may_be_files(tmp_path):
    seeds = tmp_path / "seeds.txt"
    seeds.write_text("# a comment\nhttp://a.example/\n\nhttp://b.example/\n")
    words = tmp_path / "words.txt"
    words.write_text("jazz\nNew Orleans, early\n")
    options = read(seeds=[str(seeds)], keywords=[str(words)])
    assert options.seeds == ("http://a.example/", "http://b.example/")
    assert options.keywords == ("jazz", "New Orleans", "early")


@pytest.mark.parametrize(  # more are in test_wrong_calls.py
    ("changed", "told"),
    [
        ({"topic": None}, "topic: missing"),
        ({"seeds": ["seeds.txt"]}, "neither a URL.* nor a file"),
        ({"keywords": []}, "keywords=.*describe 'jazz'"),
        ({"keywords": ["jazz"]}, "two words or more, with commas between$"),
        ({"topic": "sport", "keywords": []}, "two words or more.*book: sports, food, computing"),
        ({"contact": None, "proxy": "http://127.0.0.1:8080"}, "contact"),
        ({"allow_domain": ["a.example"], "deny_domain": ["a.example"]}, "in both"),
        ({"policy": "oracle"}, "policy='oracle': not on the Web; use .*prospector"),
        ({"contact": "nobody"}, "contact='nobody'.*--contact me@site.org"),
        ({"proxy": "socks5://127.0.0.1:1"}, "proxies='socks5.*--proxy http://host:port"),
        ({"proxy": "http://me:secret@a.example:8080"}, "proxy: its password would be .*PROXY'$"),
        ({"classifier": "svm"}, "classifier='svm': give one of keywords, module:object"),
        ({"allow_domain": ["http://a.example/"]}, "allow"),
        ({"intranet": ["10.0.0"]}, "--intranet.: '10.0.0' does not.*use hosts, addresses"),
        ({"cluster": "a.example:8786"}, "cluster='tcp://a.example:8786'.*--cluster-plain"),
        ({"cluster": "inproc://a"}, "cluster='inproc://a': give tls://HOST:PORT"),
        (
            {"cluster": "tls://a.example:1", "header": ["https://a.example Name: $HOME"]},
            "cluster: no login is sent",
        ),
    ],
)
def test_bad_options_are_named(changed, told):
    with pytest.raises(ValueError, match=told):
        read(**changed)


LISTS = "keywords seeds examples allow_domain deny_domain include exclude intranet"
TEXTS = "topic contact user_agent policy classifier proxy"


@pytest.mark.parametrize(
    ("line", "told"),
    [
        *((f"{name} = 3", f"{name}=3: give a list of texts") for name in LISTS.split()),
        *((f"{name} = 3", f"{name}=3: give a text") for name in TEXTS.split()),
        ('topic = ["a"]', r"topic=\['a'\]: give a text"),
        ("keywords = [1, 2]", "keywords: 1 is no text"),
        ('probe = "no"', "probe='no': give true or false"),
        ("sitemaps = 1", "sitemaps=1: give true or false"),
        ("budget = true", "budget=True: give a whole number"),
        ("max-depth = 2.5", "max_depth=2.5: give a whole number"),
        ('delay = "1"', "delay='1': give a number"),
    ],
)
def test_a_value_of_another_type_in_a_file_is_told(tmp_path, line, told):
    file = tmp_path / "jazz.toml"
    file.write_text(f"{line}\n")
    given = {name: value for name, value in GIVEN.items() if not line.startswith(name)}
    with pytest.raises(ValueError, match=told):
        CrawlOptions.read(given, file)


@pytest.mark.parametrize(
    ("intranet", "changes", "allowed"),
    [
        (["127.0.0.1"], {}, ("127.0.0.1", "a.example")),
        (["127.0.0.0/8"], {}, None),
        (["127.0.0.1"], {"allow_domain": ["b.example"]}, ("b.example",)),
        (["::1"], {}, ("a.example",)),
    ],
)
def test_a_crawl_of_hosts_of_an_intranet_stays_there(intranet, changes, allowed):
    scope = read(intranet=intranet, seeds=["http://a.example/"], **changes).scope()
    assert (scope and scope.allow) == allowed


def test_a_host_of_an_intranet_is_resolved_when_the_crawl_begins(monkeypatch):
    asked = []

    def look_up(host, port):
        asked.append(host)
        if host == "gone":
            raise socket.gaierror(-2, "Name or service not known")
        return [(0, 0, 0, "", ("10.1.2.3", 0)), (0, 0, 0, "", ("fd00::7%eth0", 0, 0, 3))]

    monkeypatch.setattr("tres_live.web.connections.socket.getaddrinfo", look_up)
    options = read(intranet=["Wiki, 192.168.0.0/16"])
    asked.clear()
    CrawlOptions(**asdict(options))  # as `tres status` does
    assert not asked
    options.open_web()
    assert asked == ["Wiki"]
    allowed = read_networks(options.intranet)
    assert list(map(str, allowed)) == ["10.1.2.3/32", "fd00::7/128", "192.168.0.0/16"]
    assert read_networks(options.intranet, resolve=False) == allowed[2:]
    asked.clear()
    read(intranet=["wiki"], proxy="http://127.0.0.1:8080")  # which resolves names itself
    assert not asked
    with pytest.raises(ValueError, match="--intranet.: no address of 'gone' is known, Name.*use"):
        read(intranet=["gone"])


def test_an_unknown_option_of_a_file_is_named_with_the_one_that_was_meant(tmp_path):
    file = tmp_path / "jazz.toml"
    file.write_text('topc = "jazz"\n')
    with pytest.raises(ValueError, match="topc: a crawl has no such option; did you mean 'topic'"):
        read(file)


def test_the_file_of_a_crawl_gives_its_options_again(tmp_path):
    options = read(
        keywords=["jazz, New Orleans"],
        seeds=["http://a.example/?a=1&b='2'", "http://b.example/"],
        examples=["A trumpet, a drum and a band play"],
        include=["/(jazz|blues)/"],
        delay=0.5,
        max_per_domain=0,
        sitemaps=True,
        probe=True,
    )
    Folder.create(tmp_path, options)
    assert CrawlOptions.read({}, tmp_path / "crawl.json") == options
    assert CrawlOptions.read({"budget": 7}, tmp_path / "crawl.json").budget == 7
    (tmp_path / "crawl.json").write_text("{}")
    with pytest.raises(ValueError, match="crawl.json holds no options"):
        CrawlOptions.read({}, tmp_path / "crawl.json")


def test_a_proxy_may_be_named_by_a_variable(monkeypatch):
    monkeypatch.setenv("OUR_PROXY", "http://me:secret@127.0.0.1:8080")
    options = read(proxy="$OUR_PROXY")
    assert options.open_web()._client.proxies["http"] == "http://me:secret@127.0.0.1:8080"
    assert "secret" not in str(asdict(options))
    for wrong in ("me:secret@h:1", "http://me:secret@h:99999", "http://me:secret x@h:1"):
        monkeypatch.setenv("OUR_PROXY", wrong)  # requests would tell it, and a crawl write it down
        with pytest.raises(ValueError, match="give an HTTP proxy") as raised:
            read(proxy="$OUR_PROXY")
        assert "secret" not in str(raised.value)
    monkeypatch.delenv("OUR_PROXY")
    with pytest.raises(ValueError, match=r"proxies='\$OUR_PROXY'"):
        read(proxy="$OUR_PROXY")


def test_a_file_with_a_number_beyond_what_python_reads_is_named(tmp_path):
    path = tmp_path / "own.toml"
    path.write_text("budget = " + "9" * 5_000)
    with pytest.raises(ValueError, match=r"own\.toml holds no options"):
        CrawlOptions.read({}, path)


def test_a_topic_of_the_book_is_known_in_capitals():
    assert read(topic="Sports", keywords=[]).topic == "sports"
    assert read(topic="Sports").topic == "Sports"  # of one's own
