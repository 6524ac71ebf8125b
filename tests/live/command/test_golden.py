"""What a person sees of the tool is what was recorded: outputs, exported files, judgements."""

import base64
import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner

import tres_live
import tres_webs as web
from tres_live.command.app import main

pytestmark = [pytest.mark.network, pytest.mark.slow]
GOLDEN = Path(__file__).parents[2] / "golden" / "tool.json"
SITE, OTHER = "http://docs.example/", "http://walls.example/"
FRUIT = "An apple of this tree and an apple of that tree are the fruit of the old orchard."
DISK = "An apple menu and a tree view and an apple keyboard belong to the folder of a computer."
WALL = "A stone wall and a second stone wall stand where the road leads out of the old town."
VARIES = {  # what differs from run to run: times, ports, rates
    r"127\.0\.0\.1:\d+": "127.0.0.1:PORT",
    r"(pages a second  )\S+": r"\1RATE",
    r'("(?:seconds|time)": ?)[^,}]+': r"\1TIME",
    r"compiling, which .*\n": "",
}
CRAWLS = {  # by folder: the seed, and flags
    "long": (SITE, "--budget", 45),
    "mixed": (f"{OTHER}start", "--budget", 20, "--max-per-domain", 12, "--policy", "bfs"),
    "poor": (f"{OTHER}start", "--budget", 55, "--max-per-domain", 0, "--allow-domain", OTHER[7:-1]),
    "taught": (SITE, "--budget", 12, "--examples", f"{SITE}2", "--examples", f"{FRUIT} And more"),
    "shallow": (SITE, "--max-depth", 1, "--exclude", "/[3-9]", "--in-flight", 1),
    "gone": (f"{SITE}gone", "--examples", FRUIT),
    "unknown": (f"{OTHER}start", "--keywords", "Apfelbaum, Obstwiese"),
    "book": (SITE, "--topic", "food", "--keywords", "apple, pie", "--budget", 3),
}
LINES = (  # commands, with what is answered; each in the folders that the former ones left
    ("status long", ""),
    ("resume long", ""),
    ("extend long", ""),
    ("judge page.html --folder long", ""),
    (f"judge {SITE}4 --folder long --words 4", ""),
    ("judge nowhere --folder long", ""),
    ("review long --audit 6", "y\nn\ny\ns\nq\n"),
    ("status long", ""),
    ("review long", "y\nn\nu\nn\ny\nn\ny\nn\ny\nn\ny\nn\nq\n"),
    ("extend long --budget 10", ""),
    ("review long --audit 4", "y\ny\ny\ny\n"),
    ("export long --to out", ""),
    ("export long --format pdf", ""),
    ("status poor", ""),
    ("review poor", "y\nq\n"),
    ("extend mixed --max-per-domain 0 --budget 15", ""),
    ("status mixed", ""),
    ("status shallow", ""),
    ("resume gone", ""),
    ("status nowhere", ""),
    ("crawl long/crawl.json --folder long", ""),
    ("crawl long/crawl.json --policy worst", ""),
)
FILES = "frontier.txt", "log.csv", "relevant.html", "relevant.jsonl", "relevant.md"
STORED = "crawl.json", "labels.jsonl", "audit.json", "examples.json", "around.json"


def pages():
    """Return a site of manuals, half of which mean computers, and one of walls that links there."""
    links = " ".join(f"<a href='{SITE}{i}'>entry</a>" for i in range(60))
    found = {SITE: f"<title>All entries</title>{links}<a href='{OTHER}3'>wall</a>"}
    for i in range(60):
        words = f"about {'x' * (i + 1)}"
        more = f"<a href='{SITE}{(i * 7) % 60}'>apple</a> <a href='{OTHER}{i}'>wall</a>" * (
            i % 5 == 0
        )
        found[f"{SITE}{i}"] = f"<title>Entry</title><p>{DISK if i % 2 else FRUIT} {words}</p>{more}"
        found[f"{OTHER}{i}"] = f"<title>Wall {i}</title><p>{WALL} {words}</p>"
    found[f"{OTHER}7"] = found[f"{OTHER}8"]  # a copy
    links = " ".join(f"<a href='{OTHER}{i}'>a tree?</a>" for i in range(62))
    found[f"{OTHER}start"] = f"<p>apple tree</p>{links} <a href='{SITE}4'>apple</a>"
    return found


def plain(text):
    for varies, name in VARIES.items():
        text = re.sub(varies, name, text)
    return text


def told(*line, answers=""):
    ended = CliRunner().invoke(main, [*map(str, line)], input=answers)
    return f"{plain(ended.output)}exit code {ended.exit_code}".splitlines()


