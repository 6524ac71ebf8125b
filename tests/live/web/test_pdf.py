"""PDFs: skipped under one reason, or read by pypdf in bounded time, whatever they are."""

import json
import random
import subprocess
import time
import zlib

import pytest
from loopback import Loopback, live, reply

from tres_live.web import pdf as reading
from tres_webs import FetchError, Link, Page

pytestmark = pytest.mark.network
TITLE = "A song\x1b[2J\u202e book"


def pdf(*texts: str, uris: tuple[str, ...] = (), title: str = TITLE, content=None) -> bytes:
    """A PDF with a page for each text; the first page has the links."""
    page_ids = [10 + 2 * i for i in range(len(texts))]
    notes = " ".join(f"<< /Subtype /Link /A << /S /URI /URI ({uri}) >> >>" for uri in uris)
    coded = title.encode("utf-16").hex()
    objects = {
        1: b"<< /Type /Catalog /Pages 2 0 R >>",
        2: f"<< /Type /Pages /Kids [{' '.join(f'{i} 0 R' for i in page_ids)}] "
        f"/Count {len(texts)} >>".encode(),
        3: b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
        4: f"<< /Title <{coded}> >>".encode(),
    }
    for i, text in zip(page_ids, texts, strict=True):
        stream = zlib.compress(content or f"BT /F1 9 Tf 9 9 Td ({text}) Tj ET".encode())
        objects[i] = (
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 99 99] /Contents {i + 1} 0 R "
            f"/Resources << /Font << /F1 3 0 R >> >> "
            f"/Annots [{notes if i == 10 else ''}] >>"
        ).encode()
        head = f"<< /Length {len(stream)} /Filter /FlateDecode >>\nstream\n".encode()
        objects[i + 1] = head + stream + b"\nendstream"
    body = b"%PDF-1.7\n"
    rows = b""
    for number, content_ in objects.items():
        rows += f"{number} 1\n{len(body):010} 00000 n \n".encode()
        body += f"{number} 0 obj\n".encode() + content_ + b"\nendobj\n"
    end = f"trailer << /Size 999 /Root 1 0 R /Info 4 0 R >>\nstartxref\n{len(body)}\n%%EOF"
    return body + b"xref\n" + rows + end.encode()


SONGS = pdf("Jazz and   swing", "More (jazz)", uris=("/band", "http://b.example/x.pdf", "mailto:a"))
AS_PDF = {"Content_Type": "application/pdf"}


@pytest.mark.parametrize(
    "kind", ["application/pdf", "application/x-pdf; a=b", "text/html", "", "Application/PDF"]
)
def test_a_pdf_is_skipped_under_one_reason(kind):
    with Loopback({"/doc": reply(SONGS, Content_Type=kind)}) as server:
        with pytest.raises(FetchError) as caught:
            live().fetch(server.url("/doc"))
        assert (caught.value.reason, caught.value.status) == ("PDF, not HTML", 200)
        assert "pdf" not in server.asked[-1].headers["accept"]


def read(document: bytes, **settings) -> Page | FetchError:
    pytest.importorskip("pypdf")
    with Loopback({"/doc.pdf": reply(document, **AS_PDF)}) as server:
        try:
            return live(pdf=True, **settings).fetch(server.url("/doc.pdf"))
        except FetchError as error:
            return error


@pytest.mark.slow
def test_a_pdf_is_a_page():
    page = read(SONGS)
    assert page.url.endswith("/doc.pdf") and page.status == 200 and page.html is None
    assert page.title == "A song[2J book"
    assert page.text == "Jazz and swing\nMore (jazz)"
    site = page.url.removesuffix("/doc.pdf")
    assert page.links == (Link(f"{site}/band", ""), Link("http://b.example/x.pdf", ""))
    assert page.fetched_at > 1.6e9 and not page.truncated