def table(text):
    """Return a CSV file without the column of seconds."""
    rows = [line.split(",") for line in text.splitlines()]
    skip = rows[0].index("seconds")
    return [",".join(row[:skip] + row[skip + 1 :]) for row in rows]


def of_file(file):
    text = plain(file.read_text(encoding="utf-8"))
    return table(text) if file.suffix == ".csv" else text.splitlines()


def old_folder(path):
    """Make the folder of a crawl that an earlier revision left."""
    for name, content in json.loads(GOLDEN.with_name("folder.json").read_text()).items():
        (file := path / name).parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(
            base64.b64decode(content["base64"]) if "base64" in content else content["text"].encode()
        )


def seen(home):
    """Return all that a person sees of these crawls and commands, by the line."""
    found = {}
    with tres_live.serve(web.ReplayWeb.from_pages(pages())) as served:
        flags = ["--topic", "fruit", "--contact", "me@a.example", "--delay", 0.001]
        flags += ["--proxy", served.proxies["http"], "--policy", "best-first"]
        for name, (seed, *more) in CRAWLS.items():
            words = [] if "--keywords" in more else ["--keywords", "apple, tree"]
            line = [*flags, *words, "--seeds", seed, *more, "--folder", name]
            found[f"crawl {name}"] = told("crawl", *line)
        for number, (line, answers) in enumerate(LINES):
            found[f"{number} {line}"] = told(*line.split(), answers=answers)
        shown = json.loads(Path("long/crawl.json").read_text())["options"]
        address = shown["proxy"]
        old_folder(home / "old")
        for line in (
            "status old",
            "review old",
            "export old --to out-old",
            "judge page.html --folder old",
        ):
            found[line] = told(*line.split(), answers="n\nq\n")
    found |= {f"out/{name}": of_file(Path("out", name)) for name in FILES}
    found |= {f"out-old/{name}": of_file(Path("out-old", name)) for name in FILES}
    for folder in CRAWLS:
        for name in STORED:
            if (file := Path(folder, name)).exists():
                found[f"{folder}/{name}"] = of_file(file)
    assert address.startswith("http://127.0.0.1:")
    return found


def test_what_is_seen_of_crawls_is_what_was_recorded(tmp_path, monkeypatch):
    pytest.importorskip("resiliparse")  # by which texts are exported
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TQDM_DISABLE", "1")
    (tmp_path / "page.html").write_text(f"<title>Apples</title><p>{FRUIT}")
    found, golden = seen(tmp_path), json.loads(GOLDEN.read_text())
    assert list(found) == list(golden["seen"])
    for what, lines in golden["seen"].items():
        assert found[what] == lines, what


def judged():
    """Return what own topics make of texts, by what they learn from."""
    site = web.ReplayWeb.from_pages(pages())
    texts = [FRUIT, DISK, WALL, "Apple tree", "", "Ein Apfelbaum steht im Garten", f"{WALL} apple"]
    found = {}
    for name, topic in {
        "keywords": web.Topic("fruit", ("apple", "tree")),
        "signs": web.Topic("fruit", ("C++", "apple", "the")),
        "example": web.Topic("fruit", ("apple", "tree"), examples=(FRUIT,)),
        "examples": web.Topic(
            "fruit", ("apple", "tree", "orchard"), examples=(FRUIT, f"{FRUIT} x")
        ),
    }.items():
        own = tres_live.OwnTopic(topic, [SITE, f"{SITE}gone", f"{OTHER}start"])
        rows = {"warnings": own.warnings(), "unmatched": list(own.unmatched_keywords())}
        rows["p"] = own.classifier().proba(texts).round(9).tolist()
        own.look_around(site)
        own.train()
        rows["around"] = own.classifier().proba(texts).round(9).tolist()
        rows["look"] = own.first_look(site).to_csv(float_format="%.9g").splitlines()
        asked = own.questions(site, 6, fetches=30)
        rows["questions"] = asked.round(9).to_csv(float_format="%.9g").splitlines()
        for row in asked.itertuples():
            own.answer(row.url, row.text, "orchard" in row.text)
        rows["answered"] = own.classifier().proba(texts).round(9).tolist()
        rows["report"] = own.report().to_csv().splitlines()
        rows["words"] = (
            tres_live.word_weights(own.classifier(), DISK, 4)
            .to_csv(float_format="%.9g")
            .splitlines()
        )
        found[name] = rows
    return found


def test_judgements_are_those_that_were_recorded():
    assert judged() == json.loads(GOLDEN.read_text())["judged"]


if __name__ == "__main__":  # makes the files anew, in an empty folder; the commit says why
    home = Path.cwd()
    (home / "page.html").write_text(f"<title>Apples</title><p>{FRUIT}")
    GOLDEN.write_text(json.dumps({"seen": seen(home), "judged": judged()}, indent=1) + "\n")