@pytest.mark.slow
def test_a_pdf_beyond_the_limits_is_refused_or_cut(monkeypatch):
    assert "PDF of more than 500 bytes" in read(SONGS, max_bytes=500).reason
    page = read(pdf(*["la"] * (reading.MAX_PAGES + 1)))
    assert page.truncated and page.text.count("la") == reading.MAX_PAGES
    assert not read(pdf(*["la"] * 5)).truncated
    long = read(pdf(*["la" * 400_000] * 4), max_bytes=10**7)
    assert long.truncated and len(long.text) <= reading.MAX_TEXT


def test_what_the_reader_hands_over_is_bounded(monkeypatch):
    """A short PDF may name the same long link many times."""
    pytest.importorskip("pypdf")
    monkeypatch.setattr(reading, "LAST_PAGE", 600)  # however busy the machine is
    read = reading._read(pdf("x", uris=("/" + "a" * 20_000,) * 30, title="t" * 100_000))
    assert len(json.dumps(read)) < 10_000


def test_text_of_a_pdf_steers_no_terminal(monkeypatch):
    said = json.dumps(["", ["\x1b[2Jred\u202e song\x9b"], [], False])
    done = subprocess.CompletedProcess([], 0, said.encode())
    monkeypatch.setattr(reading.subprocess, "run", lambda *args, **how: done)
    assert reading.read_pdf("http://a.example/x.pdf", b"").text == "[2Jred song"


NOISE = random.Random(0).randbytes(20_000)
CIRCLE = SONGS.replace(b"[10 0 R 12 0 R]", b"[2 0 R 2 0 R ] ")
HOSTILE = {
    "nothing else": b"%PDF-1.7",
    "noise": b"%PDF-1.4\n" + NOISE,
    "half": SONGS[: len(SONGS) // 2],
    "pages in a circle": CIRCLE,
    "no pages": pdf(),
    "an endless number of pages": SONGS.replace(b"/Count 2", b"/Count 999999999"),
    "noise inside": SONGS[:300] + NOISE + SONGS[300:],
    "deep arrays": b"%PDF-1.4\n1 0 obj\n" + b"[" * 200_000,
    "deep dictionaries": b"%PDF-1.4\n1 0 obj\n" + b"<<" * 100_000,
    "many objects": b"%PDF-1.4\n" + b"1 0 obj\n" * 40_000,
}


@pytest.mark.slow
@pytest.mark.parametrize("document", HOSTILE.values(), ids=HOSTILE)
def test_any_pdf_ends_as_a_page_or_an_error(document):
    start = time.monotonic()
    found = read(document)
    assert isinstance(found, Page) or "PDF" in found.reason
    assert time.monotonic() - start < reading.MAX_SECONDS + 10


@pytest.mark.slow
def test_a_pdf_that_swells_ends_in_bounded_memory_and_time():
    """200 MB of operators in 200 kB: pypdf refuses it, or the process is stopped."""
    found = read(pdf("x", content=b"q " * 100_000_000), max_bytes=10**7)
    assert isinstance(found, FetchError) or found.text == ""


def test_a_reader_that_hangs_is_stopped(monkeypatch, tmp_path):
    script = tmp_path / "hang.py"
    script.write_text("import time; time.sleep(60)")
    monkeypatch.setattr(reading, "__file__", str(script))
    monkeypatch.setattr(reading, "MAX_SECONDS", 0.5)
    start = time.monotonic()
    with pytest.raises(FetchError, match="PDF that takes over 0.5 s to read"):
        reading.read_pdf("http://a.example/x.pdf", SONGS)
    assert time.monotonic() - start < 10


@pytest.mark.parametrize("script", ["raise SystemExit(1)", "print('no JSON')", ""])
def test_a_reader_that_dies_is_an_error(monkeypatch, tmp_path, script):
    (tmp_path / "die.py").write_text(script)
    monkeypatch.setattr(reading, "__file__", str(tmp_path / "die.py"))
    with pytest.raises(FetchError, match="PDF that cannot be read"):
        reading.read_pdf("http://a.example/x.pdf", SONGS)
